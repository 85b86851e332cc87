import type { Actor } from "../../lib/contract/actor";
import type { ApprovalMode } from "../../lib/contract/approval";
import type { CallEvent, CallEvents } from "../../lib/contract/call-event";
import type { ErrorKind, ExecutionSource, ExecutionStatus, Fault, FiredLimit } from "../../lib/contract/envelope";
import type { LogLine } from "../../lib/contract/execution";
import type { InteractionAnswer, InteractionRequest } from "../../lib/contract/interaction";
import type { JsonSchema } from "../../lib/contract/json";
import type { RuleMatch } from "../../lib/contract/rule-match";
import type { SchemaNote } from "../../lib/contract/schema-note";
import type { ToolDefinition } from "../../lib/contract/tool-definition";
import type { SecretMatcher } from "../../lib/secret-matcher";
import type { LimitCharge } from "./rules/limits/limit-ports";

/** Masks of marked values, and the secrets that this installation knows. */
export interface Masking {
  /** `[masked:…]` for a value's canonical JSON text: the same for equal values. */
  getMask(canonicalJson: string): string;
  /** A text without known secrets. @param isCut whether it is the beginning of a longer one */
  inText(text: string, isCut?: boolean): string;
  /** Valid JSON text without known secrets, still valid. */
  inJson(text: string): string;
  /** A copy of a JSON value without known secrets; the value itself where it has none. */
  inValue<T>(value: T): T;
  /** Arguments with a mask for each known secret, so that a replay asks for them again. */
  inArguments(text: string): string;
}

/** Ranks tools by the words of a query: the one search of models and clients, in the catalog and in a toolset. */
export interface ToolFinder {
  /** Names, best first; tools without any of the words are left out. */
  search(query: string): string[];
}

export type CreateToolFinder = (
  tools: readonly Pick<ToolDefinition, "name" | "title" | "description" | "tags" | "parameters">[],
) => ToolFinder;

