/** Several copies of the built server on one PostgreSQL, behind haproxy: for a journey, `npm run prove:copies` and `npm run bench:copies`. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { findHaproxy, findPostgres, startCluster, stopCluster } from "../../scripts/postgres-cluster.mjs";
import { waitUntil } from "../../src/lib/wait-until.test-support";
import { launchServer } from "./server";

const ROOT = path.resolve(import.meta.dirname, "../..");
const HAPROXY = findHaproxy();
/** Another program may take a port between its choice and its use. */
const START_TRIES = 3;
const CALM_LIMIT_MS = 60_000;

export const HAS_COPIES = HAPROXY !== null && findPostgres() !== null;

export type InstanceState = "up" | "paused" | "down";

/** One copy, under the same address for all its starts. */
export interface InstanceProcess {
  readonly name: string;
  readonly url: string;
  readonly state: InstanceState;
  /** Of its present process. */
  readonly pid: number;
  /** What its present process has printed. */
  output(): string;
  /** @param more variables of this start, and of those after it that name none */
  start(more?: Record<string, string>): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGTERM. @returns its exit code */
  stop(): Promise<number | null>;
  /** SIGSTOP: it stands still, as a machine does that swaps or is moved. */
  pause(): void;
  /** SIGCONT. */
  wake(): void;
  /** Whether its process has ended by itself, as one does that was paused for too long. */
  hasEnded(): boolean;
}

export interface InstancesOptions {
  count: number;
  /** Settings of PostgreSQL in place of those that may lose data. */
  settings?: string[];
  env?: Record<string, string>;
}

/** Of this machine, free at the moment. */
async function findPorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** As docs/operations.md says, with shorter intervals of the health check. */
function describeBalancer(port: number, ports: readonly number[]): string {
  return `global
  maxconn 2000
defaults
  mode http
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
  option redispatch
  retries 3
frontend toolroom
  bind 127.0.0.1:${port}
  default_backend copies
backend copies
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${ports.map((each, index) => `  server copy${index + 1} 127.0.0.1:${each}`).join("\n")}
`;
}

function createCopy(name: string, port: number, env: Record<string, string>): InstanceProcess {
  let process: Awaited<ReturnType<typeof launchServer>> | null = null;
  let isPaused = false;
  let own: Record<string, string> = {};
  const url = `http://127.0.0.1:${port}`;
  const need = () => {
    if (process === null) throw new Error(`${name} is not running`);
    return process;
  };
  const end = async <T>(how: (running: ReturnType<typeof need>) => Promise<T>): Promise<T> => {
    const running = need();
    process = null;
    isPaused = false;
    return how(running).finally(() => running.dispose());
  };
  return {
    name,
    url,
    get state() {
      if (process === null || process.hasEnded()) return "down";
      return isPaused ? "paused" : "up";
    },
    get pid() {
      return need().pid;
    },
    output: () => process?.output() ?? "",
    async start(more = own) {
      own = more;
      await process?.dispose();
      process = null;
      process = await launchServer({ port, env: { ...env, ...more } });
      isPaused = false;
    },
    kill: () => end((running) => running.kill()),
    stop: () => end((running) => running.stop()),
    pause() {
      need().signal("SIGSTOP");
      isPaused = true;
    },
    wake() {
      need().signal("SIGCONT");
      isPaused = false;
    },
    hasEnded: () => process?.hasEnded() ?? false,
  };
}

async function startBalancer(folder: string, ports: readonly number[]): Promise<{ url: string; child: ChildProcess }> {
  for (let tries = 1; ; tries += 1) {
    const [port = 0] = await findPorts(1);
    const file = path.join(folder, "haproxy.cfg");
    await writeFile(file, describeBalancer(port, ports));
    const child = spawn(HAPROXY ?? "haproxy", ["-f", file, "-db"], { stdio: "ignore" });
    const url = `http://127.0.0.1:${port}`;
    const answers = () => fetch(url).then(() => true);
    try {
      await waitUntil(async () => child.exitCode !== null || (await answers()), { what: "haproxy answers" });
      if (child.exitCode === null) return { url, child };
    } catch (error) {
      child.kill("SIGKILL");
      if (tries === START_TRIES) throw error;
    }
    if (tries === START_TRIES) throw new Error(`haproxy ended with ${child.exitCode}`);
  }
}

