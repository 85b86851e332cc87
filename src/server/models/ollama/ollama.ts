import type { ChatRequest, Message, Tool, ToolCall } from "ollama";
import type {
  ChatContent,
  ChatMessage,
  ChatTool,
  FunctionCallContent,
  FunctionResultContent,
} from "../../../lib/contract/chat";
import { isPlainObject } from "../../../lib/contract/json";
import { schemaFor } from "../../../lib/schema/providers/provider-schema";
import type { ChatTurn } from "../chat-turn";
import { resultText } from "../pair-calls";
import type { ModelPage, Vendor } from "../vendor";
import { toArgumentsObject } from "../vendor-arguments";
import { OLLAMA, OllamaReader } from "./read-ollama";

/** The server reads ids, the vendor's types lack them. */
type SentMessage = Message & { tool_call_id?: string; tool_calls?: (ToolCall & { id: string })[] };

/** Families and names of models that only embed: the list has no other sign of them. */
const NO_CHAT = /bert|embed|minilm|rerank|\bbge\b/i;
const MAX_MODELS = 2000;
const IMAGES_FOLLOW = "The images of the tool results above, in their order.";

/** Ollama's own API; only a proxy needs a key. */
export const ollama: Vendor = {
  name: "Ollama",
  address: "http://127.0.0.1:11434",
  pastedPath: /\/(api|v1)$/,
  timesOut: false,
  streams: "lines",
  schemas: "ollama",
  modelsPath: "/api/tags",
  media: /^image\/(?:png|jpeg|webp)$/,
  toPath: () => "/api/chat",
  toBody,
  toTool,
  createReader: (turn) => new OllamaReader(turn),
  readModels,
};

function readModels(body: unknown): ModelPage {
  if (!isPlainObject(body) || !Array.isArray(body.models)) throw new SyntaxError("no list of models");
  return { names: body.models.slice(0, MAX_MODELS).flatMap(readChatModel).sort() };
}

function readChatModel(model: unknown): string[] {
  if (!isPlainObject(model) || typeof model.name !== "string") return [];
  const family = isPlainObject(model.details) ? model.details.family : "";
  return NO_CHAT.test(`${model.name} ${typeof family === "string" ? family : ""}`) ? [] : [model.name];
}

/** A tool cannot be required: `none` omits the tools, and a named tool is the only one that is sent. */
function toBody({ model, system, messages, tools, toolChoice, options, streaming }: ChatTurn): ChatRequest {
  const { maxOutputTokens, temperature, stopSequences } = options;
  const offered = toolChoice === "none" ? [] : tools.filter(({ name }) => isChosen(name, toolChoice));
  return {
    model,
    stream: streaming,
    messages: [...(system === null ? [] : [{ role: "system", content: system }]), ...messages.flatMap(toMessages)],
    tools: offered.length === 0 ? undefined : offered.map(toTool),
    options: { num_predict: maxOutputTokens, temperature, stop: stopSequences && [...stopSequences] },
  };
}

/** The API drops the description of the parameters as a whole, so it is added to the tool's. */
function toTool({ name, description: text, parameters }: ChatTool): Tool {
  const { description: ofParameters, ...schema } = schemaFor("ollama", parameters);
  const description = typeof ofParameters === "string" ? `${text}\nParameters: ${ofParameters}` : text;
  return { type: "function", function: { name, description, parameters: schema } } as Tool;
}

function isChosen(name: string, choice: "auto" | "required" | { name: string }): boolean {
  return typeof choice === "string" || choice.name === name;
}

function toMessages({ role, contents }: ChatMessage): SentMessage[] {
  if (role === "assistant") return toAssistantMessage(contents);
  const results = contents.filter((content) => content.type === "function_result");
  if (results.length > 0) return toToolMessages(results);
  const images = findImages(contents);
  const content = findTexts(contents).join("\n");
  if (images.length === 0) return content === "" ? [] : [{ role: "user", content }];
  return [{ role: "user", content, images }];
}

function toAssistantMessage(contents: readonly ChatContent[]): SentMessage[] {
  const content = findTexts(contents).join("");
  const calls = contents.filter((each) => each.type === "function_call");
  if (calls.length === 0) return content === "" ? [] : [{ role: "assistant", content }];
  return [{ role: "assistant", content, thinking: findThinking(contents), tool_calls: calls.map(toToolCall) }];
}

/** Models that think between calls need their thoughts back with the calls. */
function findThinking(contents: readonly ChatContent[]): string | undefined {
  for (const content of contents) {
    if (content.type !== "provider" || content.provider !== OLLAMA || !isPlainObject(content.value)) continue;
    if (typeof content.value.thinking === "string") return content.value.thinking;
  }
  return undefined;
}

function toToolCall(call: FunctionCallContent): ToolCall & { id: string } {
  return { id: call.callId, function: { name: call.name, arguments: toArgumentsObject(call) } };
}

/** Only user messages can hold images. */
function toToolMessages(results: readonly FunctionResultContent[]): SentMessage[] {
  const images = results.flatMap(({ exception, items }) => (exception ? [] : findImages(items ?? [])));
  return [
    ...results.map((result) => ({
      role: "tool",
      tool_name: result.name,
      tool_call_id: result.callId,
      content: resultText(result, "mark_errors"),
    })),
    ...(images.length === 0 ? [] : [{ role: "user", content: IMAGES_FOLLOW, images }]),
  ];
}

function findTexts(contents: readonly ChatContent[]): string[] {
  return contents.flatMap((content) => (content.type === "text" && content.text !== "" ? [content.text] : []));
}

/** The images of the contents, in base64. */
function findImages(contents: readonly ChatContent[]): string[] {
  return contents.flatMap((content) => (content.type === "media" ? [content.data] : []));
}
