import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

/** Inside the project, so that packages are found from there; not in the repository. */
const FOLDER = ".toolroom/workers";
const STAMP = "// built of ";

/**
 * The file that a thread runs: TypeScript and what it imports, packages left out, as one module. It is built when its first
 * line does not name the present content of its sources: at the first start, and after a change.
 * @param rootDir the folder that holds `src` and `node_modules`
 * @param source of the worker, from there
 */
export function bundleWorker(rootDir: string, source: string): string {
  const file = path.join(rootDir, FOLDER, `${path.basename(source, ".ts")}.mjs`);
  if (!isCurrent(file, rootDir)) build(file, rootDir, source);
  return file;
}

function isCurrent(file: string, rootDir: string): boolean {
  if (!existsSync(file)) return false;
  const text = readFileSync(file, "utf8");
  const [first = ""] = text.split("\n", 1);
  if (!first.startsWith(STAMP)) return false;
  try {
    const { hash, inputs } = JSON.parse(first.slice(STAMP.length)) as { hash: string; inputs: string[] };
    return hash === hashFiles(rootDir, inputs);
  } catch {
    // A source that is gone: the bundle is of another version.
    return false;
  }
}

function hashFiles(rootDir: string, inputs: readonly string[]): string {
  const hash = createHash("sha256");
  for (const input of inputs)
    hash
      .update(input)
      .update("\0")
      .update(readFileSync(path.join(rootDir, input)));
  return hash.digest("base64url");
}

function build(file: string, rootDir: string, source: string): void {
  // Loaded from the project: bundlers of the server must not follow it.
  const load = createRequire(path.join(rootDir, "package.json"));
  const { buildSync } = load("esbuild") as typeof import("esbuild");
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: rootDir,
    entryPoints: [source],
    bundle: true,
    write: false,
    metafile: true,
    outfile: file,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    logLevel: "silent",
  });
  const inputs = Object.keys(metafile.inputs).sort();
  const stamp = JSON.stringify({ hash: hashFiles(rootDir, inputs), inputs });
  mkdirSync(path.dirname(file), { recursive: true });
  // Several processes may build at once; each renames a whole file.
  const draft = `${file}.${process.pid}.${Date.now()}`;
  writeFileSync(draft, `${STAMP}${stamp}\n${outputFiles[0]?.text ?? ""}`);
  renameSync(draft, file);
}
