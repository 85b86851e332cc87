import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./project-root.mjs";

const HEAD_LINES = 8;
const TAIL_LINES = 25;
/** Enough for any report that is parsed afterwards, bounded for endless output. */
const MAX_CAPTURED_CHARS = 4_000_000;

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

/** A failed step: what failed, its last output, and what to do next. */
export class StepError extends Error {
  /** @param {string} message @param {{ output?: string, wayOut?: string }} [details] */
  constructor(message, details = {}) {
    super(message);
    this.name = "StepError";
    this.output = details.output ?? "";
    this.wayOut = details.wayOut ?? "";
  }
}

/** Turns an error of the server's code into a failed step, which is shown without its stack. @param {unknown} error @returns {never} */
export function failStep(error) {
  throw new StepError(error instanceof Error ? error.message : String(error));
}

/**
 * Runs a program to its end. Never rejects: a program that cannot be started has code 127, one that outlives
 * `timeoutMs` is ended and has code 124, as in a shell.
 * @param {string} file
 * @param {string[]} args
 * @param {{ env?: Record<string, string | undefined>, show?: boolean, timeoutMs?: number, shell?: boolean, cwd?: string }} [options]
 *   `show` passes the output through as it comes; it is captured either way.
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runCommand(file, args, options = {}) {
  return new Promise((resolve) => {
    let output = "";
    let timedOut = false;
    const child = spawn(file, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      shell: options.shell ?? false,
    });
    running.add(child);
    const timer =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            child.kill("SIGTERM");
            setTimeout(() => child.kill("SIGKILL"), 2_000).unref();
          }, options.timeoutMs);
    /** @param {NodeJS.WriteStream} target */
    const keep = (target) => (/** @type {Buffer} */ chunk) => {
      if (output.length < MAX_CAPTURED_CHARS) output += chunk.toString("utf8");
      if (options.show) target.write(chunk);
    };
    child.stdout.on("data", keep(process.stdout));
    child.stderr.on("data", keep(process.stderr));
    const settle = (/** @type {number} */ code) => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ code: timedOut ? 124 : code, output });
    };
    child.on("error", (error) => {
      output += error.message;
      settle(127);
    });
    child.on("close", (code, signal) => settle(code ?? (signal ? 1 : 0)));
  });
}

/** Forwards a signal to the running programs, after Ctrl+C. */
export function endRunningCommands() {
  for (const child of running) child.kill("SIGTERM");
}

/** Returns the last lines of a failed command's output, and the first, where some programs put the cause. @param {string} output */
export function excerpt(output) {
  const lines = output.trimEnd().split("\n");
  const left = lines.length - HEAD_LINES - TAIL_LINES;
  if (left <= 1) return lines.join("\n");
  return [...lines.slice(0, HEAD_LINES), `… ${left} lines …`, ...lines.slice(-TAIL_LINES)].join("\n");
}

/**
 * The script behind a package's command, so that it runs under this very Node, without npx and without a shell.
 * @param {string} packageName @param {string} [binName]
 */
export function packageBin(packageName, binName = packageName) {
  const directory = path.join(ROOT, "node_modules", packageName);
  const manifestFile = path.join(directory, "package.json");
  if (!existsSync(manifestFile)) {
    throw new StepError(`The package ${packageName} is not installed.`, { wayOut: "Run: npm ci" });
  }
  const { bin } = JSON.parse(readFileSync(manifestFile, "utf8"));
  const relative = typeof bin === "string" ? bin : bin[binName];
  return path.join(directory, relative);
}

/**
 * npm as it was started, else the one on the PATH (a batch file on Windows, which needs a shell).
 * @param {string[]} args @param {Parameters<typeof runCommand>[2]} [options]
 */
export function runNpm(args, options = {}) {
  const own = process.env.npm_execpath;
  if (own?.endsWith(".js") && path.basename(own).startsWith("npm") && existsSync(own)) {
    return runCommand(process.execPath, [own, ...args], options);
  }
  return runCommand("npm", args, { ...options, shell: process.platform === "win32" });
}
