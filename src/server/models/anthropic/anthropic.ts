import type Anthropic from "@anthropic-ai/sdk";
import {
  type ChatContent,
  type ChatMessage,
  type ChatTool,
  type FunctionCallContent,
  type FunctionResultContent,
  listCalls,
  type MediaContent,
  type ToolChoice,
} from "../../../lib/contract/chat";
import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import { schemaFor } from "../../../lib/schema/providers/provider-schema";
import { type ChatTurn, IMAGES_AND_PDF } from "../chat-turn";
import { resultText } from "../pair-calls";
import type { ModelPage, Vendor } from "../vendor";
import { toArgumentsObject } from "../vendor-arguments";
import { ANTHROPIC, AnthropicReader } from "./read-anthropic";

type Block = Anthropic.ContentBlockParam;

const PAGE_SIZE = 1000;
const PDF = "application/pdf";
const DEFAULT_MAX_TOKENS = 8192;
/** Agents send the whole conversation at each turn; the vendor reads everything before a marker from its cache. */
const CACHED = { type: "ephemeral" } as const;
/** Blocks that may not carry a cache marker. */
const UNMARKABLE = new Set<Block["type"]>(["thinking", "redacted_thinking"]);

/** A client for Anthropic's Messages API. */
export const anthropic: Vendor = {
  name: "Anthropic",
  address: "https://api.anthropic.com",
  pastedPath: /\/v1$/,
  headers: { "anthropic-version": "2023-06-01" },
  schemas: "anthropic",
  modelsPath: `/v1/models?limit=${PAGE_SIZE}`,
  keyHeader: "x-api-key",
  media: IMAGES_AND_PDF,
  toPath: () => "/v1/messages",
  toBody,
  toTool,
  createReader: (turn) => new AnthropicReader(turn),
  readModels,
};

function readModels(body: unknown): ModelPage {
  if (!isPlainObject(body) || !Array.isArray(body.data)) throw new SyntaxError("no list of models");
  const { data, has_more, last_id } = body as Partial<Anthropic.ModelInfosPage> & { data: Anthropic.ModelInfo[] };
  return {
    names: data.filter(({ lifecycle }) => lifecycle !== "retired").map(({ id }) => id),
    nextQuery: has_more && last_id ? `&after_id=${encodeURIComponent(last_id)}` : undefined,
  };
}

/** Builds the body without `temperature`, which this version of the API lacks. */
function toBody(turn: ChatTurn): Anthropic.MessageCreateParams {
  const { model, system, messages, options, streaming } = turn;
  return {
    model,
    stream: streaming,
    max_tokens: options.maxOutputTokens ?? DEFAULT_MAX_TOKENS,
    system: system === null ? undefined : [{ type: "text", text: system, cache_control: CACHED }],
    messages: markLast(mergeRoles(messages.flatMap(toMessage))),
    // The API refuses sequences of white space.
    stop_sequences: options.stopSequences?.filter((text) => text.trim() !== ""),
    ...toTools(turn),
  };
}

/** A request whose history has calls must name tools, even if none may be called. */
function toTools(turn: ChatTurn): Pick<Anthropic.MessageCreateParams, "tools" | "tool_choice"> {
  const { messages, tools, toolChoice, options } = turn;
  if (tools.length === 0) {
    const names = [...new Set(messages.flatMap(listCalls).map(({ name }) => name))];
    if (names.length === 0) return {};
    return {
      tools: names.map((name) => ({ name, input_schema: { type: "object" } })),
      tool_choice: { type: "none" },
    };
  }
  return {
    tools: tools.map((tool, index) => ({
      ...toTool(tool),
      cache_control: index === tools.length - 1 ? CACHED : undefined,
    })),
    tool_choice: toToolChoice(toolChoice, options.parallelToolCalls === false),
  };
}

function toTool({ name, description, parameters }: ChatTool): Anthropic.Tool {
  // A root that is not an object becomes one by the reduction.
  const input_schema = schemaFor("anthropic", parameters) as JsonSchema & { type: "object" };
  return { name, description, input_schema };
}

function toToolChoice(choice: ToolChoice, oneOnly: boolean): Anthropic.ToolChoice {
  if (choice === "none") return { type: "none" };
  const disable_parallel_tool_use = oneOnly || undefined;
  if (choice === "auto") return { type: "auto", disable_parallel_tool_use };
  if (choice === "required") return { type: "any", disable_parallel_tool_use };
  return { type: "tool", name: choice.name, disable_parallel_tool_use };
}

function toMessage({ role, contents }: ChatMessage): Anthropic.MessageParam[] {
  const content = contents.flatMap((part) => toBlocks(part, role === "assistant"));
  return content.length === 0 ? [] : [{ role: role === "assistant" ? "assistant" : "user", content }];
}

function toBlocks(content: ChatContent, fromModel: boolean): Block[] {
  switch (content.type) {
    case "text":
      // The API refuses blocks of white space.
      return content.text.trim() === "" ? [] : [{ type: "text", text: content.text }];
    case "media":
      return [toMedia(content)];
    case "function_call":
      return [toToolUse(content)];
    case "function_result":
      return [toToolResult(content)];
    case "provider":
      // Thinking is signed: it is sent back unchanged, or not at all.
      return content.provider === ANTHROPIC && fromModel ? [content.value as unknown as Block] : [];
    default:
      return [];
  }
}

function toToolUse(call: FunctionCallContent): Anthropic.ToolUseBlockParam {
  return { type: "tool_use", id: call.callId, name: call.name, input: toArgumentsObject(call) };
}

function toToolResult(content: FunctionResultContent): Anthropic.ToolResultBlockParam {
  const text = resultText(content, "plain");
  const result = { type: "tool_result" as const, tool_use_id: content.callId };
  // A result that is marked as an error may hold text only.
  if (content.exception) return { ...result, content: text, is_error: true };
  if (!content.items?.some(({ type }) => type === "media")) return { ...result, content: text };
  const blocks = content.items
    .map((item) => (item.type === "media" ? toMedia(item) : { type: "text" as const, text: item.text }))
    .filter((block) => block.type !== "text" || block.text.trim() !== "");
  return { ...result, content: blocks };
}

function toMedia({ mimeType, data }: MediaContent): Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam {
  if (mimeType === PDF) return { type: "document", source: { type: "base64", media_type: PDF, data } };
  const media_type = mimeType as Anthropic.Base64ImageSource["media_type"];
  return { type: "image", source: { type: "base64", media_type, data } };
}

/** Puts all results of a turn, and the user's next text, into one user message. */
function mergeRoles(messages: readonly Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  const merged: Anthropic.MessageParam[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === message.role && Array.isArray(last.content) && Array.isArray(message.content)) {
      merged[merged.length - 1] = {
        role: message.role,
        content: [...last.content, ...message.content],
      } as Anthropic.MessageParam;
    } else merged.push(message);
  }
  return merged;
}

function markLast(messages: Anthropic.MessageParam[]): Anthropic.MessageParam[] {
  const last = messages.at(-1);
  if (last === undefined || last.role === "system" || !Array.isArray(last.content)) return messages;
  const block = last.content.at(-1);
  if (block === undefined || UNMARKABLE.has(block.type)) return messages;
  const marked = { ...block, cache_control: CACHED } as Block;
  return [...messages.slice(0, -1), { role: last.role, content: [...last.content.slice(0, -1), marked] }];
}
