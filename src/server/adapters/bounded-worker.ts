import { Worker } from "node:worker_threads";
import { messageOf } from "../../lib/message-of";

/** Past this a caller is told at once: at two seconds each the last would wait for minutes. */
const MAX_WAITING = 100;

interface Job {
  id: number;
  message: Record<string, unknown>;
  resolve: (answer: WorkerAnswer) => void;
}

export type WorkerAnswer =
  | { kind: "answer"; errors: unknown }
  | { kind: "failed"; message: string }
  | { kind: "timeout" };

/**
 * One worker thread that does one job at a time under a time limit. A job that passes it costs the thread its life; the
 * next job gets a new one. Idle threads do not keep the process alive.
 */
export class BoundedWorker {
  readonly #file: string;
  readonly #limitMs: number;
  readonly #waiting: Job[] = [];
  #worker: Worker | null = null;
  #ready = false;
  #current: { job: Job; timer: NodeJS.Timeout } | null = null;
  #nextId = 1;
  #closed = false;

  /** @param limitMs counted from when the thread takes the job, not while it waits or the thread starts */
  constructor(file: string, limitMs: number) {
    this.#file = file;
    this.#limitMs = limitMs;
  }

  get load(): number {
    return this.#waiting.length + (this.#current ? 1 : 0);
  }

  run(message: Record<string, unknown>): Promise<WorkerAnswer> {
    if (this.#closed) return Promise.resolve({ kind: "failed", message: "the server is stopping" });
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.resolve({ kind: "failed", message: "too many checks are waiting" });
    }
    return new Promise((resolve) => {
      this.#waiting.push({ id: this.#nextId++, message, resolve });
      this.#pump();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#retire({ kind: "failed", message: "the server is stopping" });
    for (const job of this.#waiting.splice(0)) job.resolve({ kind: "failed", message: "the server is stopping" });
    // An idle thread does not keep the process alive, but what is waited for here must.
    worker?.ref();
    await worker?.terminate();
  }

  #pump(): void {
    if (this.#current || this.#waiting.length === 0) return;
    if (!this.#worker) this.#spawn();
    this.#worker?.ref();
    if (!this.#ready) return;
    const job = this.#waiting.shift();
    if (!job) return;
    const timer = setTimeout(() => {
      const worker = this.#worker;
      this.#retire({ kind: "timeout" });
      void worker?.terminate();
      this.#pump();
    }, this.#limitMs);
    this.#current = { job, timer };
    this.#worker?.postMessage({ ...job.message, id: job.id });
  }

  #spawn(): void {
    const worker = new Worker(this.#file, { stdout: false, stderr: false });
    this.#worker = worker;
    this.#ready = false;
    worker.on("message", (message: { ready?: true; id?: number; errors?: unknown; failed?: string }) => {
      if (worker !== this.#worker) return;
      if (message.ready) this.#ready = true;
      else if (this.#current && message.id === this.#current.job.id) {
        this.#settle(
          message.failed === undefined
            ? { kind: "answer", errors: message.errors }
            : { kind: "failed", message: message.failed },
        );
      }
      this.#pump();
      if (!this.#current && this.#waiting.length === 0) worker.unref();
    });
    const died = (reason: string): void => {
      if (worker !== this.#worker) return;
      const starting = !this.#ready;
      this.#retire({ kind: "failed", message: reason });
      // A thread that cannot even start would be started for ever.
      if (starting) for (const job of this.#waiting.splice(0)) job.resolve({ kind: "failed", message: reason });
      this.#pump();
    };
    worker.on("error", (error) => died(messageOf(error)));
    worker.on("exit", () => died("the validation thread ended"));
  }

  #settle(answer: WorkerAnswer): void {
    if (!this.#current) return;
    clearTimeout(this.#current.timer);
    const { job } = this.#current;
    this.#current = null;
    job.resolve(answer);
  }

  #retire(answer: WorkerAnswer): void {
    this.#settle(answer);
    this.#worker = null;
    this.#ready = false;
  }
}
