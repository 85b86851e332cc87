import type { ToolContext } from "../../../engine/ports";

/** The number of entries quoted in errors; the server's log has all of them. */
const MAX_NOISE_ENTRIES = 3;
const ENDED = "the call ended";
/** Progress events of a call that are published one by one before a flood is thinned out. */
const PROGRESS_BURST = 20;

/** Progress has to grow: a status of a task adds this to what the tool reported last. */
const STATUS_STEP = 1e-6;

type Progress = Parameters<ToolContext["progress"]>;

interface CallTask {
  id: string;
  token: string | number | null;
  /** Its status may have changed. */
  wake(): void;
}

/** A tool call that waits for its response. */
export class RunningToolCall {
  readonly tool: string;
  readonly context: ToolContext;
  /** Text on standard output during the call, which may have damaged its response; newest last. */
  stdoutNoise: string[] = [];
  /** Sampling requests that were answered for it, or refused. */
  samplingRequests = 0;
  /** Created on first use: few calls need it. */
  #end: AbortController | null = null;
  #hasEnded = false;
  readonly #progressEveryMs: number;
  #publishedAt = performance.now();
  #allowance = PROGRESS_BURST;
  #pendingProgress: Progress | null = null;
  #lastProgress: Progress = [0];
  /** Null for a call that is not, or not yet, a task. */
  task: CallTask | null = null;
  #progressTimer: NodeJS.Timeout | null = null;

  constructor(tool: string, context: ToolContext, progressEveryMs: number) {
    this.tool = tool;
    this.context = context;
    this.#progressEveryMs = progressEveryMs;
  }

  /** Publishes each event of a few at once; of a flood, the newest every `progressEveryMs`. */
  progress(...progress: Progress): void {
    if (this.#hasEnded) return;
    this.#pendingProgress = progress;
    this.#lastProgress = progress;
    if (this.#progressTimer !== null) return;
    const now = performance.now();
    const regained = this.#progressEveryMs === 0 ? PROGRESS_BURST : (now - this.#publishedAt) / this.#progressEveryMs;
    this.#allowance = Math.min(PROGRESS_BURST, this.#allowance + regained);
    this.#publishedAt = now;
    if (this.#allowance >= 1) this.#publishProgress();
    else this.#progressTimer = setTimeout(() => this.#publishProgress(), (1 - this.#allowance) * this.#progressEveryMs);
  }

  /** Reports the status of its task as progress. */
  reportStatus(message: string): void {
    const [progress, total] = this.#lastProgress;
    this.progress(progress + STATUS_STEP, total, message);
  }

  #publishProgress(): void {
    if (this.#progressTimer !== null) clearTimeout(this.#progressTimer);
    this.#progressTimer = null;
    const progress = this.#pendingProgress;
    if (progress === null) return;
    this.#pendingProgress = null;
    this.#allowance -= 1;
    this.context.progress(...progress);
  }

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

export class RunningToolCalls {
  readonly #calls = new Set<RunningToolCall>();
  /** The calls that follow a task, by the task's id. */
  readonly #tasks = new Map<string, RunningToolCall>();
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
    if (call.task !== null && this.#tasks.get(call.task.id) === call) this.#tasks.delete(call.task.id);
    call.end();
  }

  follow(call: RunningToolCall, task: CallTask): void {
    call.task = task;
    this.#tasks.set(task.id, call);
  }

  findByTask(id: unknown): RunningToolCall | null {
    return this.#tasks.get(id as string) ?? null;
  }

  /** The progress token of a task stays valid after its `tools/call` was answered. */
  findByTaskToken(token: unknown): RunningToolCall | null {
    for (const call of this.#tasks.values()) if (String(call.task?.token) === String(token)) return call;
    return null;
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
