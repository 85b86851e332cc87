import { ROOT } from "./project-root.mjs";
import { endRunningCommands, StepError } from "./run-command.mjs";

/** @param {unknown} error */
export function explain(error) {
  if (!(error instanceof StepError)) {
    console.error(error);
    return;
  }
  if (error.output) console.error(`\n${error.output}`);
  console.error(`\n${error.message}`);
  if (error.wayOut) console.error(error.wayOut);
}

const ORPHAN_CHECK_MS = 300;
let isFollowing = false;

/**
 * npm passes a signal to the shell between it and this process, and not every shell passes it on: when that shell is
 * gone in two consecutive checks and no signal has arrived, this process signals itself.
 */
export function followNpm() {
  if (process.env.npm_lifecycle_event === undefined || isFollowing) return;
  isFollowing = true;
  const shell = process.ppid;
  let orphanedLooks = 0;
  const watch = setInterval(() => {
    orphanedLooks = process.ppid === shell ? 0 : orphanedLooks + 1;
    if (orphanedLooks < 2) return;
    clearInterval(watch);
    // On Windows a signal to a process ends it without its handlers.
    if (process.platform !== "win32") process.kill(process.pid, "SIGTERM");
    else if (!process.emit("SIGTERM", "SIGTERM")) process.exit(143);
  }, ORPHAN_CHECK_MS);
  watch.unref();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => clearInterval(watch));
}

/**
 * Runs a command's body: a failure exits with code 1 and a hint, a signal with the shell's code.
 * @param {(release: () => void) => Promise<void>} body `release` removes the signal handlers, so that the caller can add its own
 */
export async function runEntryPoint(body) {
  process.chdir(ROOT);
  followNpm();
  const onSignal = (/** @type {NodeJS.Signals} */ signal) => {
    endRunningCommands();
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  const release = () => {
    process.removeListener("SIGINT", onSignal);
    process.removeListener("SIGTERM", onSignal);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  try {
    await body(release);
  } catch (error) {
    explain(error);
    process.exit(1);
  }
}
