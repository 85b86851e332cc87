import type {
  Actor,
  ErrorKind,
  ExecutionSource,
  ExecutionStatus,
  Fault,
  FiredLimit,
  InteractionAnswer,
  InteractionRequest,
  JsonSchema,
  LogLine,
  ToolDefinition,
} from "../../lib/contract";

/** pino's shape, of which the engine needs four methods. */
export interface Logger {
  /** Where it says no, a line is not even made. */
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

/** What a JSON Schema validator says about one failed keyword, in ajv's words. */
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
  /** The arguments could not be judged: `reason` completes "the arguments …". */
  | { valid: false; reason: string; limit?: FiredLimit };

/** Checks arguments against a tool's schema. The arguments are never changed. */
export interface ArgumentValidator {
  /** A schema that cannot be used gives a message that says where and why, a good one null. */
  checkSchema(schema: JsonSchema): string | null;
  /** Answers at once where the schema allows it; a promise where validation has to be bounded from outside. */
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
  /** Bytes of a result's JSON text that the logbook keeps. */
  maxStoredBytes: number;
  /** Characters of a result that a model is given. */
  maxModelChars: number;
  maxArgumentBytes: number;
  maxArgumentDepth: number;
}

/** What a tool's code is given beside its arguments. */
export interface ToolContext {
  /** Aborted by the timeout, by the user's cancel and by the end of the server. */
  readonly signal: AbortSignal;
  readonly logger: ToolLogger;
  readonly executionId: string;
  readonly toolName: string;
  readonly actor: Actor;
  /** Tells whoever watches how far the run is; `total` where it is known. */
  progress(progress: number, total?: number, message?: string): void;
  /** Stops the time limit, for as long as a person is being asked; the function given starts it anew. */
  hold(): () => void;
  /**
   * What may explain it should the time limit end the call: then nobody hears the tool's own error. The last remark
   * stands in the message.
   */
  remark(text: string): void;
  /** How the caller answers what an MCP server asks; absent where it cannot, then the console is asked. */
  readonly interact?: InteractionHandler | undefined;
}

/** Null when this caller cannot answer such a request: somebody else is asked. Rejects when `signal` aborts. */
export type InteractionHandler = (
  request: InteractionRequest,
  signal: AbortSignal,
) => Promise<InteractionAnswer | null>;

/** A builtin or internal handler: any JSON value, or a promise of one. */
export type Handler = (args: Record<string, unknown>, context: ToolContext) => unknown;
export type Handlers = Readonly<Record<string, Handler>>;

/** A function tool registered in code. */
export type ToolFunction = (
  args: Record<string, unknown>,
  context: { signal: AbortSignal; logger: ToolLogger },
) => Promise<string>;

/** What is known when a call arrives. */
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
  /** JSON text of the arguments as given. */
  argumentsText: string;
  queuedAt: number;
  validateMs: number | null;
  timeoutMs: number | null;
  validationSkipped: boolean;
  parentId: string | null;
  runId: string | null;
  callId: string | null;
  /** A person is asked before it runs. */
  waiting?: boolean;
  /** What that person is asked, for the same commit; absent where whoever asks writes it. */
  request?: RequestTimes;
}

/** When a person is asked, and until when the answer counts. Epoch milliseconds. */
export interface RequestTimes {
  requestedAt: number;
  expiresAt: number;
}

/** What a person's approval changed. */
export interface ExecutionProceeding {
  /** Epoch milliseconds. */
  startedAt: number;
  /** JSON text of the arguments that run, where a person changed them. */
  argumentsText?: string | undefined;
}

/** What is known when it ended. */
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

/** Hears what a running tool says, as it says it. */
export interface ExecutionObserver {
  log(executionId: string, line: LogLine): void;
  progress(executionId: string, progress: number, total: number | null, message: string | null): void;
}
