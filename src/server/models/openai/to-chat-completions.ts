import type OpenAI from "openai";
import type {
  ChatContent,
  ChatMessage,
  FunctionCallContent,
  FunctionResultContent,
  ToolChoice,
} from "../../../lib/contract/chat";
import type { JsonObject, JsonValue } from "../../../lib/contract/json";
import { isPlainObject } from "../../../lib/contract/json";
import { portableName } from "../../../lib/portable-name";
import { toArgumentsText } from "../call-arguments";
import type { ChatTurn } from "../chat-turn";
import { describeMedia, isCommonImage } from "../media";
import { resultText } from "../pair-calls";
import type { ToolAliases } from "../tool-aliases";
import { toCompletionsTool, withShortDescription } from "../wire-tools";
import { type PartRule, REFUSED_TEMPERATURE } from "./refused-parts";

type Request = Omit<OpenAI.Chat.ChatCompletionCreateParams, "stream">;
type Message = OpenAI.Chat.ChatCompletionMessageParam;
type Part = OpenAI.Chat.ChatCompletionContentPartText | OpenAI.Chat.ChatCompletionContentPartImage;

export type CompletionsPart =
  | "temperature"
  | "stop"
  | "max_tokens"
  | "usage"
  | "parallel"
  | "images"
  | "reasoning"
  | "long_descriptions";

/** Tested in this order. */
export const COMPLETIONS_PARTS: Record<CompletionsPart, PartRule> = {
  max_tokens: { pattern: /max_completion_tokens/i, always: true },
  temperature: { pattern: REFUSED_TEMPERATURE, always: true },
  stop: { pattern: /\bstop\b.*not support|unsupported.*\bstop\b/i, always: true },
  usage: { pattern: /stream_options|include_usage/i, always: true },
  parallel: { pattern: /parallel_tool_calls/i, always: true },
  reasoning: { pattern: /reasoning_content|extra_content/i, always: true },
  // Not remembered: the reason may be this one image.
  images: { pattern: /\bimages?\b|image_url|vision|multimodal|mmproj/i, always: false },
  long_descriptions: { pattern: /description.*(too long|maximum length)|string_above_max_length/i, always: true },
};

/** The API refuses more. */
const MAX_STOP_SEQUENCES = 4;
const IMAGES_FOLLOW = "The images of the tool results above, in their order:";

interface Settings {
  without: ReadonlySet<CompletionsPart>;
  /** The name of this endpoint's `provider` contents; only those are sent back. */
  provider: string;
}

type Dialect = Settings & Pick<ChatTurn, "aliases">;

export function toCompletionsRequest(turn: ChatTurn, settings: Settings): Request {
  const { model, system, messages, options, aliases, streaming } = turn;
  const { without } = settings;
  const { maxOutputTokens, temperature, stopSequences } = options;
  const dialect = { ...settings, aliases };
  const limit = without.has("max_tokens") ? "max_completion_tokens" : "max_tokens";
  return {
    model,
    messages: [
      ...(system === null ? [] : [{ role: "system" as const, content: system }]),
      ...messages.flatMap((message) => toMessages(message, dialect)),
    ],
    stream_options: streaming && !without.has("usage") ? { include_usage: true } : undefined,
    [limit]: maxOutputTokens,
    temperature: without.has("temperature") ? undefined : temperature,
    stop: without.has("stop") ? undefined : stopSequences?.slice(0, MAX_STOP_SEQUENCES),
    ...toTools(turn, without),
  };
}

function toTools(
  { options, aliases }: ChatTurn,
  without: ReadonlySet<CompletionsPart>,
): Pick<Request, "tools" | "tool_choice" | "parallel_tool_calls"> {
  const { tools = [], toolChoice = "auto", parallelToolCalls } = options;
  if (tools.length === 0) return {};
  const short = without.has("long_descriptions");
  return {
    tools: tools.map((tool) => toCompletionsTool(short ? withShortDescription(tool) : tool, aliases)),
    // `auto` is the default, and some servers refuse the word.
    tool_choice: toolChoice === "auto" ? undefined : toToolChoice(toolChoice, aliases),
    parallel_tool_calls: parallelToolCalls === false && !without.has("parallel") ? false : undefined,
  };
}

