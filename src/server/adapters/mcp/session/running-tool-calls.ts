import type { ToolContext } from "../../../engine/ports";

/** Quoted in errors; the server's log has all of them. */
const MAX_NOISE_ENTRIES = 3;
const ENDED = "the call ended";

type Progress = Parameters<ToolContext["progress"]>;

/** A tool call that waits for its response. */
export class RunningToolCall {
  readonly tool: string;
  readonly context: ToolContext;
  /** Text on standard output during the call, which may have damaged its response; newest last. */
  stdoutNoise: string[] = [];
  /** Sampling requests that were answered for it, or refused. */
  samplingRequests = 0;
  /** Created on first use: few calls are asked for their end. */
  #end: AbortController | null = null;
  #hasEnded = false;
  readonly #progressEveryMs: number;
  #publishedAt = Number.NEGATIVE_INFINITY;
  #pendingProgress: Progress | null = null;
  #progressTimer: NodeJS.Timeout | null = null;

  constructor(tool: string, context: ToolContext, progressEveryMs: number) {
    this.tool = tool;
    this.context = context;
    this.#progressEveryMs = progressEveryMs;
  }

  /** Publishes at most one event per `progressEveryMs`: the first at once, then the newest. */
  progress(...progress: Progress): void {
    if (this.#hasEnded) return;
    this.#pendingProgress = progress;
    if (this.#progressTimer !== null) return;
    const waitMs = this.#publishedAt + this.#progressEveryMs - performance.now();
    if (waitMs <= 0) this.#publishProgress();
    else this.#progressTimer = setTimeout(() => this.#publishProgress(), waitMs);
  }

  #publishProgress(): void {
    if (this.#progressTimer !== null) clearTimeout(this.#progressTimer);
    this.#progressTimer = null;
    const progress = this.#pendingProgress;
    if (progress === null) return;
    this.#pendingProgress = null;
    this.#publishedAt = performance.now();
    this.context.progress(...progress);
  }

  /** Aborts when the call has ended. */
  get ended(): AbortSignal {
    this.#end ??= new AbortController();
    if (this.#hasEnded) this.#end.abort(ENDED);
    return this.#end.signal;
  }

  end(): void {
    this.#publishProgress();
    this.#hasEnded = true;
    this.#end?.abort(ENDED);
  }

  addStdoutNoise(text: string): void {
    this.stdoutNoise = [...this.stdoutNoise, text].slice(-MAX_NOISE_ENTRIES);
    this.context.setTimeoutHint(
      `During the call it printed text on standard output that is not a protocol message:\n${text}`,
    );
  }
}

/** The running calls of one session. */
export class RunningToolCalls {
  readonly #calls = new Set<RunningToolCall>();
  readonly #progressEveryMs: number;

  constructor(progressEveryMs: number) {
    this.#progressEveryMs = progressEveryMs;
  }

  get size(): number {
    return this.#calls.size;
  }

  begin(tool: string, context: ToolContext): RunningToolCall {
    const call = new RunningToolCall(tool, context, this.#progressEveryMs);
    this.#calls.add(call);
    return call;
  }

  end(call: RunningToolCall): void {
    this.#calls.delete(call);
    call.end();
  }

  /** The call, if there is exactly one: output without a request id can only be attributed then. */
  only(): RunningToolCall | null {
    const [call = null] = this.#calls;
    return this.#calls.size === 1 ? call : null;
  }

  [Symbol.iterator](): Iterator<RunningToolCall> {
    return this.#calls.values();
  }
}
