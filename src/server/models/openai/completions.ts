import type OpenAI from "openai";
import type {
  ChatContent,
  ChatMessage,
  ChatTool,
  FunctionCallContent,
  FunctionResultContent,
} from "../../../lib/contract/chat";
import { isPlainObject, type JsonObject, type JsonValue } from "../../../lib/contract/json";
import { schemaFor } from "../../../lib/schema/providers/provider-schema";
import { type ChatTurn, toText } from "../chat-turn";
import { resultText } from "../pair-calls";
import type { PartRule } from "../refused-parts";
import type { Vendor } from "../vendor";
import { toArgumentsText } from "../vendor-arguments";
import { LONG_DESCRIPTIONS, readModels, TEMPERATURE, toTools } from "./openai-common";
import { CALL_EXTRAS, CompletionsReader, toProviderName } from "./read-completions";
import { BESIDE_CALLS, REASONING_FIELDS } from "./reasoning";

type Request = OpenAI.Chat.ChatCompletionCreateParams;
type Message = OpenAI.Chat.ChatCompletionMessageParam;
type Part = OpenAI.Chat.ChatCompletionContentPartText | OpenAI.Chat.ChatCompletionContentPartImage;

type CompletionsPart =
  | "temperature"
  | "stop"
  | "max_tokens"
  | "usage"
  | "parallel"
  | "images"
  | "reasoning"
  | "long_descriptions"
  | "empty_content";

