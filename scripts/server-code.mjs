import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { contentHash } from "./content-hash.mjs";
import { applyLocations, IS_PACKAGE } from "./locations.mjs";
import { moveFileSync } from "./move-file.mjs";
import { ROOT, STATE_DIR } from "./project-root.mjs";
import { ensureDependencies, ensureNode, ensurePrismaClient } from "./setup.mjs";

/** Inside the project, so that packages are found from there. */
const FOLDER = path.join(STATE_DIR, "commands");
const STAMP = "// built of ";

/** For commands that run the server's TypeScript: the packages and the database client. The package has bundles. */
export async function prepareServerCode() {
  ensureNode();
  applyLocations();
  if (IS_PACKAGE) return;
  await ensureDependencies();
  await ensurePrismaClient();
}

/** Registers the TypeScript loader, for code that locates files relative to its own module. */
export async function loadTypeScript() {
  const { register } = await import("tsx/esm/api");
  register();
}

/** Scripts stay files of their own: they keep state. @param {string} toRoot from the bundle's folder @returns {import("esbuild").Plugin} */
export const keepScripts = (toRoot) => ({
  name: "keep-scripts",
  setup({ onResolve }) {
    onResolve({ filter: /\.mjs$/ }, ({ path: wanted, resolveDir }) => {
      const file = path.relative(ROOT, path.resolve(resolveDir, wanted)).split(path.sep).join("/");
      return file.startsWith("scripts/") ? { path: `${toRoot}/${file}`, external: true } : undefined;
    });
  },
});

/** @type {import("esbuild").BuildOptions} */
export const BUNDLE_OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  // These have files beside their modules.
  external: ["@prisma/client", "better-sqlite3", "better-sqlite3-napi", "next", "pg"],
  // Its other build asks for its parts by a function that a bundle does not have.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  // CommonJS inside an ES module asks for Node's modules by this function.
  banner: {
    js: 'import { createRequire as createRequireOfBundle } from "node:module"; const require = createRequireOfBundle(import.meta.url);',
  },
  logLevel: "silent",
};

/** @param {string[]} inputs */
const hashInputs = (inputs) => contentHash(["package-lock.json", ...inputs]);

/** @param {string} file */
function isCurrent(file) {
  if (!existsSync(file)) return false;
  const [first = ""] = readFileSync(file, "utf8").split("\n", 1);
  if (!first.startsWith(STAMP)) return false;
  const { hash, inputs } = JSON.parse(first.slice(STAMP.length));
  return hash === hashInputs(inputs);
}

/**
 * A file that holds a module of the server with all it imports, built at its first use and after a change: to load each of
 * two thousand separate files takes 3 s of processor time, loading the bundle 0.5 s.
 * @param {string} source from the project's folder
 */
export async function bundleServerCode(source) {
  const file = path.join(FOLDER, `${source.replace(/\.ts$/, "").replaceAll("/", "-")}.mjs`);
  if (isCurrent(file)) return file;
  const { build } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    ...BUNDLE_OPTIONS,
    entryPoints: [source],
    outfile: file,
    write: false,
    metafile: true,
    plugins: [keepScripts("../..")],
    banner: {},
  });
  const inputs = Object.keys(metafile.inputs).filter((input) => !input.startsWith("node_modules/"));
  const stamp = JSON.stringify({ hash: hashInputs(inputs), inputs });
  mkdirSync(FOLDER, { recursive: true });
  // Several processes may build at once; each renames a whole file.
  const draft = `${file}.${process.pid}.${Date.now()}`;
  writeFileSync(draft, `${STAMP}${stamp}\n${BUNDLE_OPTIONS.banner?.js}\n${outputFiles[0]?.text ?? ""}`);
  moveFileSync(draft, file);
  return file;
}

/** Loads it; the caller names its type. @param {string} source as for `bundleServerCode` */
export const importServerCode = async (source) => await import(pathToFileURL(await bundleServerCode(source)).href);
