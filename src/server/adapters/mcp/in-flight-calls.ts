import type { ToolContext } from "../../engine/ports";

/** Quoted in errors; the log has all of it. */
const MAX_POLLUTION = 3;

type Step = Parameters<ToolContext["progress"]>;

/** A tool call that waits for its answer. */
export class InFlightCall {
  readonly tool: string;
  readonly context: ToolContext;
  /** What was printed between messages while the call waited, and may have damaged its answer; newest last. */
  pollution: string[] = [];
  #ended: AbortController | null = null;
  #hasEnded = false;
  readonly #progressEveryMs: number;
  #steppedAt = Number.NEGATIVE_INFINITY;
  /** The newest step that nobody has heard of yet. */
  #step: Step | null = null;
  #stepTimer: NodeJS.Timeout | null = null;

  constructor(tool: string, context: ToolContext, progressEveryMs: number) {
    this.tool = tool;
    this.context = context;
    this.#progressEveryMs = progressEveryMs;
  }

  /** The first step is told at once, of those that follow closely the last one; none is told after the call's end. */
  progress(...step: Step): void {
    if (this.#hasEnded) return;
    this.#step = step;
    if (this.#stepTimer !== null) return;
    const waitMs = this.#steppedAt + this.#progressEveryMs - performance.now();
    if (waitMs <= 0) this.#tellStep();
    else this.#stepTimer = setTimeout(() => this.#tellStep(), waitMs);
  }

  #tellStep(): void {
    if (this.#stepTimer !== null) clearTimeout(this.#stepTimer);
    this.#stepTimer = null;
    const step = this.#step;
    if (step === null) return;
    this.#step = null;
    this.#steppedAt = performance.now();
    this.context.progress(...step);
  }

  /** Aborts when the call is over, however it ended. Made when it is asked for: few calls need it. */
  get ended(): AbortSignal {
    if (this.#ended === null) {
      this.#ended = new AbortController();
      if (this.#hasEnded) this.#ended.abort();
    }
    return this.#ended.signal;
  }

  end(): void {
    this.#tellStep();
    this.#hasEnded = true;
    this.#ended?.abort();
  }

  pollute(text: string): void {
    this.pollution = [...this.pollution, text].slice(-MAX_POLLUTION);
    this.context.remark(`Meanwhile it printed on standard output what is no message of the protocol:\n${text}`);
  }
}

/** The calls of one connection. What a server says without an id can be given to a call only while there is just one. */
export class InFlightCalls {
  readonly #calls = new Set<InFlightCall>();
  readonly #progressEveryMs: number;

  constructor(progressEveryMs: number) {
    this.#progressEveryMs = progressEveryMs;
  }

  get size(): number {
    return this.#calls.size;
  }

  begin(tool: string, context: ToolContext): InFlightCall {
    const call = new InFlightCall(tool, context, this.#progressEveryMs);
    this.#calls.add(call);
    return call;
  }

  end(call: InFlightCall): void {
    this.#calls.delete(call);
    call.end();
  }

  only(): InFlightCall | null {
    if (this.#calls.size !== 1) return null;
    const [call] = this.#calls;
    return call ?? null;
  }

  [Symbol.iterator](): Iterator<InFlightCall> {
    return this.#calls.values();
  }
}
