import { z } from "zod";
import { actorSchema } from "./actor-schema";
import type { AppContext } from "./app";
import {
  chatErrorKindSchema,
  chatMessageSchema,
  chatUsageSchema,
  finishReasonSchema,
  functionResultContentSchema,
} from "./chat-schema";
import { executionStatusSchema } from "./envelope";

/** `waiting`: only approvals are pending. `interrupted`: the process died; the run can be resumed. */
export const runStatusSchema = z.enum(["running", "waiting", "succeeded", "failed", "cancelled", "interrupted"]);
export type RunStatus = z.infer<typeof runStatusSchema>;

/** A part of an event that may be long. `calls`: omitted calls of the message; the length is their number. */
export type RunEventPart =
  | "text"
  | "reasoning"
  | "arguments"
  | "result"
  | "editedArguments"
  | `arguments:${string}`
  | "calls";

export const runNoticeSchema = z.enum([
  "retry",
  "repeated_call",
  "iterations_exhausted",
  "calls_exhausted",
  "too_many_errors",
  "truncated_call",
  /** The provider gave an undocumented finish reason; the calls were complete and ran. */
  "unlisted_finish_reason",
  /** More tools are offered than the provider documents as its limit. */
  "too_many_tools",
  "unknown_tool",
  "paused",
  /** The model wrote a call as text in place of making it. */
  "call_as_text",
  /** The model stopped early: refused, cut off, or for a reason of the provider. */
  "ended_early",
]);
export type RunNotice = z.infer<typeof runNoticeSchema>;

/** The position of an event in the log. */
const eventPosition = {
  index: z.number().int(),
  at: z.number(),
  cut: z.custom<Partial<Record<RunEventPart, number>>>().optional(),
};
const step = z.number().int();
/** A part of the call that a model requested. */
const eventCall = { step, callId: z.string(), name: z.string() };

/**
 * An event of a run's ordered log. `at` is epoch milliseconds; `index` counts from 0 without gaps. `cut` is set only on
 * events for pages: the shortened parts with their full length in characters (`runs.payload` returns them).
 */
export const runEventSchema = z.discriminatedUnion("type", [
  /** `by`: another user than before sent it, or resumed the run; calls run for that user from then on. */
  z.object({
    ...eventPosition,
    type: z.literal("user_message"),
    message: chatMessageSchema,
    appContext: z.custom<readonly AppContext[]>().optional(),
    by: actorSchema.optional(),
  }),
  /** A request to the model begins. `iteration` counts from 1 within a turn, `step` from 1 within the run. */
  z.object({
    ...eventPosition,
    type: z.literal("model_started"),
    step,
    iteration: z.number().int(),
    toolChoice: z.string(),
    toolCount: z.number().int(),
    provider: z.string(),
    model: z.string(),
    /** The service behind the provider's name, which may hold the conversation. */
    endpoint: z.string().optional(),
  }),
  z.object({
    ...eventPosition,
    type: z.literal("model_finished"),
    step,
    message: chatMessageSchema,
    finishReason: finishReasonSchema,
    finishDetail: z.string().optional(),
    usage: chatUsageSchema.optional(),
    conversationId: z.string().optional(),
    model: z.string().optional(),
    /** From the request to the first text or call; null if neither arrived. */
    firstTokenMs: z.number().nullable(),
    durationMs: z.number(),
    /** The response stopped early: `message` has the part that arrived. */
    partial: z.boolean().optional(),
  }),
  z.object({
    ...eventPosition,
    type: z.literal("model_failed"),
    step,
    errorKind: chatErrorKindSchema,
    error: z.string(),
    durationMs: z.number(),
  }),
  z.object({
    ...eventPosition,
    type: z.literal("tool_started"),
    ...eventCall,
    argumentsText: z.string(),
    executionId: z.string(),
    /** Present only in logs of earlier versions, which had no `approval_requested`: the tool requires approval. */
    approval: z.boolean().optional(),
  }),
  /** The call's arguments were validated, and its approval request is open. */
  z.object({ ...eventPosition, type: z.literal("approval_requested"), ...eventCall }),
  /** The call was approved and runs. */
  z.object({ ...eventPosition, type: z.literal("approval_granted"), ...eventCall }),
  z.object({
    ...eventPosition,
    type: z.literal("tool_finished"),
    ...eventCall,
    /** Media without their data, which is in the execution's result. */
    result: functionResultContentSchema,
    status: executionStatusSchema,
    /** Null for a call that was never executed. */
    executionId: z.string().nullable(),
    /** The time the tool itself ran, as in its execution; null where it did not run. */
    durationMs: z.number().nullable(),
    /** Taken from another run's log: nothing was executed. */
    recorded: z.boolean().optional(),
  }),
  z.object({ ...eventPosition, type: z.literal("notice"), step, notice: runNoticeSchema, text: z.string() }),
  /** The turn ended; another message may continue the run. */
  z.object({
    ...eventPosition,
    type: z.literal("turn_ended"),
    error: z.string().nullable(),
    status: runStatusSchema.exclude(["running", "waiting"]),
  }),
  z.object({ ...eventPosition, type: z.literal("resumed"), by: actorSchema.optional() }),
]);
export type RunEvent = z.infer<typeof runEventSchema>;
type WithoutPosition<Event> = Event extends RunEvent ? Omit<Event, keyof typeof eventPosition> : never;
export type RunEventBody = WithoutPosition<RunEvent>;
