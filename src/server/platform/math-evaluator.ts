import { getMessage } from "../../lib/get-message";
import { BoundedWorker } from "./workers/bounded-worker";
import { createStart, WORKERS } from "./workers/start-worker";

type ScalarEvaluator = typeof import("./workers/math-expression");

const MAX_EXPRESSION_CHARS = 10_000;

/**
 * mathjs, bounded. Plain arithmetic is evaluated in this process, where its cost follows from its length. Everything else
 * (matrices, ranges, user functions) runs in one warm child process with a 128 MB heap, ended when a calculation passes
 * `limitMs` or is cancelled.
 */
export class MathEvaluator {
  readonly #worker: BoundedWorker;
  readonly #limitMs: number;
  /** Loaded with the first calculation, since mathjs takes 90 MB. A load that fails is never retried: the child does all then. */
  #inProcess: Promise<ScalarEvaluator | null> | null = null;

  constructor(options: { home: string; limitMs?: number | undefined }) {
    this.#limitMs = options.limitMs ?? 5000;
    this.#worker = new BoundedWorker({
      start: createStart(options.home, WORKERS.math),
      limitMs: this.#limitMs,
      exitReason: `The calculation needs more memory than allowed (${WORKERS.math.heapMb} MB)`,
      keepWarm: true,
    });
  }

  /** @throws Error with a message that says what is wrong with the expression */
  async evaluate(expression: string, signal: AbortSignal): Promise<unknown> {
    if (expression.trim() === "") throw new Error("The expression is empty");
    if (expression.length > MAX_EXPRESSION_CHARS) {
      throw new Error(`The expression is longer than ${MAX_EXPRESSION_CHARS} characters`);
    }
    this.#inProcess ??= import("./workers/math-expression").catch(() => null);
    const local = await this.#inProcess;
    try {
      if (local?.isScalar(expression)) return { result: local.evaluate(expression) };
    } catch (error) {
      throw invalidExpression(getMessage(error));
    }
    return { result: await this.#evaluateInChild(expression, signal) };
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  async #evaluateInChild(expression: string, signal: AbortSignal): Promise<unknown> {
    const answer = await this.#worker.run({ expression }, { signal });
    switch (answer.kind) {
      case "answer":
        return answer.value;
      case "failed":
        throw invalidExpression(answer.message);
      case "died":
        throw new Error(answer.message);
      case "timeout":
        throw new Error(`The calculation took longer than ${this.#limitMs} ms and was stopped`);
      case "cancelled":
        throw new Error("Cancelled");
      case "refused":
        throw new Error(answer.cause === "stopping" ? "The server is stopping" : "The calculator could not be started");
    }
  }
}

const invalidExpression = (message: string): Error => new Error(`Invalid expression: ${message}`);
