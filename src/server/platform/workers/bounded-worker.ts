import { getMessage } from "../../../lib/get-message";
import type { StartWorker, WorkerHandle, WorkerMessage } from "./start-worker";

interface Job {
  id: number;
  message: object;
  limitMs: number;
  resolve: (answer: WorkerAnswer) => void;
}

export type WorkerAnswer =
  | { kind: "answer"; value: unknown }
  /** The job itself failed, and not its thread. */
  | { kind: "failed"; message: string }
  /** The worker ended during the job: out of memory, for example. */
  | { kind: "died"; message: string }
  /** The job was not started. */
  | { kind: "refused"; cause: "stopping" | "overloaded" | "start_failed"; message: string }
  | { kind: "cancelled"; message: string }
  | { kind: "timeout" };

const STOPPING: WorkerAnswer = { kind: "refused", cause: "stopping", message: "the server is stopping" };
const CANCELLED: WorkerAnswer = { kind: "cancelled", message: "cancelled" };
const OVERLOADED: WorkerAnswer = { kind: "refused", cause: "overloaded", message: "too many checks are waiting" };

export interface BoundedWorkerOptions {
  start: StartWorker;
  /** Counted from when the worker takes the job, not while it waits or the worker starts. */
  limitMs: number;
  /** The meaning of the worker's end without an error. */
  exitReason: string;
  /** Further jobs are refused. */
  maxWaiting?: number;
  /** Replaces an ended worker immediately instead of with the next job, since its start takes long. */
  keepWarm?: boolean;
  /** Ends a worker that has had no job for so long; the next job gets a new one. */
  idleMs?: number;
}

/**
 * A worker that does one job at a time under a time limit. A job that exceeds it, or is cancelled, ends the worker; the
 * next job gets a new one. An idle worker does not keep the process alive.
 */
export class BoundedWorker {
  readonly #options: BoundedWorkerOptions;
  readonly #waiting: Job[] = [];
  #worker: WorkerHandle | null = null;
  #ready = false;
  #idle: NodeJS.Timeout | undefined;
  #current: { job: Job; timer: NodeJS.Timeout } | null = null;
  #nextId = 1;
  #closed = false;

  constructor(options: BoundedWorkerOptions) {
    this.#options = options;
  }

  get load(): number {
    return this.#waiting.length + (this.#current ? 1 : 0);
  }

  /** @param limitMs of this job, where it differs from the worker's */
  run(message: object, { limitMs, signal }: { limitMs?: number; signal?: AbortSignal } = {}): Promise<WorkerAnswer> {
    const { maxWaiting = Number.POSITIVE_INFINITY } = this.#options;
    if (signal?.aborted) return Promise.resolve(CANCELLED);
    if (this.#closed) return Promise.resolve(STOPPING);
    if (this.#waiting.length >= maxWaiting) return Promise.resolve(OVERLOADED);
    return new Promise((resolve) => {
      const job: Job = { id: this.#nextId++, message, limitMs: limitMs ?? this.#options.limitMs, resolve };
      this.#waiting.push(job);
      signal?.addEventListener("abort", () => this.#cancel(job), { once: true });
      this.#pump();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#retire(STOPPING);
    this.#refuseWaiting(STOPPING);
    // An idle worker does not keep the process alive, but its end is awaited here.
    worker?.hold(true);
    await worker?.end();
  }

  #cancel(job: Job): void {
    const position = this.#waiting.indexOf(job);
    if (position >= 0) {
      this.#waiting.splice(position, 1);
      job.resolve(CANCELLED);
    } else if (this.#current?.job === job) this.#end(CANCELLED);
  }

  #pump(): void {
    if (this.#current || this.#waiting.length === 0) return;
    clearTimeout(this.#idle);
    const worker = this.#worker ?? this.#start();
    worker.hold(true);
    if (!this.#ready) return;
    const job = this.#waiting.shift();
    if (!job) return;
    const timer = setTimeout(() => this.#end({ kind: "timeout" }), job.limitMs);
    this.#current = { job, timer };
    worker.post({ ...job.message, id: job.id });
  }

  #start(): WorkerHandle {
    const worker = this.#options.start({
      onMessage: (message) => {
        if (worker === this.#worker) this.#receive(message, worker);
      },
      onEnd: (error) => {
        if (worker === this.#worker) this.#lose(error === undefined ? this.#options.exitReason : getMessage(error));
      },
    });
    this.#worker = worker;
    this.#ready = false;
    return worker;
  }

  #receive({ ready, id, value, failed }: WorkerMessage, worker: WorkerHandle): void {
    if (ready) this.#ready = true;
    else if (id === this.#current?.job.id) {
      this.#settle(failed === undefined ? { kind: "answer", value } : { kind: "failed", message: failed });
    }
    this.#pump();
    if (this.load > 0) return;
    worker.hold(false);
    const { idleMs } = this.#options;
    if (idleMs !== undefined) this.#idle = setTimeout(() => this.#end(STOPPING), idleMs).unref();
  }

  /** The worker ended on its own. */
  #lose(message: string): void {
    const isStarting = !this.#ready;
    this.#retire({ kind: "died", message });
    // A worker that cannot start would otherwise be started forever.
    if (isStarting) this.#refuseWaiting({ kind: "refused", cause: "start_failed", message });
    this.#pump();
  }

  #end(answer: WorkerAnswer): void {
    const worker = this.#worker;
    this.#retire(answer);
    void worker?.end();
    if (this.#options.keepWarm) this.#start().hold(false);
    this.#pump();
  }

  #settle(answer: WorkerAnswer): void {
    if (!this.#current) return;
    clearTimeout(this.#current.timer);
    const { job } = this.#current;
    this.#current = null;
    job.resolve(answer);
  }

  #refuseWaiting(answer: WorkerAnswer): void {
    for (const job of this.#waiting.splice(0)) job.resolve(answer);
  }

  #retire(answer: WorkerAnswer): void {
    clearTimeout(this.#idle);
    this.#settle(answer);
    this.#worker = null;
    this.#ready = false;
  }
}
