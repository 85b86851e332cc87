import type { ErrorKind } from "./envelope";
import type { JsonObject, JsonSchema, JsonValue } from "./json";

/** A piece of a message. Kinds follow the field's names; what a provider needs back unchanged travels as `provider`. */
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

/** What a model lets be seen of its thinking. Never sent back: what a provider wants back is in a `provider` content. */
export interface ReasoningContent {
  type: "reasoning";
  text: string;
}

export interface MediaContent {
  type: "media";
  kind: "image" | "audio" | "file";
  mimeType: string;
  /** Base64; empty where only `bytes` is kept, as in a run's log. */
  data: string;
  bytes: number;
}

/** A model asks for a tool. */
export interface FunctionCallContent {
  type: "function_call";
  /** The provider's id, or one of ours where it gives none; unique within a run. */
  callId: string;
  /** The catalogue's name, aliases already resolved. */
  name: string;
  /** As the provider gave them: JSON text, or an object where the provider parses. */
  arguments: string | JsonObject;
  /** What the provider wants back with this call, such as Gemini's thought signature. */
  providerData?: JsonValue;
}

/** What became of a call: a result, or an exception; never neither. */
export interface FunctionResultContent {
  type: "function_result";
  callId: string;
  name: string;
  /** The text a model is given. */
  result?: string;
  /** The same with media in their places, for providers that take them; `result` names what it left out. */
  items?: (TextContent | MediaContent)[];
  exception?: FunctionException;
  /** JSON text of the arguments that ran, where a person changed them; the model is told in its result. */
  editedArguments?: string;
  /** The logbook's row of the call; absent where nothing was executed (malformed arguments, a refused call). */
  executionId?: string;
}

export interface FunctionException {
  kind: ErrorKind | "malformed_arguments" | "truncated_call" | "limit_reached";
  /** Fit for people and models. */
  message: string;
}

/** A call that waits for a person. Its id is the call's. */
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
  /** The call to run: as it was asked, or with the arguments that a person made of it. */
  functionCall: FunctionCallContent;
  reason?: string;
}

/** Sent back to the same provider as it came, ignored by the others: thinking blocks, reasoning items. */
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

/** A tool as a chat client is given it; the client makes the provider's form of it. */
export interface ChatTool {
  name: string;
  description: string;
  parameters: JsonSchema;
}

/** `auto`: the model decides. `required`: it must call some tool. `none`: it must not. */
export type ToolChoice = "auto" | "required" | "none" | { name: string };

export interface ChatOptions {
  model?: string;
  /** Sent before the messages in the provider's own place for it. */
  instructions?: string;
  tools?: readonly ChatTool[];
  toolChoice?: ToolChoice;
  /** False: at most one call a turn, where the provider can be told. */
  parallelToolCalls?: boolean;
  maxOutputTokens?: number;
  /** Left out for models that refuse it. */
  temperature?: number;
  /** The provider holds what came before: only the new messages are sent. */
  conversationId?: string;
  /** Ask a provider that can to hold the conversation; its response then has a `conversationId`. */
  storeConversation?: boolean;
  signal?: AbortSignal;
}

/**
 * Why a model stopped. Calls are executed after `tool_calls` only: after `length` their arguments may be cut.
 * `pause`: the provider wants the same messages sent again to go on.
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
  /** What is new since the request: of a bare client one assistant message. */
  messages: ChatMessage[];
  finishReason: FinishReason;
  /** The provider's own word for it, where it says more. */
  finishDetail?: string;
  usage?: ChatUsage;
  conversationId?: string;
  /** The model that answered, as the provider names it. */
  model?: string;
  /** The provider's id of this answer, for its support. */
  responseId?: string;
}

/** What a streaming answer is made of, as it comes. The last update of a bare client is `response`. */
export type ChatResponseUpdate =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  /** A call is being written; the whole of it comes with `response`. */
  | { type: "call_delta"; callId: string; name: string; argumentsDelta: string }
  /** The request is sent again after a fault: what came of this answer so far is void. */
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
  | "connection"
  | "aborted"
  | "protocol"
  | "unexpected";

export function textOfMessage({ contents }: ChatMessage): string {
  return contents
    .filter((content): content is TextContent => content.type === "text")
    .map(({ text }) => text)
    .join("");
}

export function callsOf({ contents }: ChatMessage): FunctionCallContent[] {
  return contents.filter((content): content is FunctionCallContent => content.type === "function_call");
}
