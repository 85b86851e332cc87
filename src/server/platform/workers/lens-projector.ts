import { MAX_LENS_CHARS } from "../../../lib/contract/lens";
import { getMessage } from "../../../lib/get-message";
import { keepText } from "../../../lib/json/known-text";
import type { LensInput, LensProjector, Projection } from "../../engine/lens/lens-ports";
import { BoundedCache } from "./bounded-cache";
import { BoundedWorker } from "./bounded-worker";
import { compileLens, countValues, type Lens, project, readData } from "./lens-evaluator";
import { createStart, WORKERS } from "./start-worker";

/** The size of a result that the main thread projects: its text is parsed in a few milliseconds. */
const MAX_CHARS_IN_PROCESS = 500_000;
/** The steps of an evaluation on the main thread: some tens of milliseconds at worst, far below one for ordinary expressions. */
const MAX_STEPS_IN_PROCESS = 500_000;
const MAX_OUTPUT_CHARS_IN_PROCESS = 20_000_000;
const MAX_DEPTH_IN_PROCESS = 200;
/** An idle thread keeps the memory of its largest result. */
const IDLE_MS = 10_000;
const MAX_WAITING = 50;
const LIMIT_MS = 2000;

/**
 * JMESPath, bounded. An expression whose cost follows from its text is evaluated in this process on results of ordinary
 * size; everything else in a thread that is ended after two seconds. Previews have a thread of their own.
 */
export class JmespathProjector implements LensProjector {
  readonly #compiled = new BoundedCache<Lens>({ maxEntries: 500, maxSize: 500_000 });
  readonly #calls: BoundedWorker;
  readonly #previews: BoundedWorker;

  constructor({ home, limitMs = LIMIT_MS }: { home: string; limitMs?: number | undefined }) {
    const options = {
      start: createStart(home, WORKERS.lens),
      limitMs,
      exitReason: "the lens thread ended",
      maxWaiting: MAX_WAITING,
      idleMs: IDLE_MS,
    };
    this.#calls = new BoundedWorker(options);
    this.#previews = new BoundedWorker(options);
  }

  readonly check = (expression: string): string | null => {
    if (expression.trim() === "") return "is empty";
    if (expression.length > MAX_LENS_CHARS) return `is longer than ${MAX_LENS_CHARS} characters`;
    try {
      this.#compile(expression);
      return null;
    } catch (error) {
      return getMessage(error).split("\n")[0] ?? "is not a JMESPath expression";
    }
  };

  toData({ result, fromServer }: LensInput): unknown {
    return readData(result, fromServer);
  }

  project(
    expression: string,
    input: LensInput,
    { preview = false, signal }: { preview?: boolean; signal?: AbortSignal } = {},
  ): Projection | Promise<Projection> {
    const problem = this.check(expression);
    if (problem !== null) return { fault: problem };
    const { result, resultText, fromServer } = input;
    const lens = this.#compile(expression);
    if (resultText.length <= MAX_CHARS_IN_PROCESS) {
      const data = readData(result, fromServer);
      if (data === undefined) return { none: true };
      if (isCheap(lens, data, resultText.length)) return toProjection(project(lens, data, resultText, fromServer));
    }
    return this.#projectInThread(
      preview ? this.#previews : this.#calls,
      { expression, resultText, fromServer },
      signal,
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.#calls.close(), this.#previews.close()]);
  }

  #compile(expression: string): Lens {
    const known = this.#compiled.get(expression);
    if (known !== undefined) return known;
    const lens = compileLens(expression);
    this.#compiled.set(expression, lens, expression.length);
    return lens;
  }

  async #projectInThread(worker: BoundedWorker, job: object, signal: AbortSignal | undefined): Promise<Projection> {
    const answer = await worker.run(job, signal === undefined ? {} : { signal });
    switch (answer.kind) {
      case "answer":
        return toProjection(answer.value as ReturnType<typeof project> | { none: true });
      case "timeout":
        return { fault: "The expression took too long" };
      case "died":
        return { fault: `The expression could not be evaluated: ${describeDeath(answer.message)}` };
      default:
        return { fault: `The expression was not evaluated: ${answer.message}` };
    }
  }
}

/** @param message V8's own where the thread's heap was full */
function describeDeath(message: string): string {
  if (!message.includes("memory limit")) return message;
  return `it needs more than ${WORKERS.lens.heapMb} MB of memory for this result. Have the tool return less of it`;
}

function isCheap({ steps, chars }: Lens, data: unknown, length: number): boolean {
  if (length * chars > MAX_OUTPUT_CHARS_IN_PROCESS) return false;
  const maxValues = MAX_STEPS_IN_PROCESS / steps;
  return maxValues >= 1 && countValues(data, maxValues, MAX_DEPTH_IN_PROCESS) <= maxValues;
}

/** Parsed from its text, so that the model receives exactly JSON. */
function toProjection(projected: ReturnType<typeof project> | { none: true }): Projection {
  if (!("text" in projected)) return projected;
  const { text } = projected;
  const value: unknown = JSON.parse(text);
  if (typeof value === "object" && value !== null) keepText(value, text);
  return { text, value };
}
