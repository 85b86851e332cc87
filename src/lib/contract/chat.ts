import type { ErrorKind } from "./envelope";
import type { JsonObject, JsonSchema, JsonValue } from "./json";

/** A part of a message. Data that a provider needs back unchanged is a `provider` content. */
export type ChatContent =
  | TextContent
  | ReasoningContent
  | MediaContent
  | FunctionCallContent
  | FunctionResultContent
  | FunctionApprovalRequestContent
  | FunctionApprovalResponseContent
  | ProviderContent;

export interface TextContent {
  type: "text";
  text: string;
}

/** Visible reasoning of a model. Never sent back: data that a provider needs back is in a `provider` content. */
export interface ReasoningContent {
  type: "reasoning";
  text: string;
}

export interface MediaContent {
  type: "media";
  kind: "image" | "audio" | "file";
  mimeType: string;
  /** Base64; empty if only `bytes` is stored, as in a run's log. */
  data: string;
  bytes: number;
}

/** A model asks for a tool. */
export interface FunctionCallContent {
  type: "function_call";
  /** The provider's id, or a generated one; unique within a run. */
  callId: string;
  /** The catalogue's name, aliases already resolved. */
  name: string;
  /** From the provider: JSON text, or an object if the provider parses it. */
  arguments: string | JsonObject;
  /** Data that the provider needs back with this call, such as Gemini's thought signature. */
  providerData?: JsonValue;
}

/** The outcome of a call: a result or an exception. */
export interface FunctionResultContent {
  type: "function_result";
  callId: string;
  name: string;
  /** The text for the model. */
  result?: string;
  /** The same with media, for providers that take them; `result` names the omitted media. */
  items?: (TextContent | MediaContent)[];
  exception?: FunctionException;
  /** JSON text of the arguments that ran, if the approver changed them; the result tells the model. */
  editedArguments?: string;
  /** Absent if nothing was executed (malformed arguments, a refused call). */
  executionId?: string;
  /** The tool has an App that shows the result. */
  app?: true;
  /** A lens or the limit of characters left a part of the result out. */
  cut?: true;
}

export interface FunctionException {
  kind: ErrorKind | "malformed_arguments" | "truncated_call" | "limit_reached";
  /** Fit for people and models. */
  message: string;
}

/** A call that needs approval. Its id is the call's. */
export interface FunctionApprovalRequestContent {
  type: "function_approval_request";
  id: string;
  functionCall: FunctionCallContent;
  executionId?: string;
}

export interface FunctionApprovalResponseContent {
  type: "function_approval_response";
  id: string;
  approved: boolean;
  /** The call to run: as requested, or with edited arguments. */
  functionCall: FunctionCallContent;
  reason?: string;
}

/** Sent back unchanged to the same provider and ignored by others: thinking blocks, reasoning items. */
export interface ProviderContent {
  type: "provider";
  provider: string;
  value: JsonValue;
}

export type ChatRole = "system" | "user" | "assistant" | "tool";

export interface ChatMessage {
  role: ChatRole;
  contents: ChatContent[];
}

/** A tool for a chat client, which converts it to the provider's format. */
export interface ChatTool {
  name: string;
  description: string;
  parameters: JsonSchema;
}

/** `auto`: the model decides. `required`: it must call some tool. `none`: it must not. */
export type ToolChoice = "auto" | "required" | "none" | { name: string };

export interface ChatOptions {
  model?: string;
  /** Sent as the provider's system prompt. */
  instructions?: string;
  tools?: readonly ChatTool[];
  toolChoice?: ToolChoice;
  /** False: at most one call a turn, if the provider supports that. */
  parallelToolCalls?: boolean;
  maxOutputTokens?: number;
  /** Omitted for models that refuse it. */
  temperature?: number;
  /** The response ends before the first of these texts. A hint: not every provider takes them, or all of them. */
  stopSequences?: readonly string[];
  /** Fail rather than send a request without media that the provider refuses. */
  requireMedia?: boolean;
  /** The provider holds the conversation so far: only new messages are sent. */
  conversationId?: string;
  /** Ask the provider to hold the conversation; its response then has a `conversationId`. */
  storeConversation?: boolean;
  signal?: AbortSignal;
}

/**
 * Why a model stopped. Calls are executed after `tool_calls` only: after a cut-off their arguments may be incomplete.
 * `pause`: the provider wants the same messages sent again to continue.
 */
export type FinishReason = "stop" | "tool_calls" | "length" | "refusal" | "context_length" | "pause" | "other";

/** Tokens. `inputTokens` counts everything that was read, cached tokens included. */
export interface ChatUsage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens?: number;
  reasoningTokens?: number;
}

export interface ChatResponse {
  /** New messages since the request; one assistant message unless tools were executed. */
  messages: ChatMessage[];
  finishReason: FinishReason;
  /** The provider's reason, if it says more. */
  finishDetail?: string;
  /** An undocumented reason of the provider (empty if it gave none) after complete calls; `finishReason` is `tool_calls`. */
  unlistedFinishReason?: string;
  usage?: ChatUsage;
  conversationId?: string;
  /** The model that answered, as the provider names it. */
  model?: string;
  /** The provider's id of this answer, for its support. */
  responseId?: string;
}

/** An update of a streaming response. The last one is `response`. */
export type ChatResponseUpdate =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  /** Part of a call; the whole call is in `response`. */
  | { type: "call_delta"; callId: string; name: string; argumentsDelta: string }
  /** The request is sent again after an error: discard all updates before this one. */
  | { type: "retry"; reason: string; delayMs: number }
  | { type: "response"; response: ChatResponse };

export type ChatErrorKind =
  | "auth"
  | "rate_limit"
  | "overloaded"
  | "context_length"
  | "bad_request"
  | "not_found"
  | "no_tools"
  | "response_too_large"
  | "connection"
  | "aborted"
  | "protocol"
  | "unexpected";

export function readMessageText({ contents }: ChatMessage): string {
  return contents
    .filter((content): content is TextContent => content.type === "text")
    .map(({ text }) => text)
    .join("");
}

export function listCalls({ contents }: ChatMessage): FunctionCallContent[] {
  return contents.filter((content): content is FunctionCallContent => content.type === "function_call");
}
