import type { ChatRequest, Message, Tool, ToolCall } from "ollama";
import {
  type ChatContent,
  type ChatMessage,
  type ChatOptions,
  type ChatTool,
  type FunctionCallContent,
  type FunctionResultContent,
  isPlainObject,
  type MediaContent,
} from "../../../../lib/contract";
import { argumentsObject } from "../call-arguments";
import { isCommonImage, mediaNote } from "../media-note";
import { pairCalls, resultText } from "../pair-calls";
import { schemaFor } from "../provider-schema";
import { requireModel, systemText } from "../request-basics";
import type { ToolAliases } from "../tool-aliases";

type Request = Omit<ChatRequest, "stream">;
/** The server reads ids, the vendor's types lack them. */
type SentMessage = Message & { tool_call_id?: string; tool_calls?: (ToolCall & { id: string })[] };

export const OLLAMA = "ollama";

const IMAGES_FOLLOW = "The images of the tool results above, in their order.";

/** A tool cannot be required here. `none` leaves the tools out; a named tool is the only one that is sent. */
export function toOllamaRequest(messages: readonly ChatMessage[], options: ChatOptions, aliases: ToolAliases): Request {
  const { tools = [], toolChoice = "auto", maxOutputTokens, temperature } = options;
  const system = systemText(messages, options);
  const paired = pairCalls(messages.filter(({ role }) => role !== "system"));
  const offered = toolChoice === "none" ? [] : tools.filter(({ name }) => isChosen(name, toolChoice));
  const settings = {
    ...(maxOutputTokens !== undefined && { num_predict: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
  };
  return {
    model: requireModel(options),
    messages: [
      ...(system === null ? [] : [{ role: "system", content: system }]),
      ...paired.flatMap((message) => toMessages(message, aliases)),
    ],
    ...(offered.length > 0 && { tools: offered.map((tool) => toTool(tool, aliases)) }),
    ...(Object.keys(settings).length > 0 && { options: settings }),
  };
}

function isChosen(name: string, choice: "auto" | "required" | { name: string }): boolean {
  return typeof choice === "string" || choice.name === name;
}

/** What the parameters as a whole say has no place in them here, so it is said with the tool. */
function toTool({ name, description, parameters }: ChatTool, aliases: ToolAliases): Tool {
  const { description: said, ...schema } = schemaFor("ollama", parameters);
  const told = typeof said === "string" ? `${description}\nParameters: ${said}` : description;
  return {
    type: "function",
    function: { name: aliases.aliasOf(name), description: told, parameters: schema as Tool["function"]["parameters"] },
  } as Tool;
}

function toMessages({ role, contents }: ChatMessage, aliases: ToolAliases): SentMessage[] {
  if (role === "assistant") return toAssistantMessage(contents, aliases);
  const results = contents.filter((content) => content.type === "function_result");
  if (results.length > 0) return toToolMessages(results, aliases);
  const images = imagesIn(contents);
  const text = textsIn(contents).join("\n");
  return text === "" && images.length === 0 ? [] : [{ role: "user", content: text, ...pictures(images) }];
}

function toAssistantMessage(contents: readonly ChatContent[], aliases: ToolAliases): SentMessage[] {
  const content = textsIn(contents).join("");
  const calls = contents.filter((each) => each.type === "function_call");
  if (calls.length === 0) return content === "" ? [] : [{ role: "assistant", content }];
  const thinking = thinkingIn(contents);
  return [
    {
      role: "assistant",
      content,
      ...(thinking !== null && { thinking }),
      tool_calls: calls.map((call) => toToolCall(call, aliases)),
    },
  ];
}

/** Models that think between calls are given their thoughts back with them. */
function thinkingIn(contents: readonly ChatContent[]): string | null {
  for (const content of contents) {
    if (content.type !== "provider" || content.provider !== OLLAMA || !isPlainObject(content.value)) continue;
    if (typeof content.value.thinking === "string") return content.value.thinking;
  }
  return null;
}

function toToolCall(call: FunctionCallContent, aliases: ToolAliases): ToolCall & { id: string } {
  return { id: call.callId, function: { name: aliases.aliasOf(call.name), arguments: argumentsObject(call) } };
}

/** Images stand in messages of the user's only. */
function toToolMessages(results: readonly FunctionResultContent[], aliases: ToolAliases): SentMessage[] {
  const images = results.flatMap(({ exception, items }) => (exception ? [] : imagesIn(items ?? [])));
  return [
    ...results.map((result) => ({
      role: "tool",
      tool_name: aliases.aliasOf(result.name),
      tool_call_id: result.callId,
      content: resultText(result, "mark_errors"),
    })),
    ...(images.length === 0 ? [] : [{ role: "user", content: IMAGES_FOLLOW, ...pictures(images) }]),
  ];
}

function textsIn(contents: readonly ChatContent[]): string[] {
  return contents.flatMap((content) => {
    if (content.type === "text") return content.text === "" ? [] : [content.text];
    return content.type === "media" && !isImage(content) ? [mediaNote(content)] : [];
  });
}

function imagesIn(contents: readonly ChatContent[]): MediaContent[] {
  return contents.filter((content): content is MediaContent => content.type === "media" && isImage(content));
}

function isImage(media: MediaContent): boolean {
  return isCommonImage(media) && media.mimeType !== "image/gif";
}

/** As bytes: of a text the vendor's client would first look whether there is a file of that name, and send that. */
function pictures(images: readonly MediaContent[]): Pick<Message, "images"> {
  if (images.length === 0) return {};
  return { images: images.map(({ data }) => new Uint8Array(Buffer.from(data, "base64"))) };
}
