import { readResultPath } from "../../../lib/rules/result-path";
import type { Redaction, RedactionInput, ResultRedactor, ResultSearch } from "../../engine/rules/rule-ports";
import { BoundedCache } from "../workers/bounded-cache";
import { BoundedWorker } from "../workers/bounded-worker";
import { createStart, WORKERS } from "../workers/start-worker";
import { compileRewriter, type ResultRewriter } from "./rewrite-result";
import { findPatternProblem } from "./text-search";

/** The time that a search holds this thread: what is estimated to take longer is searched in another one. */
const INLINE_NS = 12_000_000;
const INLINE_MS = 30;
/** A longer text is not sent to a thread: copying it and parsing the answer would block this one. */
const MAX_CHARS = 8_000_000;
const LIMIT_MS = 2_000;
/** An idle thread keeps the memory of its largest result. */
const IDLE_MS = 10_000;
const MAX_WAITING = 50;

const TOO_LARGE = `it has more than ${MAX_CHARS.toLocaleString("en-US")} characters`;

/** Redaction of results, bounded: small ones in this process, others in a thread that is ended after two seconds. */
export class BoundedRedactor implements ResultRedactor {
  readonly #compiled = new BoundedCache<ResultRewriter>({ maxEntries: 500, maxSize: 500_000 });
  readonly #worker: BoundedWorker;

  constructor({ home, limitMs = LIMIT_MS }: { home: string; limitMs?: number | undefined }) {
    this.#worker = new BoundedWorker({
      start: createStart(home, WORKERS.redaction),
      limitMs,
      exitReason: "the redaction thread ended",
      maxWaiting: MAX_WAITING,
      idleMs: IDLE_MS,
    });
  }

  readonly checkPath = (path: string): string | null =>
    readResultPath(path) === null ? "must be a path such as result.items[*].email" : null;

  readonly checkPattern = findPatternProblem;

  redact(search: ResultSearch, input: RedactionInput): Redaction | Promise<Redaction> {
    if (input.text.length > MAX_CHARS) return { failed: TOO_LARGE };
    const rewriter = this.#compile(search);
    if (rewriter.cost * input.text.length > INLINE_NS) return this.#redactInThread(search, input);
    try {
      return rewriter.rewrite(input, performance.now() + INLINE_MS);
    } catch (error) {
      if ((error as Error).name !== "SearchTimeout") throw error;
      return this.#redactInThread(search, input);
    }
  }

  redactText(search: ResultSearch, text: string, marker: string): Redaction {
    try {
      return this.#compile(search).rewriteText(text, marker, performance.now() + INLINE_MS);
    } catch (error) {
      if ((error as Error).name !== "SearchTimeout") throw error;
      return { failed: "the search takes too long" };
    }
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  #compile(search: ResultSearch): ResultRewriter {
    const key = JSON.stringify([search.paths, search.presets, search.patterns]);
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const rewriter = compileRewriter(search);
    this.#compiled.set(key, rewriter, key.length);
    return rewriter;
  }

  async #redactInThread({ paths, presets, patterns }: ResultSearch, input: RedactionInput): Promise<Redaction> {
    const answer = await this.#worker.run({ search: { paths, presets, patterns }, input });
    switch (answer.kind) {
      case "answer":
        return answer.value as Redaction;
      case "timeout":
        return { failed: "the search takes too long" };
      default:
        return { failed: answer.message };
    }
  }
}
