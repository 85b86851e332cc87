import type { Result } from "@modelcontextprotocol/server";
import type { ExecutionStatus } from "../../../lib/contract/envelope";
import type { InteractionAnswer } from "../../../lib/contract/interaction";
import type { CallerRequest, InteractionHandler } from "../../engine/ports";
import type { CallContext } from "../fast-path/call-context";
import type { CatalogView } from "./catalog/catalog-view";
import { toAnswer, toInputRequest } from "./client-interaction";
import type { CreateId } from "./create-id";

/** Calls that wait for input at the same time; past this many no request is sent. */
const MAX_PENDING = 1000;
/** Names that a server may give to its requests; `__proto__` and the like are excluded. */
const QUESTION_NAME = /^(?!question-\d)[A-Za-z][\w-]{0,63}$/;

interface Question {
  request: CallerRequest;
  /** Aborts when the answer is no longer needed. */
  signal: AbortSignal;
  settle(answer: InteractionAnswer | null): void;
}

type Run = (signal: AbortSignal, ask: InteractionHandler) => Promise<Result>;

/** The client request that currently waits for a call; notifications go there. */
export interface Listener {
  ctx: CallContext | null;
  /** The call's last progress message, and its end. */
  message?: string | null;
  /** The call waits for approval: it stays in the inbox where the client does not come back. */
  awaitsApproval?: boolean;
  endedAs?: ExecutionStatus;
}

/** How a call becomes a task. */
export interface TaskPlan {
  /** The time until the call becomes a task; 0 for at once. */
  dueMs: number;
  /** Creates a task; null where there is no room for another one: the call then continues without a task. */
  create(pending: PendingInput, outcome: Promise<Result>): Promise<Result | null>;
}

const DUE = Symbol("due");

/** A stateless call over the several requests that it takes when its tool requests input. */
export class PendingInput {
  readonly questions = new Map<string, Question>();
  readonly controller = new AbortController();
  expiry: NodeJS.Timeout | undefined;
  #asked = 0;
  #onQuestion: (() => void) | null = null;
  readonly #unheard = new Set<NodeJS.Timeout>();
  /** Called when a question was asked, answered or withdrawn. */
  onChange: (() => void) | null = null;

  /** @param unheardMs the time after which a question that reached no client goes to the console; null: never */
  constructor(
    readonly view: CatalogView,
    readonly tool: string,
    readonly listener: Listener,
    readonly executionId: string,
    private readonly unheardMs: number | null = null,
  ) {}

  /** A client has seen the questions. */
  hear(): void {
    for (const timer of this.#unheard) clearTimeout(timer);
    this.#unheard.clear();
  }

  readonly ask: InteractionHandler = (request, signal, name) =>
    new Promise((resolve, reject) => {
      this.#asked += 1;
      const key = this.#keyFor(name);
      const unheard = this.unheardMs === null ? null : setTimeout(() => settle(null), this.unheardMs).unref();
      const onAbort = (): void => {
        this.#close(key, unheard);
        reject(signal.reason);
      };
      const settle = (answer: InteractionAnswer | null): void => {
        signal.removeEventListener("abort", onAbort);
        this.#close(key, unheard);
        resolve(answer);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.questions.set(key, { request, settle, signal });
      if (unheard !== null) this.#unheard.add(unheard);
      this.#onQuestion?.();
      this.onChange?.();
    });

  #close(key: string, unheard: NodeJS.Timeout | null): void {
    if (unheard !== null) clearTimeout(unheard);
    this.questions.delete(key);
    this.onChange?.();
  }

  /** The server's name for a request where it is valid and unused, since clients may know it. */
  #keyFor(name: string | undefined): string {
    const isUsable = name !== undefined && QUESTION_NAME.test(name) && !this.questions.has(name);
    return isUsable ? name : `question-${this.#asked}`;
  }

  /** Settles the requests that `responses` answers; the others are sent again. */
  answer(responses: Record<string, unknown>): void {
    for (const [key, { request, settle }] of [...this.questions]) {
      if (Object.hasOwn(responses, key)) settle(toAnswer(request, responses[key]));
    }
  }

