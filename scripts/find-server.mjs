import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, realpathSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { STOP_PATH } from "./control.mjs";
import { PLATFORM } from "./move-file.mjs";
import { ROOT } from "./project-root.mjs";
import {
  findConfiguration,
  isAlive,
  readRunningServer,
  serverFile,
  serverStatus,
  signControlRequest,
} from "./running-server.mjs";

/** Generous, since the first start builds the console. */
const START_LIMIT_MS = 300_000;
const LOOK_AGAIN_MS = 200;
const END_LIMIT_MS = 15_000;
const STOP_REQUEST_LIMIT_MS = 2_000;
const READY = /Toolroom is ready: (http:\/\/\S+)/;

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Only one of several gateways that find no server may start one. @param {string} file */
function takeLock(file) {
  mkdirSync(path.dirname(file), { recursive: true });
  try {
    const handle = openSync(file, "wx", 0o600);
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch {
    const holder = Number(readFileSafely(file));
    // A dead holder's lock is taken in the next round. A file without a pid is being written now.
    if (holder > 0 && !isAlive(holder)) rmSync(file, { force: true });
    return false;
  }
}

/** @param {string} file */
function readFileSafely(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Spelled in another case, or through a link, a file is the same one. @param {string} one @param {string} other */
function isSameFile(one, other) {
  if (one === other || one === "" || other === "") return one === other;
  try {
    return realpathSync.native(one) === realpathSync.native(other);
  } catch {
    return false;
  }
}

/**
 * A caller that names a configuration gets no other: one database has one server.
 * @param {string} url @param {string | undefined} config of the server there; undefined where it is not known
 */
function demandConfiguration(url, config) {
  const wanted = findConfiguration(ROOT);
  if (wanted === "" || config === undefined || isSameFile(config, wanted)) return;
  const used = config === "" ? "the usual configuration" : config;
  throw new Error(
    `The Toolroom at ${url} has this data with ${used}, not with ${wanted}. Stop it, or set TOOLROOM_CONFIG to what it uses`,
  );
}

/** @param {string} url empty before the server is ready @param {string} file the note of the running server */
async function requestStop(url, file) {
  if (url === "") return false;
  try {
    const response = await fetch(new URL(STOP_PATH, url), {
      method: "POST",
      headers: signControlRequest(file, STOP_PATH, ""),
      redirect: "error",
      signal: AbortSignal.timeout(STOP_REQUEST_LIMIT_MS),
    });
    return response.ok;
  } catch {
    return false;
  }
}

/** Finds this project's running Toolroom, or starts one and stops it afterwards. */
export class ToolroomServer {
  #file = serverFile(ROOT, process.env.DATABASE_URL);
  #startScript;
  #platform;
  /** Address of the server that this process started; empty before the start. */
  #startedUrl = "";
  /** @type {import("node:child_process").ChildProcess | null} */
  #child = null;

  /** @param {{ startScript?: string, platform?: NodeJS.Platform }} [options] */
  constructor({ startScript = path.join(ROOT, "scripts/start.mjs"), platform = PLATFORM } = {}) {
    this.#startScript = startScript;
    this.#platform = platform;
  }

  /** The address that was reported last. */
  #reported = "";

  /** @returns {Promise<string>} its URL, once it has started. @throws Error with the reason when there is none */
  async find() {
    const given = process.env.TOOLROOM_URL;
    if (given) return this.#report(given, "TOOLROOM_URL");
    return this.#report(await this.#findOwn(), `the data in ${path.dirname(this.#file)}`);
  }

  /** Stdout is the protocol's. @param {string} url @param {string} reason */
  #report(url, reason) {
    // The origin alone: an address may hold a password.
    if (url !== this.#reported) console.error(`Using the Toolroom at ${new URL(url).origin} (${reason}).`);
    this.#reported = url;
    return url;
  }

  async #findOwn() {
    const deadline = Date.now() + START_LIMIT_MS;
    while (Date.now() < deadline) {
      const { url, status, config } = await this.#look();
      if (status !== null) demandConfiguration(url, config);
      // A failing server explains itself in its responses.
      if (status === "ok" || status === "failing") return url;
      // Wait for a server that is starting or stopping: two would share a database.
      if (status === null && takeLock(this.#lock)) return await this.#start(deadline);
      await sleep(LOOK_AGAIN_MS);
    }
    throw new Error("Toolroom did not start within the time limit");
  }

  get #lock() {
    return `${this.#file}.lock`;
  }

  /** The registered server, else one at the default URL. Only one that proves to use this database counts. */
  async #look() {
    const noted = readRunningServer(this.#file);
    if (noted !== null && isAlive(noted.pid)) {
      const status = await serverStatus(noted.url, this.#file);
      if (status !== null) return { url: noted.url, status, config: noted.config };
    }
    const url = `http://127.0.0.1:${process.env.PORT || 3000}`;
    return { url, status: await serverStatus(url, this.#file), config: undefined };
  }

  /** @param {number} deadline @returns {Promise<string>} */
  async #start(deadline) {
    console.error("No running Toolroom was found: starting one.");
    const child = spawn(process.execPath, [this.#startScript], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
      // With a command's name it ends when this process ends: see entry-point.mjs.
      env: { ...process.env, PORT: "0", HOST: "127.0.0.1", npm_lifecycle_event: "mcp" },
    });
    this.#child = child;
    let said = "";
    child.stdout.on("data", (/** @type {Buffer} */ chunk) => {
      process.stderr.write(chunk);
      if (!READY.test(said)) said += chunk.toString();
    });
    try {
      while (Date.now() < deadline) {
        const url = READY.exec(said)?.[1];
        if (url !== undefined) {
          this.#startedUrl = url;
          return url;
        }
        if (child.exitCode !== null || child.signalCode !== null) throw new Error("Toolroom could not be started");
        await sleep(LOOK_AGAIN_MS / 4);
      }
      throw new Error("Toolroom did not start within the time limit");
    } catch (error) {
      await this.end();
      throw error;
    } finally {
      rmSync(this.#lock, { force: true });
    }
  }

  /** Ends the server if it was started here. */
  async end() {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // On Windows a signal ends a process at once: running calls of other clients would be cut.
    const isAsked = this.#platform === "win32" && (await requestStop(this.#startedUrl, this.#file));
    if (!isAsked) child.kill("SIGTERM");
    const cut = setTimeout(() => child.kill("SIGKILL"), END_LIMIT_MS);
    await ended;
    clearTimeout(cut);
  }
}
