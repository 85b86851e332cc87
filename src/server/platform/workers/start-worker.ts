import { fork } from "node:child_process";
import { Worker } from "node:worker_threads";

/** A thread or child process that does one job after the other. */
export interface WorkerHandle {
  post(message: object): void;
  /** Whether the worker keeps this process alive. */
  hold(isBusy: boolean): void;
  /** Ends the worker, whatever it does; resolves when it has ended. */
  end(): Promise<unknown>;
}

/** `ready` comes once, after the start; then one message with the job's id for each job. */
export interface WorkerMessage {
  ready?: true;
  id?: number;
  value?: unknown;
  failed?: string;
}

export interface WorkerEvents {
  onMessage(message: WorkerMessage): void;
  /** May be called twice for one end: with the error, then without. */
  onEnd(error?: Error): void;
}

export type StartWorker = (events: WorkerEvents) => WorkerHandle;

/** The young generation of a thread's heap; V8's own choice grows with the machine's memory. */
const YOUNG_HEAP_MB = 32;

/** @param file names the module that the thread runs; it is asked at each start and may throw */
export function startThread(file: string | (() => string), heapMb: number): StartWorker {
  return ({ onMessage, onEnd }) => {
    let thread: Worker;
    try {
      thread = new Worker(typeof file === "string" ? file : file(), {
        stdout: false,
        stderr: false,
        resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
      });
    } catch (error) {
      queueMicrotask(() => onEnd(error instanceof Error ? error : new Error(String(error))));
      return { post: () => undefined, hold: () => undefined, end: async () => undefined };
    }
    thread.on("message", onMessage);
    thread.on("error", onEnd);
    thread.on("exit", () => onEnd());
    return {
      post: (message) => thread.postMessage(message),
      hold: (isBusy) => (isBusy ? thread.ref() : thread.unref()),
      end: () => thread.terminate(),
    };
  };
}

export function startProcess(file: string, heapMb: number): StartWorker {
  return ({ onMessage, onEnd }) => {
    const child = fork(file, {
      execArgv: [`--max-old-space-size=${heapMb}`],
      // Nothing of the server's environment; Next's types insist on NODE_ENV.
      env: { NODE_ENV: "production" },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child.on("message", onMessage);
    child.on("error", onEnd);
    child.on("exit", () => onEnd());
    return {
      post: (message) => child.send(message),
      hold(isBusy) {
        for (const handle of [child, child.channel]) {
          if (isBusy) handle?.ref();
          else handle?.unref();
        }
      },
      async end() {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = new Promise((resolve) => child.once("exit", resolve));
        child.kill("SIGKILL");
        await ended;
      },
    };
  };
}
