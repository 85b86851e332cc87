import { z } from "zod";

export const executionStatusSchema = z.enum([
  "running",
  "succeeded",
  "failed",
  "cancelled",
  "timed_out",
  "interrupted",
  "waiting",
]);
export type ExecutionStatus = z.infer<typeof executionStatusSchema>;

export const executionSourceSchema = z.enum([
  "console",
  "agent",
  "gateway",
  "replay",
  "background",
  "api",
  "check",
  "app",
  /** Recorded by another Toolroom, and opened here from its bundle. */
  "import",
  /** Tests of suites, and replays of many recorded calls. */
  "test",
]);
export type ExecutionSource = z.infer<typeof executionSourceSchema>;

/** Why a call did not succeed; closed, so that filters and charts can rely on it. */
export const errorKindSchema = z.enum([
  "not_found",
  "invalid_arguments",
  "handler_not_found",
  "tool_error",
  "unavailable",
  /** The tool's MCP server requires a user to sign in; the call can be replayed afterwards. */
  "sign_in_needed",
  "timeout",
  "cancelled",
  "interrupted",
  "not_recorded",
  /** Rejected; not decided in time; not decided yet, and the caller disconnected. */
  "rejected",
  "approval_expired",
  "approval_pending",
  /** The tool changed after its approval. */
  "tool_changed",
  /** The tool's server changed it, and the change waits for review. */
  "definition_changed",
  /** A rule for calls denied it. */
  "rule",
  "unexpected",
]);
export type ErrorKind = z.infer<typeof errorKindSchema>;

/** One problem of the arguments. */
export const faultSchema = z.object({
  /** JSON pointer, `""` for the whole payload; for a missing parameter, where it should be. */
  pointer: z.string(),
  /** The path in a form for users: `items[2].price`. Empty for the whole payload. */
  path: z.string(),
  /** The JSON Schema keyword that failed. */
  keyword: z.string(),
  /** The message without the path: `is required`, `must be integer`, `must be one of "a", "b"`. */
  message: z.string(),
  /** A warning does not keep the arguments from being sent. Absent for an error. */
  severity: z.literal("warning").optional(),
});
export type Fault = z.infer<typeof faultSchema>;

/** The validation result of arguments before they are sent. */
export const argumentVerdictSchema = z.object({
  valid: z.boolean(),
  faults: z.array(faultSchema),
  /** Possible problems that only the tool's server can decide. */
  warnings: z.array(faultSchema),
});
export type ArgumentVerdict = z.infer<typeof argumentVerdictSchema>;

/** A limit that ended or cut a call. */
export const firedLimitSchema = z.object({
  name: z.enum(["timeout", "max_stored_bytes", "max_model_chars", "argument_size", "validation_time"]),
  value: z.number(),
  unit: z.enum(["ms", "bytes", "characters", "levels", "values"]),
  setBy: z.enum(["call", "tool", "global"]),
});
export type FiredLimit = z.infer<typeof firedLimitSchema>;

interface EnvelopeCommon {
  tool_name: string;
  /** Validation and run in milliseconds, without the commits of the execution log. */
  execution_time_ms: number;
  /** The time the tool itself ran; absent where it did not run. */
  duration_ms?: number;
  /** Present even if the execution is not stored. */
  execution_id: string;
  status: Exclude<ExecutionStatus, "running" | "waiting">;
}

export interface SuccessEnvelope extends EnvelopeCommon {
  success: true;
  result: unknown;
  /** The part of the result that models and MCP clients receive in place of `result`, where a lens reduced it. */
  projected?: ProjectedResult;
}

export interface ProjectedResult {
  result: unknown;
  /** Characters of its text for a model. */
  chars: number;
}

/** A JSON-RPC error as an MCP server sent it, without known secrets. */
export interface ProtocolErrorBody {
  code: number;
  message: string;
  data?: unknown;
}

export interface FailureEnvelope extends EnvelopeCommon {
  success: false;
  /** Readable by users and models; never a stack trace. */
  error: string;
  error_kind: ErrorKind;
  faults?: Fault[];
  /** For invalid arguments: the required parameters, so that the caller can correct the call. */
  required_parameters?: { name: string; type: string; description?: string }[];
  limit?: FiredLimit;
  /** For a limit of a rule: milliseconds until there is room again. */
  retry_after_ms?: number;
  /** The whole result of an MCP tool with `isError`. */
  result?: unknown;
  /** The error that the MCP server returned instead of a result. */
  protocol_error?: ProtocolErrorBody;
  /** Present only for `not_recorded`: the tool's result, which could not be stored. */
  unrecorded_result?: unknown;
}

/** The response of every execution. The four keys of the specification are always present. */
export type ExecutionEnvelope = SuccessEnvelope | FailureEnvelope;
