import type OpenAI from "openai";
import type {
  ChatContent,
  ChatMessage,
  ChatTool,
  FunctionResultContent,
  MediaContent,
} from "../../../lib/contract/chat";
import { schemaFor } from "../../../lib/schema/providers/provider-schema";
import { type ChatTurn, IMAGES_AND_PDF } from "../chat-turn";
import { resultText } from "../pair-calls";
import type { PartRule } from "../refused-parts";
import type { Vendor } from "../vendor";
import { toArgumentsText } from "../vendor-arguments";
import { LONG_DESCRIPTIONS, readModels, TEMPERATURE, toTools } from "./openai-common";
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

/** Model families without reasoning: requesting it would cost a refused request. */
const PLAIN_MODEL = /^(ft:)?(gpt-3|gpt-4|chatgpt|gpt-[\w.]+-chat)/;
const PDF = "application/pdf";
/** The minimum of the API. */
const MIN_OUTPUT_TOKENS = 16;

/** OpenAI's Responses API. The vendor keeps a conversation only if the options request it. */
export const openai: Vendor = {
  name: "OpenAI",
  address: "https://api.openai.com/v1",
  path: "/v1",
  holdsConversations: true,
  parts: PARTS,
  media: IMAGES_AND_PDF,
  schemas: "openai",
  modelsPath: "/models",
  toPath: () => "/responses",
  toBody,
  toTool,
  createReader: (turn) => new ResponsesReader(turn),
  readModels,
};

/** Builds the body; with a `conversationId`, the messages are only the new ones. */
function toBody(turn: ChatTurn, without: ReadonlySet<ResponsesPart>): Request {
  const { model, system, messages, options, streaming } = turn;
  const { conversationId, maxOutputTokens, temperature } = options;
  const reasons = !PLAIN_MODEL.test(model);
  const store = isStored(options);
  const keepsReasoning = !without.has("earlier_reasoning");
  return {
    model,
    stream: streaming,
    store,
    input: messages.flatMap((message) => toItems(message, keepsReasoning)),
    instructions: system ?? undefined,
    ...(conversationId !== undefined && toConversation(conversationId)),
    include: reasons && !store && !without.has("encrypted") ? ["reasoning.encrypted_content"] : undefined,
    reasoning: reasons && !without.has("summary") ? { summary: "auto" } : undefined,
    max_output_tokens: maxOutputTokens === undefined ? undefined : Math.max(maxOutputTokens, MIN_OUTPUT_TOKENS),
    temperature: without.has("temperature") ? undefined : temperature,
    ...toTools(turn, without, toTool, (name) => ({ type: "function" as const, name })),
  };
}

function toConversation(conversationId: string): Pick<Request, "conversation" | "previous_response_id"> {
  return isConversation(conversationId) ? { conversation: conversationId } : { previous_response_id: conversationId };
}

function toTool({ name, description, parameters }: ChatTool) {
  return {
    type: "function" as const,
    name,
    description,
    parameters: schemaFor("openai", parameters),
    // Left out it means true, which makes every optional parameter a required one.
    strict: false,
  };
}

function toItems({ role, contents }: ChatMessage, keepsReasoning: boolean): Item[] {
  if (role === "assistant") return toAssistantItems(contents, keepsReasoning);
  const results = contents.filter((content) => content.type === "function_result").map(toOutput);
  const parts = contents.flatMap(toParts);
  const [only] = parts;
  if (!only) return results;
  const content = parts.length === 1 && only.type === "input_text" ? only.text : parts;
  return [...results, { role: "user", content }];
}

/** The API refuses reasoning that nothing of the model follows, as after a response that was cut off. */
function toAssistantItems(contents: readonly ChatContent[], keepsReasoning: boolean): Item[] {
  const items = contents.flatMap((content): Item[] => {
    switch (content.type) {
      case "text":
        return [{ role: "assistant", content: content.text }];
      case "function_call":
        return [
          {
            type: "function_call",
            call_id: content.callId,
            name: content.name,
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
  const output = { type: "function_call_output" as const, call_id: content.callId };
  const hasMedia = content.items?.some(({ type }) => type === "media") ?? false;
  if (content.exception || !hasMedia) return { ...output, output: resultText(content, "mark_errors") };
  return { ...output, output: (content.items ?? []).flatMap(toParts) };
}

function toParts(content: ChatContent): Part[] {
  if (content.type === "text") return content.text === "" ? [] : [{ type: "input_text", text: content.text }];
  return content.type === "media" ? [toMedia(content)] : [];
}

function toMedia({ mimeType, data }: MediaContent): Part {
  const address = `data:${mimeType};base64,${data}`;
  if (mimeType === PDF) return { type: "input_file", filename: "document.pdf", file_data: address };
  return { type: "input_image", detail: "auto", image_url: address };
}
