import type OpenAI from "openai";
import type {
  ChatContent,
  ChatMessage,
  ChatOptions,
  FunctionCallContent,
  FunctionResultContent,
  JsonObject,
  ToolChoice,
} from "../../../../lib/contract";
import { isPlainObject } from "../../../../lib/contract";
import { portableName } from "../../../../lib/portable-name";
import { argumentsText } from "../call-arguments";
import { isCommonImage, mediaNote } from "../media-note";
import { pairCalls, resultText } from "../pair-calls";
import { schemaFor } from "../provider-schema";
import { requireModel, systemText } from "../request-basics";
import type { ToolAliases } from "../tool-aliases";
import { type PartRule, REFUSED_TEMPERATURE } from "./refused-parts";

type Request = Omit<OpenAI.Chat.ChatCompletionCreateParams, "stream">;
type Message = OpenAI.Chat.ChatCompletionMessageParam;
type Part = OpenAI.Chat.ChatCompletionContentPartText | OpenAI.Chat.ChatCompletionContentPartImage;

export type CompletionsPart =
  | "temperature"
  | "max_tokens"
  | "usage"
  | "parallel"
  | "images"
  | "reasoning"
  | "long_descriptions";

/** Looked through in this order. */
export const COMPLETIONS_PARTS: Record<CompletionsPart, PartRule> = {
  max_tokens: { said: /max_completion_tokens/i, always: true },
  temperature: { said: REFUSED_TEMPERATURE, always: true },
  usage: { said: /stream_options|include_usage/i, always: true },
  parallel: { said: /parallel_tool_calls/i, always: true },
  reasoning: { said: /reasoning_content|extra_content/i, always: true },
  // Not for good: it may have been this one image.
  images: { said: /\bimages?\b|image_url|vision|multimodal|mmproj/i, always: false },
  long_descriptions: { said: /description.*(too long|maximum length)|string_above_max_length/i, always: true },
};

const MAX_DESCRIPTION_CHARS = 1024;
const IMAGES_FOLLOW = "The images of the tool results above, in their order:";

export interface CompletionsDialect {
  aliases: ToolAliases;
  without: ReadonlySet<CompletionsPart>;
  /** Whose `provider` contents are sent back: those of the same endpoint. */
  provider: string;
  streams: boolean;
}

export function toCompletionsRequest(
  messages: readonly ChatMessage[],
  options: ChatOptions,
  dialect: CompletionsDialect,
): Request {
  const { without, streams } = dialect;
  const { maxOutputTokens, temperature } = options;
  const system = systemText(messages, options);
  const paired = pairCalls(messages.filter(({ role }) => role !== "system"));
  const limit = without.has("max_tokens") ? "max_completion_tokens" : "max_tokens";
  return {
    model: requireModel(options),
    messages: [
      ...(system === null ? [] : [{ role: "system" as const, content: system }]),
      ...paired.flatMap((message) => toMessages(message, dialect)),
    ],
    ...(streams && !without.has("usage") && { stream_options: { include_usage: true } }),
    ...(maxOutputTokens !== undefined && { [limit]: maxOutputTokens }),
    ...(temperature !== undefined && !without.has("temperature") && { temperature }),
    ...toTools(options, dialect),
  };
}

function toTools(
  { tools = [], toolChoice = "auto", parallelToolCalls }: ChatOptions,
  { aliases, without }: CompletionsDialect,
): Pick<Request, "tools" | "tool_choice" | "parallel_tool_calls"> {
  if (tools.length === 0) return {};
  const short = without.has("long_descriptions");
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: {
        name: aliases.aliasOf(name),
        description: short ? description.slice(0, MAX_DESCRIPTION_CHARS) : description,
        parameters: schemaFor("openai-compatible", parameters),
      },
    })),
    // `auto` is what holds without it, and some servers refuse the word.
    ...(toolChoice !== "auto" && { tool_choice: toToolChoice(toolChoice, aliases) }),
    ...(parallelToolCalls === false && !without.has("parallel") && { parallel_tool_calls: false }),
  };
}

function toToolChoice(choice: ToolChoice, aliases: ToolAliases): OpenAI.Chat.ChatCompletionToolChoiceOption {
  return typeof choice === "string" ? choice : { type: "function", function: { name: aliases.aliasOf(choice.name) } };
}

function toMessages({ role, contents }: ChatMessage, dialect: CompletionsDialect): Message[] {
  if (role === "assistant") return toAssistantMessage(contents, dialect);
  const results = contents.filter((content) => content.type === "function_result");
  if (results.length > 0) return toToolMessages(results, dialect);
  const parts = contents.flatMap((content) => toParts(content, dialect));
  return parts.length === 0 ? [] : [{ role: "user", content: plainOr(parts) }];
}

/** Text alone goes as a string, which every server takes. */
function plainOr(parts: Part[]): string | Part[] {
  const texts = parts.filter((part) => part.type === "text");
  return texts.length === parts.length ? texts.map(({ text }) => text).join("\n") : parts;
}

function toAssistantMessage(contents: readonly ChatContent[], dialect: CompletionsDialect): Message[] {
  const text = contents
    .map((content) => (content.type === "text" ? content.text : content.type === "media" ? mediaNote(content) : ""))
    .join("");
  const calls = contents.filter((content) => content.type === "function_call");
  if (calls.length === 0) return text === "" ? [] : [{ role: "assistant", content: text }];
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      tool_calls: calls.map((call) => toToolCall(call, dialect)),
      ...reasoningBack(contents, dialect),
    },
  ];
}

/** Endpoints that think between calls want their thoughts back with them, and only there. */
function reasoningBack(contents: readonly ChatContent[], { provider, without }: CompletionsDialect): JsonObject {
  if (without.has("reasoning")) return {};
  const own = contents.find((content) => content.type === "provider" && content.provider === provider);
  return own?.type === "provider" && isPlainObject(own.value) ? (own.value as JsonObject) : {};
}

function toToolCall(
  call: FunctionCallContent,
  { aliases, provider, without }: CompletionsDialect,
): OpenAI.Chat.ChatCompletionMessageFunctionToolCall {
  const data = call.providerData;
  const extra =
    isPlainObject(data) && data.provider === provider && !without.has("reasoning") ? data.extra_content : undefined;
  return {
    id: portableName(call.callId),
    type: "function",
    function: { name: aliases.aliasOf(call.name), arguments: argumentsText(call) },
    ...(extra !== undefined && { extra_content: extra }),
  };
}

/** Tool messages hold text only: images follow in a message of the user's, after all results of the turn. */
function toToolMessages(results: readonly FunctionResultContent[], dialect: CompletionsDialect): Message[] {
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

function imagesOf({ name, callId, exception, items }: FunctionResultContent, { without }: CompletionsDialect): Part[] {
  if (exception || without.has("images")) return [];
  const images = (items ?? []).filter((item) => item.type === "media").filter(isCommonImage);
  if (images.length === 0) return [];
  return [{ type: "text", text: `${name} (call ${callId}):` }, ...images.map(toImage)];
}

function toParts(content: ChatContent, { without }: CompletionsDialect): Part[] {
  if (content.type === "text") return content.text === "" ? [] : [{ type: "text", text: content.text }];
  if (content.type !== "media") return [];
  if (isCommonImage(content) && !without.has("images")) return [toImage(content)];
  return [{ type: "text", text: mediaNote(content) }];
}

function toImage({ mimeType, data }: { mimeType: string; data: string }): Part {
  return { type: "image_url", image_url: { url: `data:${mimeType};base64,${data}` } };
}