/** The server of PostgreSQL, which can be restarted. */
async function startDatabase(settings: string[] | undefined) {
  const bin = findPostgres();
  if (bin === null) throw new Error("No PostgreSQL 15 or newer was found");
  const { url, folder } = await startCluster(bin, settings);
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE DATABASE toolroom TEMPLATE template0 ENCODING 'UTF8'`);
  await admin.end();
  const database = new URL(url);
  database.pathname = "/toolroom";
  const data = path.join(folder, "data");
  return {
    url: database.href,
    /** With one user, who started it. @param mode `fast` ends connections, `immediate` is a crash */
    async restart(mode: "fast" | "immediate"): Promise<void> {
      const { uid, gid } = await stat(data);
      // Its options are those of the first start.
      await promisify(execFile)(
        path.join(bin, "pg_ctl"),
        ["-D", data, "-w", "-l", path.join(folder, "log"), "-m", mode, "restart"],
        {
          cwd: folder,
          uid,
          gid,
          env: { ...process.env, LC_ALL: "C" },
        },
      );
    },
    stop: () => stopCluster(folder),
  };
}

export type Instances = Awaited<ReturnType<typeof startInstances>>;

/** The product's files with another version and one more migration, which adds a column as a newer version would. */
export async function buildNewerHome(folder: string, version: string): Promise<string> {
  const home = path.join(folder, "newer");
  const own = new Set(["prisma", "package.json", "test-results", "data", ".git"]);
  await mkdir(home);
  for (const name of await readdir(ROOT))
    if (!own.has(name)) await symlink(path.join(ROOT, name), path.join(home, name));
  const manifest = JSON.parse(await readFile(path.join(ROOT, "package.json"), "utf8"));
  await writeFile(path.join(home, "package.json"), JSON.stringify({ ...manifest, version }));
  await cp(path.join(ROOT, "prisma"), path.join(home, "prisma"), { recursive: true });
  const migration = path.join(home, "prisma/migrations-postgres/29991231000000_newer");
  await mkdir(migration);
  await writeFile(path.join(migration, "migration.sql"), `ALTER TABLE "Tool" ADD COLUMN "newer" TEXT COLLATE "C";\n`);
  return home;
}

/** Starts everything; each copy has its own data folder, as on a machine of its own. */
export async function startInstances({ count, settings, env = {} }: InstancesOptions) {
  const folder = await mkdtemp(path.join(tmpdir(), "toolroom-copies-"));
  await chmod(folder, 0o700);
  const database = await startDatabase(settings);
  const ports = await findPorts(count);
  const copies = ports.map((port, index) =>
    createCopy(`copy ${index + 1}`, port, {
      DATABASE_URL: database.url,
      TOOLROOM_SECRET_KEY: "the key of the copies, the same for all",
      TOOLROOM_DATA: path.join(folder, `copy-${index + 1}`),
      TOOLROOM_DRAIN_SECONDS: "2",
      ...env,
    }),
  );
  const close = async (): Promise<void> => {
    balancer?.child.kill("SIGKILL");
    for (const copy of copies) {
      if (copy.state === "paused") copy.wake();
      if (copy.state !== "down") await copy.kill();
    }
    database.stop();
    await rm(folder, { recursive: true, force: true });
  };
  let balancer: Awaited<ReturnType<typeof startBalancer>> | undefined;
  try {
    // One after another: the first one migrates.
    for (const copy of copies) await copy.start();
    balancer = await startBalancer(folder, ports);
  } catch (error) {
    await close();
    throw error;
  }
  const { url } = balancer;
  await waitUntil(async () => (await fetch(`${url}/readyz`)).ok, { what: "the balancer has a copy" });
  return {
    url,
    folder,
    database,
    copies,
    close,
    /** Starts what is down, wakes what is paused, and waits until the balancer reaches each. */
    async settle(): Promise<void> {
      for (const copy of copies) if (copy.state === "paused") copy.wake();
      await sleep(500);
      for (const copy of copies) if (copy.state === "down") await copy.start();
      const ready = () => Promise.all(copies.map(async (copy) => (await fetch(`${copy.url}/readyz`)).ok));
      await waitUntil(async () => (await ready()).every(Boolean), {
        what: "all copies are ready",
        timeoutMs: CALM_LIMIT_MS,
      });
    },
  };
}
