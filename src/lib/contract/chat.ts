import type { ChatMessage, ChatUsage, FinishReason, FunctionCallContent, TextContent } from "./chat-schema";
import type { JsonSchema } from "./json";

export type {
  ChatContent,
  ChatErrorKind,
  ChatMessage,
  ChatUsage,
  FinishReason,
  FunctionApprovalRequestContent,
  FunctionApprovalResponseContent,
  FunctionCallContent,
  FunctionException,
  FunctionResultContent,
  MediaContent,
  TextContent,
} from "./chat-schema";

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

export interface ChatResponse {
  /** New messages since the request; one assistant message unless tools were executed. */
  messages: ChatMessage[];
  finishReason: FinishReason;
  /** The provider's reason, where it gives details. */
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

export function readMessageText({ contents }: ChatMessage): string {
  return contents
    .filter((content): content is TextContent => content.type === "text")
    .map(({ text }) => text)
    .join("");
}

/** The arguments of a call as JSON text; text that the model wrote stays as it is. */
export function formatArguments({ arguments: given }: Pick<FunctionCallContent, "arguments">): string {
  return typeof given === "string" ? given : JSON.stringify(given);
}

export function listCalls({ contents }: ChatMessage): FunctionCallContent[] {
  return contents.filter((content): content is FunctionCallContent => content.type === "function_call");
}