/** pino's shape, of which the engine needs four methods. */
export interface Logger {
  /** False: the line is not made at all. */
  isLevelEnabled?(level: string): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The logger of a running tool: pino's shape, or just a message. Lines reach the execution's log. */
export interface ToolLogger {
  debug(fields: object | string, message?: string): void;
  info(fields: object | string, message?: string): void;
  warn(fields: object | string, message?: string): void;
  error(fields: object | string, message?: string): void;
}

export interface Clock {
  /** Epoch milliseconds, for records. */
  now(): number;
  /** Milliseconds from an arbitrary start, never going back, for durations. */
  elapsed(): number;
}

/** A JSON Schema validator's report of one failed keyword, in ajv's words. */
export interface SchemaError {
  instancePath: string;
  schemaPath: string;
  keyword: string;
  params: Record<string, unknown>;
  message?: string | undefined;
}

export type ValidationOutcome =
  | { valid: true }
  | { valid: false; errors: readonly SchemaError[] }
  /** The arguments could not be checked: `reason` completes "the arguments …". */
  | { valid: false; reason: string; limit?: FiredLimit };

/** Checks arguments against a tool's schema. The arguments are never changed. */
export interface ArgumentValidator {
  /**
   * A schema that cannot be used gives a message that says where and why, a good one null.
   * @param options.compile also compiles it, where that is cheap: for a schema that a user is writing
   */
  checkSchema(schema: JsonSchema, options?: { compile?: boolean }): string | null;
  /** Lists the keywords that `validate` leaves out, and why; nothing is compiled for it. */
  uncheckedKeywords(schema: JsonSchema): readonly SchemaNote[];
  /**
   * Values that cannot be checked pass. Answers at once where the schema allows it; a promise where validation has to be bounded from outside.
   */
  validate(schema: JsonSchema, args: unknown, size: ArgumentSize): ValidationOutcome | Promise<ValidationOutcome>;
  /** Ends what runs outside the process's main thread. */
  close(): Promise<void>;
}

export interface ArgumentSize {
  /** Values in the payload, itself included. */
  values: number;
  /** A lower bound of the UTF-8 bytes of its JSON text. */
  bytes: number;
  depth: number;
  /** A number that JSON text cannot hold is among them. */
  unrepresentable: boolean;
}

/** Global limits; a tool's definition and a call may set their own where the names agree. */
export interface ExecutionLimits {
  timeoutMs: number;
  /** A run that takes longer is logged as a warning. */
  slowMs: number;
  /** Bytes of a result's JSON text that are stored. */
  maxStoredBytes: number;
  /** The characters of a result for a model. */
  maxModelChars: number;
  maxArgumentBytes: number;
  maxArgumentDepth: number;
  /** Bytes of text and arguments that one response of a model may have; it is cut off there. */
  maxResponseBytes: number;
  /** Calls of one response that are executed; the others are answered with a failure. */
  maxResponseCalls: number;
}

/** A log message as an MCP server sent it, without known secrets. */
export interface SentLogMessage {
  level: string;
  logger?: string | undefined;
  data: unknown;
}

/** The second parameter of a tool's code. */
export interface ToolContext {
  /** Aborted by the timeout, by the user's cancel and by the end of the server. */
  readonly signal: AbortSignal;
  readonly logger: ToolLogger;
  readonly executionId: string;
  readonly toolName: string;
  readonly actor: Actor;
  /** Reports progress; `total` where it is known. */
  progress(progress: number, total?: number, message?: string): void;
  /** Pauses the time limit while the tool waits for a user; the returned function restarts it. */
  hold(): () => void;
  /**
   * Sets the text that the message of a timeout ends with, since the tool's own error is lost then. The last one counts.
   */
  setTimeoutHint(text: string): void;
  /** The call uses a credential that belongs to `actor` alone: recorded with the execution. */
  usePersonalCredential(): void;
  /** The call runs as a task of its MCP server: recorded with the execution. */
  markTask(id: string): void;
  /** The caller can wait for long: a server that offers its tool as a task as well gets the call as one. */
  readonly asTask?: boolean | undefined;
  /** A line of the log that an MCP server sent as a message: the caller may want the message itself. */
  relayLog(level: LogLine["level"], text: string, sent: SentLogMessage): void;
  /** The masked values of this call, for what the server's log shows of it; absent where the tool marks none. */
  readonly maskedValues?: { readonly matcher: SecretMatcher | null } | null;
  /** `_meta` that the caller sent for the tool's server: trace context and keys of its own. */
  readonly callerMeta?: Readonly<Record<string, unknown>> | undefined;
  /** The caller; absent in code that runs tools without one. */
  readonly source?: ExecutionSource | undefined;
  /** Answers the requests of an MCP server for the caller; absent where it cannot. */
  readonly interact?: InteractionHandler | undefined;
  /** Keeps what happened during the call: a question of its server with the answer. */
  addEvent?(event: CallEvent): void;
}

/** The requests that a server may send to the caller of its tool: input of a user, the folders that the caller works with, and those of extensions. */
export type CallerRequest =
  | Exclude<InteractionRequest, UrlRequest>
  | { kind: "roots" }
  /** A request of an extension that its server declares under one of these names. The answer holds the result as its content. */
  | { kind: "foreign"; method: string; params: Readonly<Record<string, unknown>>; extensions: readonly string[] }
  /** `completed` resolves with true once what the page is for has been done; it may never settle. */
  | (UrlRequest & { completed?: Promise<boolean> });

type UrlRequest = Extract<InteractionRequest, { kind: "url" }>;

/** Null when this caller cannot answer. For roots the content of the answer holds the list as `roots`. Rejects when `signal` aborts. */
export interface InteractionHandler {
  /** @param name the server's own name for the request, if it has one */
  (request: CallerRequest, signal: AbortSignal, name?: string): Promise<InteractionAnswer | null>;
  /** A key for calls of one client that may answer for each other; absent where a call has no such group. */
  client?: string;
}

/** A builtin or internal handler: any JSON value, or a promise of one. */
export interface Handler {
  (args: Record<string, unknown>, context: ToolContext): unknown;
  /** JSON Schema of the arguments that it reads: what a new tool with this handler starts with. */
  parameters?: JsonSchema;
  /** Loads the parameters on first use. */
  loadParameters?: () => Promise<JsonSchema>;
}
export type Handlers = Readonly<Record<string, Handler>>;

/** A function tool registered in code. */
export type ToolFunction = (
  args: Record<string, unknown>,
  context: Pick<ToolContext, "signal" | "logger"> & Partial<Pick<ToolContext, "usePersonalCredential">>,
) => Promise<string>;

/** The stored start of a call. */
export interface ExecutionStart {
  id: string;
  toolName: string;
  /** The definition that will run; null for an unknown tool. */
  definition: ToolDefinition | null;
  implementationType: string | null;
  source: ExecutionSource;
  actor: Actor;
  client: string | null;
  /** The protocol's version that the client spoke. */
  protocol: string | null;
  /** The MCP server that runs the tool. */
  serverName: string | null;
  /** JSON text of the arguments exactly as sent. */
  argumentsText: string;
  queuedAt: number;
  validateMs: number | null;
  timeoutMs: number | null;
  validationSkipped: boolean;
  parentId: string | null;
  runId: string | null;
  callId: string | null;
  /** The toolset that the call came through. */
  toolset?: string | null;
  /** The name that the caller used; null where it is the tool's own. */
  calledAs?: string | null;
  /** The API token that the call was made with. */
  tokenId?: string | null;
  /** Why the caller made the call. */
  reason?: string | null;
  /** The call waits for approval. */
  waiting?: boolean;
  /** Whether the call already has a row because it waits for its tool: `begin` completes that row. */
  listed?: boolean;
  /** The rules that matched, for the same commit; absent where none did. */
  ruleMatches?: readonly RuleMatch[];
  /** The charges against limits, for the same commit; absent where no limit is kept in memory. */
  charges?: readonly LimitCharge[];
  /** The request for approval, for the same commit; absent where the broker stores it. */
  request?: ApprovalRequest;
}

/** A request for approval as it is stored. Epoch milliseconds. */
export interface ApprovalRequest {
  requestedAt: number;
  expiresAt: number;
  /** The approval setting of the tool. */
  mode: ApprovalMode | null;
}

/** The changes when an approved call runs. */
export interface ExecutionProceeding {
  /** Epoch milliseconds. */
  startedAt: number;
  /** JSON text of the arguments, where a user edited them. */
  argumentsText?: string | undefined;
}

/** The stored end of a call. */
export interface ExecutionEnd {
  id: string;
  status: Exclude<ExecutionStatus, "running" | "waiting">;
  /** JSON text, at most the storage limit; null without a result. */
  resultText: string | null;
  resultTruncated: boolean;
  /** UTF-8 bytes of the result's whole JSON text, and of what is stored. */
  resultBytes: number | null;
  storedBytes: number | null;
  /** Characters that a model gets, and of the whole text. */
  modelChars: number | null;
  resultChars: number | null;
  error: string | null;
  errorKind: ErrorKind | null;
  faults: Fault[] | null;
  limit: FiredLimit | null;
  startedAt: number | null;
  finishedAt: number;
  executionTimeMs: number;
  recordMs: number | null;
  runMs: number | null;
  logs: LogLine[] | null;
  /** `personal` where the call used its actor's own credential. */
  credential: "personal" | null;
  /** The server's id of the task that the call ran as. */
  taskId?: string | null;
  /** The expression of the lens that the caller's result went through, and why it failed: then the caller got the whole. */
  lens?: string | null;
  lensFault?: string | null;
  /** US dollars by the prices of rules; absent or null where none says. */
  cost?: number | null;
  /** The events of the call; absent without any. */
  events?: CallEvents;
}

/**
 * Where executions are kept. `begin` resolves when the start is durable, `finish` when the end is; a call that never
 * ran (unknown tool, invalid arguments) is recorded once, with `record`. A rejection means that nothing was kept.
 */
export interface ExecutionJournal {
  begin(start: ExecutionStart): Promise<void>;
  /** A call that waited runs now. False when it no longer waits: then nothing was changed, and it must not run. */
  proceed(start: ExecutionStart, proceeding: ExecutionProceeding): Promise<boolean>;
  finish(start: ExecutionStart, end: ExecutionEnd): Promise<void>;
  record(start: ExecutionStart, end: ExecutionEnd): Promise<void>;
}

/** The facts that decide who may read the events of a running call. */
export interface CallAudience {
  /** The user whose personal credential the call uses; null for a shared one. */
  owner: string | null;
  runId: string | null;
}

/** Receives log lines and progress of running tools. */
export interface ExecutionObserver {
  /** @param before the number of lines of the call before this one */
  log(executionId: string, line: LogLine, before: number, of: CallAudience): void;
  progress(executionId: string, progress: number, total: number | null, message: string | null, of: CallAudience): void;
}