  /** Resolves when a request waits for an answer. */
  questioned(): Promise<void> {
    if (this.questions.size > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onQuestion = resolve;
    });
  }
}

/**
 * The stateless protocol cannot send a request to a client while its call is open: the call is answered with the requests,
 * and the client sends it again with the answers. The tool keeps running in between.
 */
export class PendingInputCalls {
  readonly #byState = new Map<string, PendingInput>();
  readonly #outcomes = new WeakMap<PendingInput, Promise<Result>>();

  constructor(
    private readonly answerMs: number,
    private readonly createId: CreateId,
  ) {}

  /** Runs a call until it ends or requests input. */
  start(pending: PendingInput, run: Run, signal: AbortSignal, plan: TaskPlan | null): Promise<Result> {
    const ask: InteractionHandler = (request, askSignal, name) =>
      this.#byState.size >= MAX_PENDING ? Promise.resolve(null) : pending.ask(request, askSignal, name);
    const outcome = run(pending.controller.signal, ask);
    pending.view.hold();
    const release = (): void => pending.view.release();
    // The call may end while no request waits for it.
    outcome.then(release, release);
    this.#outcomes.set(pending, outcome);
    return this.wait(pending, signal, plan);
  }

  /** Null for an unknown state. A state is valid once, for the tool and the address that it was created for. */
  take(state: string, view: CatalogView, tool: string): PendingInput | null {
    const pending = this.#byState.get(state);
    if (pending === undefined || pending.view.key !== view.key || pending.tool !== tool) return null;
    this.#byState.delete(state);
    clearTimeout(pending.expiry);
    return pending;
  }

  /** The result, the requests that the client has to answer first, or the task that the call has become. */
  async wait(pending: PendingInput, signal: AbortSignal, plan: TaskPlan | null): Promise<Result> {
    const onAbort = (): void => pending.controller.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const outcome = this.#outcomes.get(pending) as Promise<Result>;
    let timer: NodeJS.Timeout | undefined;
    try {
      if (plan !== null) {
        const due = new Promise<typeof DUE>((resolve) => {
          if (plan.dueMs === 0) resolve(DUE);
          else timer = setTimeout(() => resolve(DUE), plan.dueMs);
        });
        const first = await Promise.race([due, outcome, pending.questioned()]);
        const task = first === DUE ? await this.#createTask(plan, pending, outcome) : null;
        if (task !== null) return task;
      }
      const result = await Promise.race([outcome, pending.questioned()]);
      return result ?? this.#suspend(pending);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** A call that no caller can poll must not continue. */
  async #createTask(plan: TaskPlan, pending: PendingInput, outcome: Promise<Result>): Promise<Result | null> {
    try {
      return await plan.create(pending, outcome);
    } catch (error) {
      pending.controller.abort(error);
      throw error;
    }
  }

  clear(): void {
    for (const { expiry } of this.#byState.values()) clearTimeout(expiry);
    this.#byState.clear();
  }

  /** A call that waited for approval is kept for as long again: its client must learn what became of it, and not call again. */
  #expire(state: string, pending: PendingInput): void {
    const isAnswered = pending.questions.size === 0;
    if (isAnswered || pending.listener.awaitsApproval === true) {
      pending.expiry = setTimeout(() => this.#byState.delete(state), this.answerMs).unref();
    } else this.#byState.delete(state);
    if (isAnswered) return;
    pending.controller.abort(new DOMException("the client did not return the requested input", "TimeoutError"));
  }

  #suspend(pending: PendingInput): Result {
    pending.hear();
    const state = this.createId(18);
    this.#byState.set(state, pending);
    pending.expiry = setTimeout(() => this.#expire(state, pending), this.answerMs).unref();
    const inputRequests = Object.fromEntries(
      [...pending.questions].map(([key, { request }]) => [key, toInputRequest(request)]),
    );
    return { resultType: "input_required", inputRequests, requestState: state };
  }
}
