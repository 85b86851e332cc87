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

export const executionSourceSchema = z.enum(["console", "agent", "gateway", "replay", "background", "api"]);
export type ExecutionSource = z.infer<typeof executionSourceSchema>;

/** Why a call did not succeed; closed, so that filters and charts can rely on it. */
export const errorKindSchema = z.enum([
  "not_found",
  "invalid_arguments",
  "handler_not_found",
  "tool_error",
  "unavailable",
  "timeout",
  "cancelled",
  "interrupted",
  "not_recorded",
  /** A person said no; nobody said anything in time; nobody has yet, and the caller no longer waits. */
  "rejected",
  "approval_expired",
  "approval_pending",
  /** It is not the tool any more that a person approved. */
  "tool_changed",
  "unexpected",
]);
export type ErrorKind = z.infer<typeof errorKindSchema>;

/** One thing wrong with the arguments. */
export const faultSchema = z.object({
  /** JSON pointer to the place, `""` for the whole payload; for a missing parameter the place where it should be. */
  pointer: z.string(),
  /** The same place as people read it: `items[2].price`. Empty for the whole payload. */
  path: z.string(),
  /** The JSON Schema keyword that failed. */
  keyword: z.string(),
  /** Without the path: `missing`, `must be integer`, `must be one of "a", "b"`. */
  message: z.string(),
});
export type Fault = z.infer<typeof faultSchema>;

/** A limit that ended or cut a call: which, its value and who set it. */
export const firedLimitSchema = z.object({
  name: z.enum(["timeout", "max_stored_bytes", "max_model_chars", "argument_size", "validation_time"]),
  value: z.number(),
  unit: z.enum(["ms", "bytes", "characters", "levels", "values"]),
  setBy: z.enum(["call", "tool", "global"]),
});
export type FiredLimit = z.infer<typeof firedLimitSchema>;

interface EnvelopeCommon {
  tool_name: string;
  /** Validation and run together, in milliseconds; the logbook's own commits are not counted. */
  execution_time_ms: number;
  /** The row in the logbook, also given where none is kept. */
  execution_id: string;
  status: Exclude<ExecutionStatus, "running" | "waiting">;
}

export interface SuccessEnvelope extends EnvelopeCommon {
  success: true;
  result: unknown;
}

export interface FailureEnvelope extends EnvelopeCommon {
  success: false;
  /** Readable by people and models; never a stack. */
  error: string;
  error_kind: ErrorKind;
  faults?: Fault[];
  /** For invalid arguments: the required parameters, so that the caller can mend the call. */
  required_parameters?: { name: string; type: string; description?: string }[];
  limit?: FiredLimit;
  /** What a tool answered beside its error: the whole answer of an MCP tool with `isError`. */
  result?: unknown;
  /** Only for `not_recorded`: the tool ran and gave this, the logbook could not keep it. */
  unrecorded_result?: unknown;
}

/** What every execution answers. The four keys of the specification are always there; more may be. */
export type ExecutionEnvelope = SuccessEnvelope | FailureEnvelope;
