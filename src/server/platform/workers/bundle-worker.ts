import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { moveFileSync } from "../../../../scripts/move-file.mjs";
import { isPackage } from "../shared/product-files";

/** The folder in the package, which may be read-only. */
const PACKED = "dist/workers";
/** Inside the project, so that packages are found from there; not in the repository. */
const FOLDER = ".toolroom/workers";
const STAMP = "// built of ";

/**
 * The file that a thread runs: TypeScript and what it imports, packages left out, as one module. It is built when its first
 * line does not name the present content of its sources: at the first start, and after a change. The package holds it.
 * @param home the folder that holds `src` and `node_modules`, or that of the package
 * @param source of the worker, from there
 */
export function bundleWorker(home: string, source: string): string {
  const name = `${path.basename(source, ".ts")}.mjs`;
  if (isPackage(home)) return path.join(home, PACKED, name);
  const file = path.join(home, FOLDER, name);
  if (!isCurrent(file, home)) build(file, home, source);
  return file;
}

function isCurrent(file: string, home: string): boolean {
  if (!existsSync(file)) return false;
  const text = readFileSync(file, "utf8");
  const [first = ""] = text.split("\n", 1);
  if (!first.startsWith(STAMP)) return false;
  try {
    const { hash, inputs } = JSON.parse(first.slice(STAMP.length)) as { hash: string; inputs: string[] };
    return hash === hashFiles(home, inputs);
  } catch {
    // A missing source means that the bundle is of another version.
    return false;
  }
}

function hashFiles(home: string, inputs: readonly string[]): string {
  const hash = createHash("sha256");
  for (const input of inputs)
    hash
      .update(input)
      .update("\0")
      .update(readFileSync(path.join(home, input)));
  return hash.digest("base64url");
}

function build(file: string, home: string, source: string): void {
  // Loaded from the project: bundlers of the server must not follow it.
  const load = createRequire(path.join(home, "package.json"));
  const { buildSync } = load("esbuild") as typeof import("esbuild");
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: home,
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
  const stamp = JSON.stringify({ hash: hashFiles(home, inputs), inputs });
  mkdirSync(path.dirname(file), { recursive: true });
  // Several processes may build at once; each renames a whole file.
  const draft = `${file}.${process.pid}.${Date.now()}`;
  writeFileSync(draft, `${STAMP}${stamp}\n${outputFiles[0]?.text ?? ""}`);
  moveFileSync(draft, file);
}
