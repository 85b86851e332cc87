import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "../project-root.mjs";

/** Programs that run as they are; what they import comes with them. */
const PROGRAMS = [
  "server.mjs",
  "scripts/start.mjs",
  "scripts/mcp.mjs",
  "scripts/seed.mjs",
  "src/server/platform/db/backup-worker.mjs",
  "src/server/platform/db/checkpoint-worker.mjs",
  "src/server/calls/executions/db/text-index-worker.mjs",
];
const FOLDERS = [
  "prisma/migrations",
  "prisma/migrations-postgres",
  "config/handlers",
  "docs",
  "examples/zwave-mcp-server",
];
const FILES = ["config/toolroom.example.json", "README.md", "SECURITY.md", "LICENSE", "CHANGELOG.md"];
const NOT_SHIPPED =
  /(?:^|\/)(?:node_modules|\.install-[^/]*|\.gitignore)(?:\/|$)|^docs\/(?:decisions|images)(?:\/|$)|\.test(?:-support)?\.[cm]?ts$/;
/** Turbopack names an external package by its version; in the package it has its own name. */
const RENAMED = /("|')((?:@[a-z0-9._-]+\/)?[a-z0-9._-]+)-[0-9a-f]{16}((?:\/[A-Za-z0-9._/-]+)?)\1/g;

/** @param {string} file @param {string} target */
function copy(file, target) {
  mkdirSync(path.dirname(path.join(target, file)), { recursive: true });
  cpSync(path.join(ROOT, file), path.join(target, file), { recursive: true, filter: (source) => !isLeftOut(source) });
}

const isLeftOut = (/** @type {string} */ source) =>
  NOT_SHIPPED.test(path.relative(ROOT, source).split(path.sep).join("/"));

/** @param {string[]} programs @returns {Promise<string[]>} they and the JavaScript of ours that they import */
async function followImports(programs) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: programs,
    bundle: true,
    write: false,
    outdir: "unused",
    metafile: true,
    platform: "node",
    format: "esm",
    packages: "external",
    external: ["../dist/*"],
    logLevel: "silent",
  });
  return Object.keys(metafile.inputs).filter((file) => file.endsWith(".mjs"));
}

/** Server, scripts, migrations, examples. @param {string} target @param {string} bin the script that is the command */
export async function copyOwnFiles(target, bin) {
  const programs = await followImports([...new Set([bin, ...PROGRAMS])]);
  for (const file of [...programs, ...FOLDERS, ...FILES]) copy(file, target);
}

/** The built console. @param {string} target */
export function copyBuild(target) {
  const folder = path.join(ROOT, ".next");
  const isWanted = (/** @type {string} */ file) =>
    /^(?:BUILD_ID|[^/]+\.json)$|^(?:server|static)\//.test(file) && !/\.map$|\.nft\.json$/.test(file);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = name.split(path.sep).join("/");
    if (!isWanted(file) || !statSync(path.join(folder, name)).isFile()) continue;
    copy(path.join(".next", name), target);
    if (file.endsWith(".js") && file.startsWith("server/")) restoreNames(path.join(target, ".next", name));
  }
  const manifest = path.join(target, ".next/required-server-files.json");
  writeFileSync(manifest, replaceFolder(readFileSync(manifest, "utf8")));
}

/** @param {string} file */
function restoreNames(file) {
  const text = readFileSync(file, "utf8");
  const renamed = text.replace(RENAMED, (_all, quote, name, rest) => `${quote}${name}${rest}${quote}`);
  const withoutMap = renamed.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n");
  if (withoutMap !== text) writeFileSync(file, withoutMap);
}

/** The folder of the build is not the one of the installation. @param {string} text of JSON */
function replaceFolder(text) {
  return JSON.stringify(
    JSON.parse(text, (_key, value) => {
      if (typeof value !== "string") return value;
      return value === ROOT ? "." : value.replaceAll(`${ROOT}${path.sep}`, "");
    }),
  );
}
