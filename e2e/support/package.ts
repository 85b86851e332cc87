import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { INSTALLED, installPackage } from "../../scripts/pack/install.mjs";
import { ROOT } from "../../scripts/project-root.mjs";
import { runNpm } from "../../scripts/run-command.mjs";
import { waitUntil } from "../../src/lib/wait-until.test-support";

/** Who runs the installed package where the tests are root: someone who can write nothing of it. */
export const OTHER_USER: { uid: number; gid: number } | { uid?: undefined; gid?: undefined } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const READY = /^Toolroom is ready: (http:\/\/\S+)$/m;
const START_LIMIT_MS = 60_000;

export interface RunningProgram {
  child: ChildProcess;
  url: string;
  output(): string;
  /** Of the output, what is not log. */
  printed(): string;
  /** Ends it with a signal and gives its exit code. */
  stop(): Promise<number | null>;
}

export interface ProgramResult {
  code: number | null;
  output: string;
}

/** Makes the package as the documents say. @returns the file that the command names */
async function runPackageCommand(): Promise<string> {
  const { code, output } = await runNpm(["run", "package"], { cwd: ROOT });
  const file = /npx \.\/(\S+\.tgz)/.exec(output)?.[1];
  if (code !== 0 || file === undefined) throw new Error(`npm run package failed.\n${output}`);
  return path.join(ROOT, file);
}

/** A package, installed in a folder that its user cannot write. */
export class PackedToolroom {
  readonly file: string;
  /** Of the test, with everything in it. */
  readonly folder: string;
  readonly #running = new Set<ChildProcess>();

  private constructor(file: string, folder: string) {
    this.file = file;
    this.folder = folder;
  }

  /** @param given a package file; absent: the package of the build that is there */
  static async create(given?: string): Promise<PackedToolroom> {
    const folder = mkdtempSync(path.join(tmpdir(), "toolroom-package-"));
    chmodSync(folder, 0o755);
    // The folder of the sources may be closed to others.
    const file = path.join(folder, "toolroom.tgz");
    copyFileSync(given ?? (await runPackageCommand()), file);
    chmodSync(file, 0o644);
    const packed = new PackedToolroom(file, folder);
    await installPackage(packed.file, path.join(folder, "installed"), { cache: path.join(folder, "cache") });
    return packed;
  }

  get installed(): string {
    return path.join(this.folder, "installed", INSTALLED);
  }

  get command(): string {
    return path.join(this.folder, "installed/node_modules/.bin/toolroom");
  }

  get migrations(): string[] {
    return readdirSync(path.join(this.installed, "prisma/migrations")).filter((name) => /^\d/.test(name));
  }

  /** The command of the next version: this one with one more migration. */
  addNextVersion(name: string, sql: string): string {
    const next = path.join(this.folder, "next");
    cpSync(path.join(this.folder, "installed"), next, { recursive: true, verbatimSymlinks: true });
    const migration = path.join(next, INSTALLED, "prisma/migrations", name);
    mkdirSync(migration);
    writeFileSync(path.join(migration, "migration.sql"), sql);
    return path.join(next, "node_modules/.bin/toolroom");
  }

  /** A file or folder of the tests, where the user of the program can read it. */
  addFile(file: string): string {
    const target = path.join(this.folder, path.basename(file));
    cpSync(file, target, { recursive: true });
    return target;
  }

  /** A folder that belongs to the user of the program. */
  createFolder(name: string): string {
    const folder = path.join(this.folder, name);
    mkdirSync(folder);
    if (OTHER_USER.uid !== undefined) chownSync(folder, OTHER_USER.uid, OTHER_USER.gid);
    return folder;
  }

  /** Bytes of all that was installed. */
  countInstalledBytes(): number {
    const root = path.join(this.folder, "installed");
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) =>
      statSync(path.join(root, name)),
    );
    return files.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0);
  }

  /** Opens the package file. */
  unpack(): string {
    const folder = path.join(this.folder, "unpacked");
    mkdirSync(folder);
    execFileSync("tar", ["-xzf", this.file, "-C", folder]);
    return path.join(folder, "package");
  }

  #spawn(command: string, args: string[], home: string, env: Record<string, string>) {
    const { PATH = "" } = process.env;
    const child = spawn(command, args, {
      cwd: home,
      env: { PATH, HOME: home, TMPDIR: home, ...env } as unknown as NodeJS.ProcessEnv,
      stdio: ["pipe", "pipe", "pipe"],
      ...OTHER_USER,
    });
    this.#running.add(child);
    let text = "";
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        if (stream === child.stdout) printed += chunk;
      });
    }
    return { child, output: () => text, printed: () => printed };
  }

  /** Runs a program to its end, as someone with this home folder. */
  async run(command: string, args: string[], home: string, env: Record<string, string> = {}): Promise<ProgramResult> {
    const { child, output } = this.#spawn(command, args, home, env);
    const [code] = await once(child, "close");
    return { code, output: output() };
  }

  /** Starts one that serves. */
  async start(
    command: string,
    args: string[],
    home: string,
    env: Record<string, string> = {},
  ): Promise<RunningProgram> {
    const { child, output, printed } = this.#spawn(command, args, home, env);
    const closed = once(child, "close");
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    await waitUntil(() => READY.test(output()) || hasEnded(), { timeoutMs: START_LIMIT_MS }).catch(() => {});
    const url = READY.exec(output())?.[1];
    if (url === undefined) throw new Error(`The package did not start.\n${output()}`);
    return {
      child,
      url,
      output,
      printed,
      async stop() {
        child.kill("SIGTERM");
        await closed;
        return child.exitCode;
      },
    };
  }

  remove(): void {
    for (const child of this.#running) if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}
