import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { InstallError, isInstalled } from "./install-dependencies.mjs";
import { log } from "./log.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const NOT_COPIED = /^(?:node_modules|\.install-)|\.test(?:-support)?\.ts$/;

/** @param {string} folder */
function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Puts files in place one by one, each whole: another start may be reading them. @param {string} from @param {string} to */
function copyFolder(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (NOT_COPIED.test(entry.name)) continue;
    const source = path.join(from, entry.name);
    const target = path.join(to, entry.name);
    if (entry.isDirectory()) copyFolder(source, target);
    else {
      const content = readFileSync(source);
      if (existsSync(target) && readFileSync(target).equals(content)) continue;
      writeFileSync(`${target}.${process.pid}`, content);
      renameSync(`${target}.${process.pid}`, target);
    }
  }
}

/**
 * The folder that holds this server and its packages: its own, or a copy in the working folder where its own cannot be
 * written, as in a package that was installed for all users.
 * @throws InstallError where neither can be written
 */
export function findHome() {
  if (isInstalled(ROOT) || isWritable(ROOT)) return ROOT;
  const home = path.join(process.cwd(), "zwave-mcp-server");
  try {
    copyFolder(ROOT, home);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new InstallError(
      `its packages can be installed neither in ${ROOT} nor in the working folder (${reason}); start it in a folder that you can write`,
    );
  }
  log(`runs from ${home}, since ${ROOT} cannot be written`);
  return home;
}
