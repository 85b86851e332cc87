import { type Content, FunctionCallingConfigMode, type GenerateContentParameters, type Part } from "@google/genai";
import {
  type ChatContent,
  type ChatMessage,
  type ChatOptions,
  callsOf,
  type FunctionCallContent,
  type FunctionResultContent,
  type MediaContent,
  type ToolChoice,
} from "../../../../lib/contract";
import { argumentsObject } from "../call-arguments";
import { mediaNote } from "../media-note";
import { pairCalls, resultText } from "../pair-calls";
import { schemaFor } from "../provider-schema";
import { requireModel, systemText } from "../request-basics";
import type { ToolAliases } from "../tool-aliases";
import { GEMINI, readExtras } from "./gemini-extras";

/** Stands for the signature of a call that another model made; the API refuses calls without any since Gemini 3. */
const UNSIGNED = "skip_thought_signature_validator";
const SIGNS_CALLS = /gemini-([3-9]|\d\d)/;
const TAKEN_MEDIA = /^(image\/(png|jpeg|webp|heic|heif)|audio\/|application\/pdf$)/;
/** Of those, what may stand inside a result, where results take media at all. */
const TAKEN_IN_RESULTS = /^(image\/(png|jpeg|webp)|application\/pdf)$/;

interface Translation {
  aliases: ToolAliases;
  /** Gemini 3 and later: calls are signed, results hold media. */
  recent: boolean;
  /** The id that the vendor gave a call, by ours; calls without one are matched by name and order. */
  vendorIds: ReadonlyMap<string, string>;
}

export function toGeminiRequest(
  messages: readonly ChatMessage[],
  options: ChatOptions,
  aliases: ToolAliases,
): GenerateContentParameters {
  const model = requireModel(options);
  const paired = pairCalls(messages.filter(({ role }) => role !== "system"));
  const system = systemText(messages, options);
  const vendorIds = new Map(
    paired.flatMap(callsOf).flatMap(({ callId, providerData }) => {
      const { id } = readExtras(providerData);
      return id === undefined ? [] : [[callId, id] as const];
    }),
  );
  const translation = { aliases, vendorIds, recent: SIGNS_CALLS.test(model) };
  return {
    model,
    contents: paired.flatMap((message) => toContents(message, translation)),
    config: {
      ...(system === null ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens }),
      ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
      ...(options.tools?.length ? toTools(options.tools, options.toolChoice ?? "auto", aliases) : {}),
    },
  };
}

function toTools(
  tools: NonNullable<ChatOptions["tools"]>,
  choice: ToolChoice,
  aliases: ToolAliases,
): Pick<NonNullable<GenerateContentParameters["config"]>, "tools" | "toolConfig"> {
  const functionDeclarations = tools.map(({ name, description, parameters }) => ({
    name: aliases.aliasOf(name),
    description,
    parametersJsonSchema: schemaFor("gemini", parameters),
  }));
  const mode = FunctionCallingConfigMode;
  const functionCallingConfig =
    typeof choice === "object"
      ? { mode: mode.ANY, allowedFunctionNames: [aliases.aliasOf(choice.name)] }
      : { mode: { auto: mode.AUTO, required: mode.ANY, none: mode.NONE }[choice] };
  return { tools: [{ functionDeclarations }], toolConfig: { functionCallingConfig } };
}

function toContents(message: ChatMessage, translation: Translation): Content[] {
  if (message.role === "tool") return toResults(message, translation);
  const fromModel = message.role === "assistant";
  const parts: Part[] = [];
  for (const content of message.contents) addPart(parts, content, fromModel, translation);
  if (fromModel && translation.recent) signFirstCall(parts);
  return parts.length === 0 ? [] : [{ role: fromModel ? "model" : "user", parts }];
}

function addPart(parts: Part[], content: ChatContent, fromModel: boolean, { aliases }: Translation): void {
  switch (content.type) {
    case "text":
      parts.push({ text: content.text });
      return;
    case "media":
      parts.push(fromModel ? { text: mediaNote(content) } : toMedia(content));
      return;
    case "function_call":
      parts.push(toCall(content, aliases));
      return;
    case "provider":
      if (content.provider === GEMINI && fromModel) signText(parts, readExtras(content.value));
      return;
    default:
  }
}

function toCall(call: FunctionCallContent, aliases: ToolAliases): Part {
  const { id, thoughtSignature } = readExtras(call.providerData);
  return {
    functionCall: {
      ...(id === undefined ? {} : { id }),
      name: aliases.aliasOf(call.name),
      args: argumentsObject(call),
    },
    ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
  };
}

/** A signature goes back on the very part it came with, which is the end of the text before it, or an empty part. */
function signText(parts: Part[], { text = "", thoughtSignature }: ReturnType<typeof readExtras>): void {
  if (thoughtSignature === undefined) return;
  const last = parts.at(-1);
  if (text !== "") {
    if (!last?.text?.endsWith(text)) return;
    last.text = last.text.slice(0, -text.length);
    if (last.text === "") parts.pop();
  }
  parts.push({ text, thoughtSignature });
}

/** Of calls that were made together only the first one is signed. */
function signFirstCall(parts: Part[]): void {
  const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
  if (calls[0] && calls.every(({ thoughtSignature }) => thoughtSignature === undefined)) {
    calls[0].thoughtSignature = UNSIGNED;
  }
}

/** As many results as there were calls, in one message; media that results cannot hold follow in the next. */
function toResults({ contents }: ChatMessage, translation: Translation): Content[] {
  const results = contents.filter((content) => content.type === "function_result");
  const following = translation.recent ? [] : results.flatMap((content) => mediaOf(content, TAKEN_MEDIA));
  return [
    { role: "user", parts: results.map((content) => toResult(content, translation)) },
    ...(following.length === 0 ? [] : [{ role: "user", parts: following.map(toMedia) }]),
  ];
}

function toResult(content: FunctionResultContent, { aliases, vendorIds, recent }: Translation): Part {
  const id = vendorIds.get(content.callId);
  const text = resultText(content, "plain");
  const media = recent ? mediaOf(content, TAKEN_IN_RESULTS) : [];
  const parts = media.map(({ mimeType, data }) => ({ inlineData: { mimeType, data } }));
  return {
    functionResponse: {
      ...(id === undefined ? {} : { id }),
      name: aliases.aliasOf(content.name),
      response: content.exception ? { error: text } : { output: text },
      ...(parts.length === 0 ? {} : { parts }),
    },
  };
}

function mediaOf({ items = [], exception }: FunctionResultContent, taken: RegExp): MediaContent[] {
  if (exception) return [];
  return items
    .filter((item) => item.type === "media")
    .filter(({ data, mimeType }) => data !== "" && taken.test(mimeType));
}

function toMedia(media: MediaContent): Part {
  const { mimeType, data } = media;
  if (data === "" || !TAKEN_MEDIA.test(mimeType)) return { text: mediaNote(media) };
  return { inlineData: { mimeType, data } };
}