function toToolChoice(choice: ToolChoice, aliases: ToolAliases): OpenAI.Chat.ChatCompletionToolChoiceOption {
  return typeof choice === "string" ? choice : { type: "function", function: { name: aliases.aliasOf(choice.name) } };
}

function toMessages({ role, contents }: ChatMessage, dialect: Dialect): Message[] {
  if (role === "assistant") return toAssistantMessage(contents, dialect);
  const results = contents.filter((content) => content.type === "function_result");
  if (results.length > 0) return toToolMessages(results, dialect);
  const parts = contents.flatMap((content) => toParts(content, dialect));
  return parts.length === 0 ? [] : [{ role: "user", content: simplifyParts(parts) }];
}

/** Text alone is sent as a string, which every server takes. */
function simplifyParts(parts: Part[]): string | Part[] {
  const texts = parts.filter((part) => part.type === "text");
  return texts.length === parts.length ? texts.map(({ text }) => text).join("\n") : parts;
}

function toAssistantMessage(contents: readonly ChatContent[], dialect: Dialect): Message[] {
  const text = contents
    .map((content) => (content.type === "text" ? content.text : content.type === "media" ? describeMedia(content) : ""))
    .join("");
  const calls = contents.filter((content) => content.type === "function_call");
  if (calls.length === 0) return text === "" ? [] : [{ role: "assistant", content: text }];
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      tool_calls: calls.map((call) => toToolCall(call, dialect)),
      ...readReasoning(contents, dialect),
    },
  ];
}

/** Endpoints that think between calls need their thoughts back, and only with calls. */
function readReasoning(contents: readonly ChatContent[], { provider, without }: Dialect): JsonObject {
  if (without.has("reasoning")) return {};
  const stored = contents.find((content) => content.type === "provider" && content.provider === provider);
  return stored?.type === "provider" && isPlainObject(stored.value) ? (stored.value as JsonObject) : {};
}

function toToolCall(
  call: FunctionCallContent,
  { aliases, provider, without }: Dialect,
): OpenAI.Chat.ChatCompletionMessageFunctionToolCall {
  const data = call.providerData;
  const extra =
    isPlainObject(data) && data.provider === provider && !without.has("reasoning") ? data.extra_content : undefined;
  const toolCall: OpenAI.Chat.ChatCompletionMessageFunctionToolCall & { extra_content?: JsonValue } = {
    id: portableName(call.callId),
    type: "function",
    function: { name: aliases.aliasOf(call.name), arguments: toArgumentsText(call) },
    extra_content: extra,
  };
  return toolCall;
}

/** Tool messages hold text only: images follow in a user message after all results of the turn. */
function toToolMessages(results: readonly FunctionResultContent[], dialect: Dialect): Message[] {
  const images = results.flatMap((result) => imagesOf(result, dialect));
  return [
    ...results.map((result) => ({
      role: "tool" as const,
      tool_call_id: portableName(result.callId),
      content: resultText(result, "mark_errors"),
    })),
    ...(images.length === 0
      ? []
      : [{ role: "user" as const, content: [{ type: "text" as const, text: IMAGES_FOLLOW }, ...images] }]),
  ];
}

function imagesOf({ name, callId, exception, items }: FunctionResultContent, { without }: Dialect): Part[] {
  if (exception || without.has("images")) return [];
  const images = (items ?? []).filter((item) => item.type === "media").filter(isCommonImage);
  if (images.length === 0) return [];
  return [{ type: "text", text: `${name} (call ${callId}):` }, ...images.map(toImage)];
}

function toParts(content: ChatContent, { without }: Dialect): Part[] {
  if (content.type === "text") return content.text === "" ? [] : [{ type: "text", text: content.text }];
  if (content.type !== "media") return [];
  if (isCommonImage(content) && !without.has("images")) return [toImage(content)];
  return [{ type: "text", text: describeMedia(content) }];
}

function toImage({ mimeType, data }: { mimeType: string; data: string }): Part {
  return { type: "image_url", image_url: { url: `data:${mimeType};base64,${data}` } };
}
