// Finds the product's files and the user's data. It imports no packages, since commands call it before they are installed.
import { accessSync, constants, existsSync, mkdirSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { isPostgresUrl } from "./postgres-address.mjs";
import { ROOT } from "./project-root.mjs";
import { StepError } from "./run-command.mjs";

/** The folder in which the user called the command; commands change to the product's folder later. */
const CALLED_FROM = process.cwd();
/** In the package everything is built; a clone builds what it needs. */
export const IS_PACKAGE = existsSync(path.join(ROOT, "dist"));

/**
 * @typedef {Record<string, string | undefined>} Variables
 * @typedef {object} Locations
 * @property {string} home the product's files, which may be read-only
 * @property {string} root where relative paths of a user begin
 * @property {string} data the folder of the database
 * @property {string} databaseUrl
 * @property {string | undefined} config the configuration file, where one is named
 */

/**
 * The platform's folder for the data of programs. On Windows it is outside AppData, where programs of the Store, such as Claude
 * Desktop, and what they start see a copy of their own; a folder of an earlier version is kept.
 * @param {Variables} env
 */
export function findDataFolder(env, platform = process.platform, userFolder = homedir(), exists = existsSync) {
  const { XDG_DATA_HOME: xdg = "" } = env;
  if (platform === "win32") {
    const earlier = path.join(findLocalFolder(env, userFolder), "toolroom");
    return exists(earlier) ? earlier : path.join(env.USERPROFILE || userFolder, ".toolroom");
  }
  // Relative values count as not set, as the specification wants it.
  if (path.isAbsolute(xdg)) return path.join(xdg, "toolroom");
  const folder = platform === "darwin" ? ["Library", "Application Support"] : [".local", "share"];
  return path.join(userFolder, ...folder, "toolroom");
}

/** @param {Variables} env @param {string} userFolder */
const findLocalFolder = (env, userFolder) => env.LOCALAPPDATA || path.join(userFolder, "AppData", "Local");

/**
 * Databases that a Toolroom of an earlier version, started by a program of the Store, made in that program's copy of AppData.
 * @param {string} dataFolder in use @param {Variables} env
 */
export function findRedirectedDatabases(
  dataFolder,
  env = process.env,
  platform = process.platform,
  userFolder = homedir(),
) {
  if (platform !== "win32") return [];
  const packages = path.join(findLocalFolder(env, userFolder), "Packages");
  return listNames(packages)
    .map((name) => path.join(packages, name, "LocalCache", "Local", "toolroom"))
    .filter((folder) => folder !== dataFolder && existsSync(path.join(folder, "toolroom.db")));
}

/** @param {string} folder */
function listNames(folder) {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/**
 * `--data` wins over a file of `DATABASE_URL`, which wins over `TOOLROOM_DATA`. Relative paths of the command line begin where the command was called.
 * @param {{ data?: string | undefined, config?: string | undefined }} options of the command line
 * @param {{ env?: Variables, cwd?: string, isPackage?: boolean, home?: string }} [surroundings]
 * @returns {Locations}
 */
export function findLocations(options, surroundings = {}) {
  const { env = process.env, isPackage = IS_PACKAGE, home = ROOT } = surroundings;
  // npm runs the commands of a clone in its folder.
  const { cwd = (isPackage ? undefined : env.INIT_CWD) || CALLED_FROM } = surroundings;
  const named = options.data || env.TOOLROOM_DATA;
  const usual = isPackage ? findDataFolder(env) : path.join(home, "data");
  const data = named ? path.resolve(cwd, named) : usual;
  // Beside a database server, the folder holds other files.
  const url = options.data && !isPostgresUrl(env.DATABASE_URL) ? undefined : env.DATABASE_URL;
  return {
    home,
    // TOOLROOM_ROOT of an earlier call without --data names another folder.
    root: isPackage && options.data ? data : env.TOOLROOM_ROOT || (isPackage ? data : home),
    data,
    databaseUrl: url || `file:${path.join(data, "toolroom.db")}`,
    config: options.config ? path.resolve(cwd, options.config) : env.TOOLROOM_CONFIG || undefined,
  };
}

/**
 * Tells this process and those that it starts; a second call without options changes nothing.
 * @param {{ data?: string | undefined, config?: string | undefined }} [options] of the command line
 */
export function applyLocations(options = {}) {
  const locations = findLocations(options);
  process.env.TOOLROOM_HOME = locations.home;
  process.env.TOOLROOM_ROOT = locations.root;
  process.env.TOOLROOM_DATA = locations.data;
  process.env.DATABASE_URL = locations.databaseUrl;
  if (locations.config !== undefined) process.env.TOOLROOM_CONFIG = locations.config;
  return locations;
}

/** Creates the folder where it is missing. @param {string} folder */
export function demandDataFolder(folder) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
    throw new StepError(`Toolroom cannot write in its data folder ${folder}${code}.`, {
      wayOut: "Make the folder writable for this user, or choose another one: --data <folder>, or TOOLROOM_DATA.",
    });
  }
}
