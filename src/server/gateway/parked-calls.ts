import { randomBytes } from "node:crypto";
import type { Result, ServerContext } from "@modelcontextprotocol/server";
import type { InteractionAnswer, InteractionRequest } from "../../lib/contract";
import type { CatalogueView } from "./catalogue-view";
import { toAnswer, toInputRequest } from "./client-interaction";

/** Stateless calls that wait for answers at the same time; past this many nobody is asked. */
const MAX_PARKED = 1000;

interface Question {
  request: InteractionRequest;
  settle(answer: InteractionAnswer | null): void;
}

type Ask = (request: InteractionRequest, signal: AbortSignal) => Promise<InteractionAnswer | null>;

type Run = (signal: AbortSignal, ask: Ask) => Promise<Result>;

/** Where a running call may speak: the request that waits for it now. */
export interface Listener {
  ctx: ServerContext | null;
}

/** A call of the stateless protocol, over the several requests that it takes when its tool asks something. */
export class Round {
  readonly questions = new Map<string, Question>();
  readonly controller = new AbortController();
  expiry: NodeJS.Timeout | undefined;
  #asked = 0;
  #onQuestion: (() => void) | null = null;

  constructor(
    readonly view: CatalogueView,
    readonly tool: string,
    readonly listener: Listener,
  ) {}

  readonly ask: Ask = (request, signal) =>
    new Promise((resolve, reject) => {
      this.#asked += 1;
      const key = `question-${this.#asked}`;
      const onAbort = (): void => {
        this.questions.delete(key);
        reject(signal.reason);
      };
      const settle = (answer: InteractionAnswer | null): void => {
        signal.removeEventListener("abort", onAbort);
        this.questions.delete(key);
        resolve(answer);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.questions.set(key, { request, settle });
      this.#onQuestion?.();
    });

  /** What came back, by question. One that was not answered is asked again. */
  answer(responses: Record<string, unknown>): void {
    for (const [key, { request, settle }] of [...this.questions]) {
      if (Object.hasOwn(responses, key)) settle(toAnswer(request, responses[key]));
    }
  }

  /** Resolves when a question waits for an answer; at once where one does. */
  questioned(): Promise<void> {
    if (this.questions.size > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onQuestion = resolve;
    });
  }
}

/**
 * The stateless protocol has no way to ask a client something while its call waits: the call is answered with the
 * questions, and the client sends it again with the answers. Meanwhile the tool runs on, and this holds it.
 */
export class ParkedCalls {
  readonly #byState = new Map<string, Round>();
  readonly #outcomes = new WeakMap<Round, Promise<Result>>();

  constructor(private readonly answerMs: number) {}

  /** Runs a call until it ends or has a question. */
  start(round: Round, run: Run, signal: AbortSignal): Promise<Result> {
    const ask: Ask = (request, askSignal) =>
      this.#byState.size >= MAX_PARKED ? Promise.resolve(null) : round.ask(request, askSignal);
    const outcome = run(round.controller.signal, ask);
    round.view.hold();
    const release = (): void => round.view.release();
    // Nobody may be waiting when it ends.
    outcome.then(release, release);
    this.#outcomes.set(round, outcome);
    return this.wait(round, signal);
  }

  /** Null where no such call waits. A state is good for one request, for the tool and the address that it came from. */
  take(state: string, view: CatalogueView, tool: string): Round | null {
    const round = this.#byState.get(state);
    if (round === undefined || round.view.key !== view.key || round.tool !== tool) return null;
    this.#byState.delete(state);
    clearTimeout(round.expiry);
    return round;
  }

  /** The result, or what the client is asked first. */
  async wait(round: Round, signal: AbortSignal): Promise<Result> {
    const onAbort = (): void => round.controller.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const result = await Promise.race([this.#outcomes.get(round), round.questioned()]);
      return result ?? this.#park(round);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  clear(): void {
    for (const { expiry } of this.#byState.values()) clearTimeout(expiry);
    this.#byState.clear();
  }

  #park(round: Round): Result {
    const state = randomBytes(18).toString("base64url");
    this.#byState.set(state, round);
    round.expiry = setTimeout(() => {
      this.#byState.delete(state);
      round.controller.abort(new DOMException("the client did not come back with its answers", "TimeoutError"));
    }, this.answerMs);
    round.expiry.unref();
    const inputRequests = Object.fromEntries(
      [...round.questions].map(([key, { request }]) => [key, toInputRequest(request)]),
    );
    return { resultType: "input_required", inputRequests, requestState: state };
  }
}
