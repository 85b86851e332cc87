// The only module that chooses the SQLite driver. Each file of a process is opened through it: two copies of SQLite in one process lose each other's locks.
import BetterSqlite3 from "better-sqlite3";
import NodeApiSqlite3 from "better-sqlite3-napi";
import { createNodeAddon } from "./node-sqlite.mjs";

/** Chooses the driver, for tests and for comparisons. */
const VARIABLE = "TOOLROOM_SQLITE";
const WAY_OUT = "Use Node 22.14 or newer, for which SQLite comes as a file for each system";

/** @typedef {{ nativeBinding?: any }} Options for better-sqlite3 */
/** @typedef {{ name: string, options: Options }} Driver */

/** The binary that better-sqlite3 12 was built with, for one system and one version of Node. @returns {Options} */
function loadBuilt() {
  new BetterSqlite3(":memory:").close();
  return {};
}

/**
 * The binaries of better-sqlite3 13, one per system for every newer Node. Its JavaScript stays unused: Prisma's adapter brings that of 12, which
 * here gets what 13's addon wants besides.
 * @returns {Options}
 */
function loadNodeApi() {
  // An older Node crashes while it loads the binary.
  if (Number(process.versions.napi) < 10) throw new Error("Node-API 10 is missing");
  const database = new NodeApiSqlite3(":memory:");
  const [handle] = Object.getOwnPropertySymbols(database);
  const Native = Reflect.get(database, /** @type {symbol} */ (handle)).constructor;
  database.close();
  class Addon extends Native {
    /** @param {any[]} given */
    constructor(...given) {
      super(...given, null, null);
    }

    /** @param {string} source @param {object} owner @param {boolean} isPragma */
    prepare(source, owner, isPragma) {
      return super.prepare(source, owner, isPragma, false);
    }
  }
  return { nativeBinding: { isInitialized: true, Database: Addon } };
}

/** Node's own SQLite. @returns {Options} */
function loadNode() {
  const { emitWarning } = process;
  // Node 22 says on loading that it is experimental, which is nothing that a user can act on.
  process.emitWarning = () => undefined;
  try {
    const sqlite = /** @type {any} */ (process).getBuiltinModule?.("node:sqlite");
    if (!sqlite?.backup) throw new Error("Node's SQLite is missing or too old");
    const database = new sqlite.DatabaseSync(":memory:");
    const { text } = database.prepare("SELECT ? AS text").get("a\0b");
    database.close();
    // Before 24.16, and in 26.0.
    if (text !== "a\0b") throw new Error("Node's SQLite cuts texts at the character NUL");
    return { nativeBinding: createNodeAddon(sqlite) };
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** In the order in which they are tried, the fastest first. @type {Record<string, () => Options>} */
const DRIVERS = { "better-sqlite3": loadBuilt, node: loadNode, "better-sqlite3-napi": loadNodeApi };

/** @param {string} name @returns {Driver | Error} the reason why it cannot be used */
function tryDriver(name) {
  try {
    return { name, options: /** @type {() => Options} */ (DRIVERS[name])() };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** @returns {Driver} @throws Error that says what to do */
function chooseDriver() {
  const { [VARIABLE]: wanted } = process.env;
  const names = Object.keys(DRIVERS);
  if (wanted && !names.includes(wanted)) {
    throw new Error(`${VARIABLE} is "${wanted}". Set it to ${names.join(", ")}, or unset it.`);
  }
  const reasons = [];
  for (const name of wanted ? [wanted] : names) {
    const found = tryDriver(name);
    if (!(found instanceof Error)) return found;
    reasons.push(found.message.replace(/\s+/g, " ").slice(0, 200));
  }
  const self = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  if (wanted)
    throw new Error(`${VARIABLE} is "${wanted}", which ${self} cannot load (${reasons[0]}). Unset ${VARIABLE}.`);
  const isOther = reasons.some((reason) => /different Node\.js version|NODE_MODULE_VERSION/.test(reason));
  throw new Error(
    isOther
      ? `SQLite was built for another version of Node; this is ${self}. ${WAY_OUT}, or the Node that installed Toolroom.`
      : `Toolroom comes without SQLite for ${self}. ${WAY_OUT}.`,
  );
}

/** @type {Driver | undefined} */
let chosen;

/** Those that this Node can load. */
export function listDrivers() {
  return Object.keys(DRIVERS).flatMap((name) => {
    const found = tryDriver(name);
    return found instanceof Error ? [] : [found];
  });
}

/** @returns {Driver} the driver of this process @throws Error that says what to do */
export function getSqliteDriver() {
  chosen ??= chooseDriver();
  return chosen;
}

/** @returns {string} such as `SQLite 3.54.1 (node)` @throws Error that says what to do */
export function describeSqlite() {
  const database = new Database(":memory:");
  const version = database.prepare("SELECT sqlite_version()").pluck().get();
  database.close();
  return `SQLite ${version} (${getSqliteDriver().name})`;
}

/** A database of better-sqlite3's interface, on the driver of this process. */
export default class Database extends BetterSqlite3 {
  /** @param {string} [filename] @param {BetterSqlite3.Options} [options] */
  constructor(filename, options) {
    super(filename, Object.assign({}, options, getSqliteDriver().options));
  }
}
