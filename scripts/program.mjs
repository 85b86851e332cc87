// A permanent copy of the program for clients: caches of npx are cleaned, so that a program in such a cache is copied to the
// data folder. It imports no packages, since the start of the server calls it.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { moveFileSync } from "./move-file.mjs";

/** Folders of npx, pnpm dlx, yarn dlx and bunx, which come and go. */
const CACHE = /[\\/](?:_npx|dlx(?:-[^\\/]*)?|bunx-[^\\/]*)[\\/]/;
/** Folders of version managers that live as long as a shell. */
const SHELL_FOLDER = /[\\/]fnm_multishells[\\/]/;
const LAUNCHER = "mcp.mjs";
const CURRENT = "current";
const LAUNCHER_TEXT = `// Written by toolroom wrap. Starts the Toolroom that the file "current" names.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = path.dirname(fileURLToPath(import.meta.url));
const name = readFileSync(path.join(folder, "${CURRENT}"), "utf8").trim();
await import(pathToFileURL(path.resolve(folder, name, "scripts", "mcp.mjs")).href);
`;

/** Whether a program is in a cache that is cleaned. @param {string} home */
export const isTemporary = (home) => CACHE.test(home);

/** @param {string} dataFolder */
const programFolder = (dataFolder) => path.join(dataFolder, "program");

/** The script that clients start. @param {string} home of the program @param {string} dataFolder */
export const findBridgeScript = (home, dataFolder) =>
  isTemporary(home) ? path.join(programFolder(dataFolder), LAUNCHER) : path.join(home, "scripts", "mcp.mjs");

/** The name of a copy: another one for each version and build. @param {string} home */
function nameCopy(home) {
  const { version } = JSON.parse(readFileSync(path.join(home, "package.json"), "utf8"));
  const build = path.join(home, ".next", "BUILD_ID");
  const id = existsSync(build)
    ? readFileSync(build, "utf8")
        .trim()
        .replace(/[^\w-]/g, "")
    : "";
  return id === "" ? version : `${version}-${id}`;
}

/** The program that the launcher starts; null where there is none. @param {string} dataFolder */
export function readLaunched(dataFolder) {
  const folder = programFolder(dataFolder);
  try {
    const home = path.resolve(folder, readFileSync(path.join(folder, CURRENT), "utf8").trim());
    return existsSync(path.join(home, "scripts", "mcp.mjs")) ? home : null;
  } catch {
    return null;
  }
}

/** Replaces a file in one step. @param {string} file @param {string} text */
function writeWhole(file, text) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text);
  moveFileSync(draft, file);
}

/**
 * Copies a program into the data folder, where the launcher starts it. The copy before it stays, since a process may still
 * use it; older ones go. @param {string} home @param {string} dataFolder
 */
export function copyProgram(home, dataFolder) {
  const folder = programFolder(dataFolder);
  const name = nameCopy(home);
  const target = path.join(folder, name);
  const before = readLaunched(dataFolder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(path.join(target, "scripts", "mcp.mjs"))) {
    const draft = path.join(folder, `draft-${process.pid}`);
    rmSync(draft, { recursive: true, force: true });
    cpSync(home, draft, { recursive: true, verbatimSymlinks: true });
    rmSync(target, { recursive: true, force: true });
    moveFileSync(draft, target);
  }
  writeWhole(path.join(folder, LAUNCHER), LAUNCHER_TEXT);
  writeWhole(path.join(folder, CURRENT), `${name}\n`);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const isKept = entry.name === name || entry.name === path.basename(before ?? "") || /^draft-/.test(entry.name);
    if (entry.isDirectory() && !isKept) rmSync(path.join(folder, entry.name), { recursive: true, force: true });
  }
  return path.join(folder, LAUNCHER);
}

/**
 * Lets the launcher start this program: after an upgrade the database is one of the new version, which what clients start
 * must be too. Does nothing where no client was given the launcher.
 * @param {string} home @param {string} dataFolder
 */
export function refreshLaunched(home, dataFolder) {
  const folder = programFolder(dataFolder);
  if (!existsSync(path.join(folder, LAUNCHER)) || path.resolve(home).startsWith(folder + path.sep)) return;
  try {
    const wanted = isTemporary(home) ? path.join(folder, nameCopy(home)) : path.resolve(home);
    if (readLaunched(dataFolder) === wanted) return;
    if (isTemporary(home)) copyProgram(home, dataFolder);
    else writeWhole(path.join(folder, CURRENT), `${wanted}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    console.error(`The program in ${folder}, which wrapped clients start, could not be updated: ${reason}`);
  }
}

/** @param {string} file */
function realPath(file) {
  try {
    return realpathSync.native(file);
  } catch {
    return null;
  }
}

/**
 * This Node, by a path that outlives an upgrade of its package where there is one. Programs with a window may not find Node
 * by its name, or find another one.
 * @param {{ execPath?: string, searchPath?: string }} [surroundings]
 */
export function findNode({ execPath = process.execPath, searchPath = process.env.PATH ?? "" } = {}) {
  const own = realPath(execPath) ?? execPath;
  // Homebrew's folders have the version in their names, and links that stay.
  if (!/[\\/]Cellar[\\/]/.test(own)) return own;
  const links = searchPath.split(path.delimiter).map((folder) => path.join(folder, "node"));
  return links.find((link) => path.isAbsolute(link) && !SHELL_FOLDER.test(link) && realPath(link) === own) ?? own;
}
