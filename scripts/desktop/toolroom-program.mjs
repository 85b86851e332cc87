import { spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { STOP_PATH } from "../control.mjs";
import { signControlRequest } from "../running-server.mjs";

const READY = /^Toolroom is ready: (http:\/\/\S+)\s*$/m;
const START_LIMIT_MS = 90_000;
const END_LIMIT_MS = 30_000;
const POLL_MS = 50;

/** @param {() => unknown} condition @param {string} what @param {number} limitMs */
export async function waitFor(condition, what, limitMs = END_LIMIT_MS) {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`It took longer than ${limitMs / 1000} s: ${what}`);
    await sleep(POLL_MS);
  }
}

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Variables of the caller that would lead the program to its own database, port or npm. */
const OWN = /^(?:npm_|TOOLROOM_|DATABASE_|PORT$|HOST$|CI$|INIT_CWD$|NODE$)/i;

/** The installed program, run as its user would. */
export class ToolroomProgram {
  /** @type {import("node:child_process").ChildProcess | null} */
  #child = null;
  #output = "";
  url = "";
  /** @param {{ program: string, data: string, home: string, env: Record<string, string> }} options */
  constructor({ program, data, home, env }) {
    this.program = program;
    this.data = data;
    this.home = home;
    const kept = Object.entries(process.env).filter(([name]) => !OWN.test(name));
    this.env = Object.assign(Object.fromEntries(kept), env, {
      HOME: home,
      USERPROFILE: home,
      APPDATA: path.join(home, "AppData", "Roaming"),
      LOCALAPPDATA: path.join(home, "AppData", "Local"),
    });
  }

  /** @param {string[]} words @returns {import("node:child_process").ChildProcess} */
  #spawn(words) {
    return spawn(process.execPath, [this.program, ...words], {
      cwd: this.home,
      env: this.env,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
  }

  /** Runs a command to its end. @param {string[]} words @returns {Promise<string>} what it printed on stdout */
  async run(words) {
    const child = this.#spawn(words);
    let output = "";
    let errors = "";
    child.stdout?.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      errors += chunk;
    });
    const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
    if (code !== 0) throw new Error(`toolroom ${words.join(" ")} ended with ${code}:\n${output}${errors}`);
    return output;
  }

  /** Starts the server and waits until it is ready. */
  async start() {
    const child = this.#spawn(["--port", "0", "--data", this.data]);
    this.#child = child;
    this.#output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk) => {
        this.#output += chunk;
      });
    }
    let hasEnded = false;
    const noteEnd = () => {
      hasEnded = true;
    };
    child.once("exit", noteEnd).once("error", noteEnd);
    try {
      await waitFor(() => hasEnded || READY.test(this.#output), "the start", START_LIMIT_MS);
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : error}\n${this.#output}`);
    }
    const [, url] = READY.exec(this.#output) ?? [];
    if (url === undefined) throw new Error(`Toolroom did not start:\n${this.#output}`);
    this.url = url;
  }

  /** Ends it as no program can prevent. */
  async kill() {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  /** Asks it to drain and end, as a command of its user does. */
  async stop() {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const note = path.join(this.data, "toolroom.db.server.json");
    const headers = signControlRequest(note, STOP_PATH, "");
    const { status } = await fetch(new URL(STOP_PATH, this.url), { method: "POST", headers });
    if (status !== 202) throw new Error(`The request to stop was answered with ${status}`);
    const code = await ended;
    if (code !== 0) throw new Error(`Toolroom ended with ${code}:\n${this.#output}`);
  }

  /** A request of its REST API. @param {string} method @param {string} route @param {object} [body] @returns {Promise<any>} */
  async request(method, route, body) {
    const response = await fetch(`${this.url}/api/v1${route}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route} was answered with ${response.status}: ${text}`);
    return text === "" ? null : JSON.parse(text);
  }
}
