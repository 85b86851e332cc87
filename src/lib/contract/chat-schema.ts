import { z } from "zod";
import { errorKindSchema } from "./envelope";
import type { JsonObject, JsonValue } from "./json";

const textContentSchema = z.object({ type: z.literal("text"), text: z.string() });
export type TextContent = z.infer<typeof textContentSchema>;
/** Visible reasoning of a model. Never sent back: data that a provider needs back is in a `provider` content. */
const reasoningContentSchema = z.object({ type: z.literal("reasoning"), text: z.string() });
const mediaContentSchema = z.object({
  type: z.literal("media"),
  kind: z.enum(["image", "audio", "file"]),
  mimeType: z.string(),
  /** Base64; empty if only `bytes` is stored, as in a run's log. */
  data: z.string(),
  bytes: z.number(),
});
export type MediaContent = z.infer<typeof mediaContentSchema>;
/** A model asks for a tool. */
export const functionCallContentSchema = z.object({
  type: z.literal("function_call"),
  /** The provider's id, or a generated one; unique within a run. */
  callId: z.string(),
  /** The catalog's name, aliases already resolved. */
  name: z.string(),
  /** From the provider: JSON text, or an object if the provider parses it. */
  arguments: z.union([z.string(), z.custom<JsonObject>()]),
  /** Data that the provider needs back with this call, such as Gemini's thought signature. */
  providerData: z.custom<JsonValue>().optional(),
});
export type FunctionCallContent = z.infer<typeof functionCallContentSchema>;
const functionExceptionSchema = z.object({
  kind: z.enum([...errorKindSchema.options, "malformed_arguments", "truncated_call", "limit_reached"]),
  /** Readable by users and models. */
  message: z.string(),
});
export type FunctionException = z.infer<typeof functionExceptionSchema>;
/** The outcome of a call: a result or an exception. */
export const functionResultContentSchema = z.object({
  type: z.literal("function_result"),
  callId: z.string(),
  name: z.string(),
  /** The text for the model. */
  result: z.string().optional(),
  /** The contents with media, for providers that accept them; `result` names the omitted media. */
  items: z.array(z.discriminatedUnion("type", [textContentSchema, mediaContentSchema])).optional(),
  exception: functionExceptionSchema.optional(),
  /** JSON text of the arguments that ran, if the approver changed them; the result tells the model. */
  editedArguments: z.string().optional(),
  /** Absent if nothing was executed (malformed arguments, a refused call). */
  executionId: z.string().optional(),
  /** The time the tool itself ran; absent where it did not run. */
  durationMs: z.number().optional(),
  /** The tool has an App that shows the result. */
  app: z.literal(true).optional(),
  /** A lens or the limit of characters left a part of the result out. */
  cut: z.literal(true).optional(),
});
export type FunctionResultContent = z.infer<typeof functionResultContentSchema>;
/** A call that needs approval. Its id is the call's. */
const functionApprovalRequestContentSchema = z.object({
  type: z.literal("function_approval_request"),
  id: z.string(),
  functionCall: functionCallContentSchema,
  executionId: z.string().optional(),
});
export type FunctionApprovalRequestContent = z.infer<typeof functionApprovalRequestContentSchema>;
const functionApprovalResponseContentSchema = z.object({
  type: z.literal("function_approval_response"),
  id: z.string(),
  approved: z.boolean(),
  /** The call to run: as requested, or with edited arguments. */
  functionCall: functionCallContentSchema,
  reason: z.string().optional(),
});
export type FunctionApprovalResponseContent = z.infer<typeof functionApprovalResponseContentSchema>;
/** Sent back unchanged to the same provider and ignored by others: thinking blocks, reasoning items. */
const providerContentSchema = z.object({
  type: z.literal("provider"),
  provider: z.string(),
  value: z.custom<JsonValue>(),
});
/** A part of a message. Data that a provider needs back unchanged is a `provider` content. */
export const chatContentSchema = z.discriminatedUnion("type", [
  textContentSchema,
  reasoningContentSchema,
  mediaContentSchema,
  functionCallContentSchema,
  functionResultContentSchema,
  functionApprovalRequestContentSchema,
  functionApprovalResponseContentSchema,
  providerContentSchema,
]);
export type ChatContent = z.infer<typeof chatContentSchema>;
const chatRoleSchema = z.enum(["system", "user", "assistant", "tool"]);
export const chatMessageSchema = z.object({ role: chatRoleSchema, contents: z.array(chatContentSchema) });
export type ChatMessage = z.infer<typeof chatMessageSchema>;
/**
 * Why a model stopped. Calls are executed after `tool_calls` only: after a cut-off their arguments may be incomplete.
 * `pause`: the provider wants the same messages sent again to continue.
 */
export const finishReasonSchema = z.enum([
  "stop",
  "tool_calls",
  "length",
  "refusal",
  "context_length",
  "pause",
  "other",
] as const);
export type FinishReason = z.infer<typeof finishReasonSchema>;
/** Tokens. `inputTokens` counts everything that was read, cached tokens included. */
export const chatUsageSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
});
export type ChatUsage = z.infer<typeof chatUsageSchema>;
export const chatErrorKindSchema = z.enum([
  "auth",
  "rate_limit",
  "overloaded",
  "context_length",
  "bad_request",
  "not_found",
  "budget",
  "no_tools",
  "response_too_large",
  "connection",
  "aborted",
  "protocol",
  "unexpected",
]);
export type ChatErrorKind = z.infer<typeof chatErrorKindSchema>;