/** Tested in this order. */
const PARTS: Record<CompletionsPart, PartRule> = {
  max_tokens: { pattern: /max_completion_tokens/i, always: true },
  temperature: TEMPERATURE,
  stop: { pattern: /\bstop\b.*not support|unsupported.*\bstop\b/i, always: true },
  usage: { pattern: /stream_options|include_usage/i, always: true },
  parallel: { pattern: /parallel_tool_calls/i, always: true },
  reasoning: {
    pattern: /reasoning_(content|details)|['"`]reasoning['"`]|extra_content|provider_specific_fields|thinking_blocks/i,
    always: true,
  },
  // Not remembered: the reason may be this one image.
  images: { pattern: /\bimages?\b|image_url|vision|multimodal|mmproj/i, always: false },
  long_descriptions: LONG_DESCRIPTIONS,
  // llama.cpp, LM Studio and mlx-lm want text beside calls; other servers refuse a text without characters.
  empty_content: {
    pattern: /\bcontent\b.{0,80}\b(string|array|null|none|empty|missing|required)\b|NoneType/i,
    always: true,
  },
};

/** The largest number that the API accepts. */
const MAX_STOP_SEQUENCES = 4;
const IMAGES_FOLLOW = "The images of the tool results above, in their order:";

/** Chat Completions at any address. Lenient, since many servers implement this API; the key is optional. */
export const openaiCompatible: Vendor = {
  address: "",
  path: "/v1",
  // The endpoint that users copy from a vendor's page.
  pastedPath: /\/chat\/completions$/,
  parts: PARTS,
  schemas: "openai-compatible",
  modelsPath: "/models",
  toPath: () => "/chat/completions",
  toBody,
  toTool,
  createReader: (turn) => new CompletionsReader(turn),
  readModels,
};

interface Dialect {
  without: ReadonlySet<CompletionsPart>;
  /** The name of the `provider` contents that are sent back. */
  provider: string;
}

function toBody(turn: ChatTurn, without: ReadonlySet<CompletionsPart>): Request {
  const { model, system, messages, options, streaming } = turn;
  const { maxOutputTokens, temperature, stopSequences } = options;
  const dialect = { without, provider: toProviderName(turn) };
  const limit = without.has("max_tokens") ? "max_completion_tokens" : "max_tokens";
  return {
    model,
    stream: streaming,
    messages: [
      ...(system === null ? [] : [{ role: "system" as const, content: system }]),
      ...messages.flatMap((message) => toMessages(message, dialect)),
    ],
    stream_options: streaming && !without.has("usage") ? { include_usage: true } : undefined,
    [limit]: maxOutputTokens,
    temperature: without.has("temperature") ? undefined : temperature,
    stop: without.has("stop") ? undefined : stopSequences?.slice(0, MAX_STOP_SEQUENCES),
    ...toTools(turn, without, toTool, (name) => ({ type: "function" as const, function: { name } })),
    // `auto` is the default, and some servers refuse the word.
    ...(turn.toolChoice === "auto" && { tool_choice: undefined }),
  };
}

function toTool({ name, description, parameters }: ChatTool) {
  const schema = schemaFor("openai-compatible", parameters);
  return { type: "function" as const, function: { name, description, parameters: schema } };
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
  const text = contents.map((content) => (content.type === "text" ? content.text : "")).join("");
  const calls = contents.filter((content) => content.type === "function_call");
  const reasoning = readReasoning(contents, dialect, calls.length > 0);
  if (calls.length === 0) return text === "" ? [] : [{ role: "assistant", content: text, ...reasoning }];
  const empty = dialect.without.has("empty_content") ? "" : null;
  return [
    {
      role: "assistant",
      content: text === "" ? empty : text,
      tool_calls: calls.map((call) => toToolCall(call, dialect)),
      ...reasoning,
    },
  ];
}

/** Endpoints that think between calls require their thoughts back. */
function readReasoning(
  contents: readonly ChatContent[],
  { provider, without }: Dialect,
  hasCalls: boolean,
): JsonObject {
  if (without.has("reasoning")) return {};
  const stored = contents.find((content) => content.type === "provider" && content.provider === provider);
  if (stored?.type !== "provider" || !isPlainObject(stored.value)) return {};
  const value = stored.value as JsonObject;
  const fields = REASONING_FIELDS.filter((field) => Object.hasOwn(value, field));
  const sent = fields.filter((field) => hasCalls || !BESIDE_CALLS.has(field));
  return Object.fromEntries(sent.map((field) => [field, value[field] as JsonValue]));
}

function toToolCall(
  call: FunctionCallContent,
  { provider, without }: Dialect,
): OpenAI.Chat.ChatCompletionMessageFunctionToolCall {
  const stored = call.providerData;
  const data = isPlainObject(stored) && stored.provider === provider && !without.has("reasoning") ? stored : {};
  const extras = CALL_EXTRAS.filter((field) => Object.hasOwn(data, field)).map((field) => [field, data[field]]);
  return {
    id: call.callId,
    type: "function",
    function: { name: call.name, arguments: toArgumentsText(call) },
    ...Object.fromEntries(extras),
  };
}

/** Tool messages hold text only: images follow in a user message after all results of the turn. */
function toToolMessages(results: readonly FunctionResultContent[], dialect: Dialect): Message[] {
  const images = results.flatMap((result) => listImages(result, dialect));
  return [
    ...results.map((result) => ({
      role: "tool" as const,
      tool_call_id: result.callId,
      content: resultText(result, "mark_errors"),
    })),
    ...(images.length === 0
      ? []
      : [{ role: "user" as const, content: [{ type: "text" as const, text: IMAGES_FOLLOW }, ...images] }]),
  ];
}

function listImages({ name, callId, exception, items }: FunctionResultContent, { without }: Dialect): Part[] {
  if (exception || without.has("images")) return [];
  const images = (items ?? []).filter((item) => item.type === "media");
  if (images.length === 0) return [];
  return [{ type: "text", text: `${name} (call ${callId}):` }, ...images.map(toImage)];
}

function toParts(content: ChatContent, { without }: Dialect): Part[] {
  if (content.type === "text") return content.text === "" ? [] : [{ type: "text", text: content.text }];
  if (content.type !== "media") return [];
  return [without.has("images") ? toText(content) : toImage(content)];
}

function toImage({ mimeType, data }: { mimeType: string; data: string }): Part {
  return { type: "image_url", image_url: { url: `data:${mimeType};base64,${data}` } };
}
