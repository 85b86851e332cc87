import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import { messageOf } from "../../lib/message-of";

interface Job {
  id: number;
  expression: string;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

const HEAP_MB = 128;
const MAX_EXPRESSION_CHARS = 10_000;

/**
 * mathjs, bounded. Plain arithmetic is evaluated in this process, where its cost follows from its length. Everything else
 * (matrices, ranges, user functions) runs in one warm child process with a 128 MB heap, ended when a calculation passes
 * `limitMs` or is cancelled.
 */
export class MathEvaluator {
  readonly #file: string;
  readonly #limitMs: number;
  readonly #waiting: Job[] = [];
  #child: ChildProcess | null = null;
  #ready = false;
  #current: { job: Job; timer: NodeJS.Timeout } | null = null;
  #nextId = 1;
  #closed = false;

  constructor(options: { rootDir: string; limitMs?: number | undefined }) {
    this.#file = path.join(options.rootDir, "src/server/adapters/workers/math-child.mjs");
    this.#limitMs = options.limitMs ?? 5000;
  }

  /** @throws Error with a message that says what is wrong with the expression */
  async evaluate(expression: string, signal: AbortSignal): Promise<unknown> {
    if (expression.trim() === "") throw new Error("The expression is empty");
    if (expression.length > MAX_EXPRESSION_CHARS) {
      throw new Error(`The expression is longer than ${MAX_EXPRESSION_CHARS} characters`);
    }
    const scalar = await import("./workers/math-evaluator.mjs");
    let inProcess = false;
    try {
      inProcess = scalar.isScalar(expression);
      if (inProcess) return { result: scalar.evaluate(expression) };
    } catch (error) {
      throw bad(messageOf(error));
    }
    return { result: await this.#runApart(expression, signal) };
  }

  /** Loads mathjs, so that the first calculation does not wait a second for it. */
  async warm(): Promise<void> {
    await import("./workers/math-evaluator.mjs");
  }

  async close(): Promise<void> {
    this.#closed = true;
    const child = this.#child;
    this.#drop(new Error("The server is stopping"));
    for (const job of this.#waiting.splice(0)) job.reject(new Error("The server is stopping"));
    if (child && child.exitCode === null && child.signalCode === null) {
      // An idle child does not keep the process alive, but what is waited for here must.
      child.ref();
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    }
  }

  #runApart(expression: string, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) return Promise.reject(new Error("Cancelled"));
    if (this.#closed) return Promise.reject(new Error("The server is stopping"));
    return new Promise((resolve, reject) => {
      const job: Job = { id: this.#nextId++, expression, resolve, reject };
      this.#waiting.push(job);
      signal.addEventListener("abort", () => this.#cancel(job), { once: true });
      this.#pump();
    });
  }

  #cancel(job: Job): void {
    const waiting = this.#waiting.indexOf(job);
    if (waiting >= 0) {
      this.#waiting.splice(waiting, 1);
      job.reject(new Error("Cancelled"));
    } else if (this.#current?.job === job) this.#kill(new Error("Cancelled"));
  }

  #pump(): void {
    if (this.#current || this.#waiting.length === 0) return;
    if (!this.#child) this.#spawn();
    this.#hold(true);
    if (!this.#ready) return;
    const job = this.#waiting.shift();
    if (!job) return;
    const timer = setTimeout(() => {
      this.#kill(new Error(`The calculation took longer than ${this.#limitMs} ms and was ended`));
    }, this.#limitMs);
    this.#current = { job, timer };
    this.#child?.send({ id: job.id, expression: job.expression });
  }

  #spawn(): void {
    const child = fork(this.#file, {
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
      // Nothing of the server's environment; Next's types insist on NODE_ENV.
      env: { NODE_ENV: "production" },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#child = child;
    this.#ready = false;
    child.on("message", (message: { ready?: true; id?: number; result?: unknown; failed?: string }) => {
      if (child !== this.#child) return;
      if (message.ready) this.#ready = true;
      else if (this.#current && message.id === this.#current.job.id) {
        const { job, timer } = this.#current;
        clearTimeout(timer);
        this.#current = null;
        if (message.failed === undefined) job.resolve(message.result);
        else job.reject(bad(message.failed));
      }
      this.#pump();
      if (!this.#current && this.#waiting.length === 0) this.#hold(false);
    });
    const died = (reason: string): void => {
      if (child !== this.#child) return;
      const starting = !this.#ready;
      if (starting) reason = "The calculator could not be started";
      this.#drop(new Error(reason));
      // A child that cannot even start would be started for ever.
      if (starting) for (const job of this.#waiting.splice(0)) job.reject(new Error(reason));
      this.#pump();
    };
    child.on("error", (error) => died(`The calculator could not be started: ${error.message}`));
    child.on("exit", () => died(`The calculation needs more memory than allowed (${HEAP_MB} MB)`));
  }

  #kill(error: Error): void {
    const child = this.#child;
    this.#drop(error);
    child?.kill("SIGKILL");
    // Warm again before somebody asks: a start takes about a second.
    if (!this.#closed) {
      this.#spawn();
      this.#hold(this.#waiting.length > 0);
    }
  }

  #drop(error: Error): void {
    if (this.#current) {
      clearTimeout(this.#current.timer);
      this.#current.job.reject(error);
      this.#current = null;
    }
    this.#child = null;
    this.#ready = false;
  }

  /** An idle child must not keep the process alive. */
  #hold(busy: boolean): void {
    const child = this.#child;
    if (!child) return;
    if (busy) {
      child.ref();
      child.channel?.ref();
    } else {
      child.unref();
      child.channel?.unref();
    }
  }
}

function bad(message: string): Error {
  return new Error(`Invalid expression: ${message}`);
}
