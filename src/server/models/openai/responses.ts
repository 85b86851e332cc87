import type OpenAI from "openai";
import type {
  ChatContent,
  ChatMessage,
  ChatOptions,
  ChatTool,
  FunctionResultContent,
  MediaContent,
  ToolChoice,
} from "../../../lib/contract/chat";
import { portableName } from "../../../lib/portable-name";
import { schemaFor } from "../../../lib/schema/providers/provider-schema";
import type { ChatTurn } from "../chat-turn";
import { describeMedia, isCommonImage } from "../media";
import { resultText } from "../pair-calls";
import type { PartRule } from "../refused-parts";
import type { ToolAliases } from "../tool-aliases";
import type { Vendor } from "../vendor";
import { toArgumentsText } from "../vendor-arguments";
import { LONG_DESCRIPTIONS, readModels, TEMPERATURE, toKeyHeader, withShortDescription } from "./openai-common";
import { isConversation, isStored, OPENAI, ResponsesReader } from "./read-responses";

type Request = OpenAI.Responses.ResponseCreateParams;
type Item = OpenAI.Responses.ResponseInputItem;
type Part =
  | OpenAI.Responses.ResponseInputText
  | OpenAI.Responses.ResponseInputImage
  | OpenAI.Responses.ResponseInputFile;

type ResponsesPart = "temperature" | "summary" | "encrypted" | "earlier_reasoning" | "long_descriptions";

/** Tested in this order. */
const PARTS: Record<ResponsesPart, PartRule> = {
  temperature: TEMPERATURE,
  // Reasoning of another account or model cannot be read here.
  earlier_reasoning: {
    pattern: /invalid_encrypted_content|encrypted content .*could not be|reasoning'? .*without/i,
    always: false,
  },
  encrypted: { pattern: /encrypted[ _]content/i, always: true },
  summary: { pattern: /reasoning[ ._](summary|effort)|reasoning summar|'reasoning'/i, always: true },
  long_descriptions: LONG_DESCRIPTIONS,
};

/** Families without reasoning: asking for it would cost a refused request. */
const PLAIN_MODEL = /^(ft:)?(gpt-3|gpt-4|chatgpt|gpt-[\w.]+-chat)/;
/** The minimum of the API. */
const MIN_OUTPUT_TOKENS = 16;

/** OpenAI's Responses API. The vendor holds a conversation only if the options ask for it. */
export const openai: Vendor = {
  name: "OpenAI",
  address: "https://api.openai.com/v1",
  path: "/v1",
  holdsConversations: true,
  parts: PARTS,
  streams: "events",
  modelsPath: "/models",
  toKeyHeader,
  toPath: () => "/responses",
  toBody,
  toTool,
  createReader: (turn) => new ResponsesReader(turn),
  readModels,
};

/** With a `conversationId`, the messages are only the new ones. */
function toBody(turn: ChatTurn, without: ReadonlySet<ResponsesPart>): Request {
  const { model, system, messages, options, aliases, streaming } = turn;
  const { conversationId, maxOutputTokens, temperature } = options;
  const reasons = !PLAIN_MODEL.test(model);
  const store = isStored(options);
  const keepsReasoning = !without.has("earlier_reasoning");
  return {
    model,
    stream: streaming,
    store,
    input: messages.flatMap((message) => toItems(message, aliases, keepsReasoning)),
    instructions: system ?? undefined,
    ...(conversationId !== undefined && toConversation(conversationId)),
    include: reasons && !store && !without.has("encrypted") ? ["reasoning.encrypted_content"] : undefined,
    reasoning: reasons && !without.has("summary") ? { summary: "auto" } : undefined,
    max_output_tokens: maxOutputTokens === undefined ? undefined : Math.max(maxOutputTokens, MIN_OUTPUT_TOKENS),
    temperature: without.has("temperature") ? undefined : temperature,
    ...toTools(options, aliases, without.has("long_descriptions")),
  };
}

function toConversation(conversationId: string): Pick<Request, "conversation" | "previous_response_id"> {
  return isConversation(conversationId) ? { conversation: conversationId } : { previous_response_id: conversationId };
}

function toTools(
  { tools = [], toolChoice = "auto", parallelToolCalls }: ChatOptions,
  aliases: ToolAliases,
  shortDescriptions: boolean,
): Pick<Request, "tools" | "tool_choice" | "parallel_tool_calls"> {
  if (tools.length === 0) return {};
  return {
    tools: tools.map((tool) => toTool(shortDescriptions ? withShortDescription(tool) : tool, aliases)),
    tool_choice: toToolChoice(toolChoice, aliases),
    parallel_tool_calls: parallelToolCalls === false ? false : undefined,
  };
}

function toTool({ name, description, parameters }: ChatTool, aliases: Pick<ToolAliases, "getAlias">) {
  return {
    type: "function" as const,
    name: aliases.getAlias(name),
    description,
    parameters: schemaFor("openai", parameters),
    // Left out it means true, which makes every optional parameter a required one.
    strict: false,
  };
}

function toToolChoice(choice: ToolChoice, aliases: ToolAliases): NonNullable<Request["tool_choice"]> {
  return typeof choice === "string" ? choice : { type: "function", name: aliases.getAlias(choice.name) };
}

function toItems({ role, contents }: ChatMessage, aliases: ToolAliases, keepsReasoning: boolean): Item[] {
  if (role === "assistant") return toAssistantItems(contents, aliases, keepsReasoning);
  const results = contents.filter((content) => content.type === "function_result").map(toOutput);
  const parts = contents.flatMap(toParts);
  const [only] = parts;
  if (!only) return results;
  const content = parts.length === 1 && only.type === "input_text" ? only.text : parts;
  return [...results, { role: "user", content }];
}

/** The API refuses reasoning that nothing of the model follows, as after a response that was cut off. */
function toAssistantItems(contents: readonly ChatContent[], aliases: ToolAliases, keepsReasoning: boolean): Item[] {
  const items = contents.flatMap((content): Item[] => {
    switch (content.type) {
      case "text":
        return [{ role: "assistant", content: content.text }];
      case "media":
        return [{ role: "assistant", content: describeMedia(content) }];
      case "function_call":
        return [
          {
            type: "function_call",
            call_id: portableName(content.callId),
            name: aliases.getAlias(content.name),
            arguments: toArgumentsText(content),
          },
        ];
      case "provider":
        return content.provider === OPENAI && keepsReasoning ? [content.value as unknown as Item] : [];
      default:
        return [];
    }
  });
  return items.slice(0, items.findLastIndex((item) => item.type !== "reasoning") + 1);
}

function toOutput(content: FunctionResultContent): Item {
  const output = { type: "function_call_output" as const, call_id: portableName(content.callId) };
  const hasMedia = content.items?.some(({ type }) => type === "media") ?? false;
  if (content.exception || !hasMedia) return { ...output, output: resultText(content, "mark_errors") };
  return { ...output, output: (content.items ?? []).flatMap(toParts) };
}

function toParts(content: ChatContent): Part[] {
  if (content.type === "text") return content.text === "" ? [] : [{ type: "input_text", text: content.text }];
  return content.type === "media" ? [toMedia(content)] : [];
}

function toMedia(media: MediaContent): Part {
  const address = `data:${media.mimeType};base64,${media.data}`;
  if (isCommonImage(media)) return { type: "input_image", detail: "auto", image_url: address };
  if (media.mimeType === "application/pdf" && media.data !== "") {
    return { type: "input_file", filename: "document.pdf", file_data: address };
  }
  return { type: "input_text", text: describeMedia(media) };
}
