import { type Actor, type ExecutionSource, LOCAL_OWNER, type LogLine, type ToolDefinition } from "../../lib/contract";
import type { ApprovalVerdict } from "./approval-ports";
import type { CallLimit } from "./call-limit";
import type { Clock, ExecutionObserver, InteractionHandler, RequestTimes, ToolContext, ToolLogger } from "./ports";
import type { ProvidedTool } from "./run-ports";

export interface ExecuteOptions {
  /** Overrides the tool's and the global timeout for this call. */
  timeoutMs?: number;
  /** The caller's cancel. Abort with a `ServerStopping` reason to have the call recorded as interrupted. */
  signal?: AbortSignal;
  source?: ExecutionSource;
  actor?: Actor;
  /** Program and version that asked, for calls through a protocol. */
  client?: string;
  /** The protocol's version it spoke. */
  protocol?: string;
  /** The id to record under; made when absent. */
  executionId?: string;
  /** The execution this one replays. */
  parentId?: string;
  runId?: string;
  callId?: string;
  /** Runs the tool although its arguments may be invalid, to see its own errors. */
  skipValidation?: boolean;
  /** Hear what the running tool says, besides the executor's observer. */
  onProgress?: (progress: number, total: number | null, message: string | null) => void;
  onLog?: (line: LogLine) => void;
  /** How this caller answers what an MCP server asks. */
  interact?: InteractionHandler;
  /** A person has decided already: nobody is asked. */
  approval?: ApprovalVerdict;
  /** The logbook has this call as `waiting`: it goes on with that row. Without `approval` the person is waited for again. */
  waiting?: boolean;
  /** How long this caller waits for a person; then it is told so, and the request stays open. Absent: as long as it takes. */
  approvalWaitMs?: number;
  /** A person is being asked, and can answer. @param expiresAt epoch milliseconds */
  onWaiting?: (expiresAt: number) => void;
  /** A person said yes, and the tool is about to run; `edited` with what they made of the arguments. */
  onApproved?: (edited: { args: unknown } | null) => void;
  /** A tool that only this call knows, in place of the catalogue's. It asks a person only where its definition says `always`. */
  provided?: ProvidedTool;
}

const MAX_LOG_LINES = 200;
const MAX_LOG_CHARS = 2000;

/** One call while it is under way: who asked, its clock, and what the tool's code is handed. */
export class RunningCall implements ToolContext {
  readonly queuedAt: number;
  readonly actor: Actor;
  readonly source: ExecutionSource;
  readonly logs: LogLine[] = [];
  readonly #clock: Clock;
  readonly #observer: ExecutionObserver | null;
  readonly #begun: number;
  #runBegun: number;
  #controller: AbortController | null = null;
  #aborted: { reason: unknown } | null = null;
  validateMs: number | null = null;
  recordMs: number | null = null;
  runMs: number | null = null;
  startedAt: number | null = null;
  timeoutMs: number | null = null;
  /** What was looked up; null until then, and for an unknown tool. */
  definition: ToolDefinition | null = null;
  /** The start is in the journal, so the end has to follow it. */
  begun: boolean;
  /** Its row is made as `waiting`. */
  asking = false;
  /** Made together with that row; null where whoever asks makes it. */
  request: RequestTimes | null = null;
  /** How long a person was waited for; it is nobody's execution time. */
  waitedMs = 0;
  /** Known once the call may run. */
  limit: CallLimit | null = null;
  lastRemark: string | null = null;

  constructor(
    readonly executionId: string,
    readonly toolName: string,
    readonly options: ExecuteOptions,
    clock: Clock,
    observer: ExecutionObserver | null,
  ) {
    this.#clock = clock;
    this.#observer = observer;
    this.queuedAt = clock.now();
    this.#begun = clock.elapsed();
    this.#runBegun = this.#begun;
    this.actor = options.actor ?? LOCAL_OWNER;
    this.source = options.source ?? "api";
    this.begun = options.waiting === true;
  }

  /** Made on first use: most tools never ask, and a signal is the dearest part of a short call. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted && !this.#controller.signal.aborted) this.#controller.abort(this.#aborted.reason);
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }

  /** A field, not a method: tools take it out of the context. */
  readonly progress = (progress: number, total?: number, message?: string): void => {
    this.limit?.extend();
    const said = message?.slice(0, MAX_LOG_CHARS) ?? null;
    this.#observer?.progress(this.executionId, progress, total ?? null, said);
    this.options.onProgress?.(progress, total ?? null, said);
  };

  readonly hold = (): (() => void) => this.limit?.hold() ?? ignore;

  readonly remark = (text: string): void => {
    this.lastRemark = text.slice(0, MAX_LOG_CHARS);
  };

  get interact(): InteractionHandler | undefined {
    return this.options.interact;
  }

  /** Milliseconds since `since`, in microsecond steps. */
  #since(since: number): number {
    return Math.round((this.#clock.elapsed() - since) * 1000) / 1000;
  }

  markValidated(): void {
    this.validateMs = this.#since(this.#begun);
    this.#runBegun = this.#clock.elapsed();
  }

  markRecorded(): void {
    this.recordMs = this.#since(this.#runBegun);
  }

  /** Epoch milliseconds. */
  now(): number {
    return this.#clock.now();
  }

  markWaited(sinceElapsed: number): void {
    this.waitedMs = this.#since(sinceElapsed);
  }

  markStarted(): void {
    this.startedAt = this.#clock.now();
    this.#runBegun = this.#clock.elapsed();
  }

  markRan(): void {
    this.runMs = this.#since(this.#runBegun);
  }

  /** Validation and run; the logbook's commits are its own time, not the tool's. */
  get executionTimeMs(): number {
    if (this.validateMs === null) return this.#since(this.#begun);
    return Math.round((this.validateMs + (this.runMs ?? 0)) * 1000) / 1000;
  }

  get logger(): ToolLogger {
    const at = (level: LogLine["level"]) => (fields: object | string, message?: string) => {
      this.#say(level, fields, message);
    };
    return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  }

  #say(level: LogLine["level"], fields: object | string, message: string | undefined): void {
    const line: LogLine = {
      atMs: this.#since(this.#runBegun),
      level,
      message: (typeof fields === "string" ? fields : [message, inline(fields)].filter(Boolean).join(" ")).slice(
        0,
        MAX_LOG_CHARS,
      ),
    };
    if (this.logs.length < MAX_LOG_LINES) this.logs.push(line);
    else if (this.logs.length === MAX_LOG_LINES) {
      this.logs.push({ ...line, level: "warn", message: `Only the first ${MAX_LOG_LINES} lines are kept` });
    }
    this.#observer?.log(this.executionId, line);
    this.options.onLog?.(line);
  }
}

function inline(fields: object): string {
  try {
    return JSON.stringify(fields);
  } catch {
    return "[fields that are not JSON]";
  }
}

/** Nothing to let go of where no limit runs. */
function ignore(): void {}
