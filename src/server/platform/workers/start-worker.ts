import { fork } from "node:child_process";
import { Worker } from "node:worker_threads";
import { bundleWorker } from "./bundle-worker";

interface WorkerProgram {
  /** Its TypeScript, from the project's folder. */
  source: string;
  /** The largest size of its heap in MB. */
  heapMb: number;
  /** A process of its own, for work that can end the process that does it. */
  isProcess?: true;
}

const FOLDER = "src/server/platform/workers";

/** Every worker that does work on untrusted input. */
export const WORKERS = {
  validation: { source: `${FOLDER}/validation-worker.ts`, heapMb: 512 },
  verdict: { source: `${FOLDER}/verdict-worker.ts`, heapMb: 256 },
  traffic: { source: "src/server/main/traffic-worker.ts", heapMb: 256 },
  /** Enough for a result of about 25 MB of small values. */
  lens: { source: `${FOLDER}/lens-worker.ts`, heapMb: 256 },
  redaction: { source: "src/server/platform/conditions/redaction-worker.ts", heapMb: 256 },
  math: { source: `${FOLDER}/math-worker.ts`, heapMb: 128, isProcess: true },
  configText: { source: `${FOLDER}/config-text-worker.ts`, heapMb: 192, isProcess: true },
  openApi: { source: "src/server/openapi/openapi-worker.ts", heapMb: 1024 },
} satisfies Record<string, WorkerProgram>;

/** A thread or child process that does one job after the other. */
export interface WorkerHandle {
  post(message: object): void;
  /** Whether the worker keeps this process alive. */
  hold(isBusy: boolean): void;
  /** Ends the worker at any point of its work; resolves when it has ended. */
  end(): Promise<unknown>;
}

/** `ready` is sent once, after the start; then one message with the job's id for each job. */
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

/** The program is bundled at each start, where it is not current; one that cannot be bundled ends with the reason. */
export function createStart(home: string, { source, heapMb, isProcess }: WorkerProgram): StartWorker {
  return (events) => {
    try {
      const file = bundleWorker(home, source);
      return isProcess ? startProcess(file, heapMb, events) : startThread(file, heapMb, events);
    } catch (error) {
      queueMicrotask(() => events.onEnd(error instanceof Error ? error : new Error(String(error))));
      return { post: () => undefined, hold: () => undefined, end: async () => undefined };
    }
  };
}

function startThread(file: string, heapMb: number, { onMessage, onEnd }: WorkerEvents): WorkerHandle {
  const thread = new Worker(file, {
    stdout: false,
    stderr: false,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  });
  thread.on("message", onMessage);
  thread.on("error", onEnd);
  thread.on("exit", () => onEnd());
  return {
    post: (message) => thread.postMessage(message),
    hold: (isBusy) => (isBusy ? thread.ref() : thread.unref()),
    end: () => thread.terminate(),
  };
}

function startProcess(file: string, heapMb: number, { onMessage, onEnd }: WorkerEvents): WorkerHandle {
  const child = fork(file, {
    execArgv: [`--max-old-space-size=${heapMb}`],
    // Passes none of the server's environment; Next's types insist on NODE_ENV.
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
}
