import { spawn } from "node:child_process";
import path from "node:path";

const MAIN = path.join(import.meta.dirname, "main.mjs");
/** Loading the driver and interviewing six devices takes some ten seconds, more on a busy machine. */
const START_TIMEOUT_MS = 90_000;
const END_TIMEOUT_MS = 4_000;

/**
 * The simulated network's process: started when its address is first asked for, and again when it has died.
 * @param {(message: string) => void} log
 */
export function createSimulatedNetwork(log) {
  /** @type {import("node:child_process").ChildProcess | null} */
  let child = null;
  /** @type {Promise<string> | null} */
  let address = null;

  /** @returns {Promise<string>} */
  const start = () =>
    new Promise((resolve, reject) => {
      // Its stdout is this process's stderr, to the operating system: nothing it prints can reach the client.
      const started = spawn(process.execPath, [MAIN], { stdio: ["ignore", 2, 2, "ipc"] });
      child = started;
      log(`the simulated network is process ${started.pid}`);
      const timer = setTimeout(() => started.kill("SIGKILL"), START_TIMEOUT_MS);
      started.once("message", (message) => {
        clearTimeout(timer);
        resolve(/** @type {{ url: string }} */ (message).url);
      });
      started.once("error", reject);
      started.once("exit", (code, signal) => {
        clearTimeout(timer);
        child = null;
        address = null;
        log(`the simulated network ended (${signal ?? `code ${code}`})`);
        reject(new Error("the simulated network could not be started, see this server's stderr"));
      });
    });

  return {
    locate() {
      address ??= start();
      return address;
    },
    /** Settles when the process is gone. */
    async end() {
      const running = child;
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const gone = new Promise((resolve) => running.once("exit", resolve));
      const timer = setTimeout(() => running.kill("SIGKILL"), END_TIMEOUT_MS);
      if (running.connected) running.disconnect();
      running.kill("SIGTERM");
      await gone;
      clearTimeout(timer);
    },
  };
}
