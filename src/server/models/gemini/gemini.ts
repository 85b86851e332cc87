import type { Content, FunctionCallingConfig, GenerateContentConfig, Part } from "@google/genai";
import {
  type ChatContent,
  type ChatMessage,
  type ChatTool,
  type FunctionCallContent,
  type FunctionResultContent,
  listCalls,
  type MediaContent,
} from "../../../lib/contract/chat";
import { isPlainObject } from "../../../lib/contract/json";
import { schemaFor } from "../../../lib/schema/providers/provider-schema";
import type { ChatTurn } from "../chat-turn";
import { resultText } from "../pair-calls";
import type { ModelPage, Vendor } from "../vendor";
import { toArgumentsObject } from "../vendor-arguments";
import { GEMINI, type GeminiExtras, readExtras } from "./gemini-extras";
import { GeminiReader } from "./read-gemini";

/** A request as it is on the wire; the vendor's SDK has a form of its own. */
interface GeminiRequest extends Pick<GenerateContentConfig, "tools"> {
  contents: Content[];
  systemInstruction?: Content | undefined;
  generationConfig: Pick<GenerateContentConfig, "maxOutputTokens" | "temperature" | "stopSequences">;
  toolConfig?: { functionCallingConfig: Omit<FunctionCallingConfig, "mode"> & { mode: string } };
}

const PAGE_SIZE = 1000;
/** The signature of a call that another model made: since Gemini 3 the API refuses calls without one. */
const UNSIGNED = "skip_thought_signature_validator";
const SIGNS_CALLS = /gemini-([3-9]|\d\d)/;
/** The largest number that the API accepts. */
const MAX_STOP_SEQUENCES = 5;
/** Media types inside a result, for models that accept them there. */
const ACCEPTED_IN_RESULTS = /^(image\/(png|jpeg|webp)|application\/pdf)$/;

interface Translation {
  /** Gemini 3 and later: calls are signed, results hold media. */
  recent: boolean;
  /** The vendor's ids of calls by ours; a call without one is matched by name and order. */
  vendorIds: ReadonlyMap<string, string>;
}

/** A client for Google's Gemini API (`generateContent`). */
export const gemini: Vendor = {
  name: "Gemini",
  address: "https://generativelanguage.googleapis.com",
  pastedPath: /\/v1beta$/,
  schemas: "gemini",
  modelsPath: `/v1beta/models?pageSize=${PAGE_SIZE}`,
  keyHeader: "x-goog-api-key",
  media: /^(image\/(png|jpeg|webp|heic|heif)|audio\/|application\/pdf$)/,
  toPath: ({ model, streaming }) =>
    `/v1beta/${toModelPath(model)}:${streaming ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  toBody,
  toTool: (tool) => ({ functionDeclarations: [toDeclaration(tool)] }),
  createReader: (turn) => new GeminiReader(turn),
  readModels,
};

function toModelPath(model: string): string {
  const path = model.split("/").map(encodeURIComponent).join("/");
  return /^(models|tunedModels)\//.test(path) ? path : `models/${path}`;
}

function readModels(body: unknown): ModelPage {
  if (!isPlainObject(body)) throw new SyntaxError("no list of models");
  const { models = [], nextPageToken: token } = body;
  if (!Array.isArray(models)) throw new SyntaxError("no list of models");
  return {
    names: models.flatMap(({ name, supportedGenerationMethods: methods }) =>
      typeof name === "string" && Array.isArray(methods) && methods.includes("generateContent")
        ? [name.replace(/^models\//, "")]
        : [],
    ),
    nextQuery: typeof token === "string" && token !== "" ? `&pageToken=${encodeURIComponent(token)}` : undefined,
  };
}

function toBody(turn: ChatTurn): GeminiRequest {
  const { model, system, messages, options } = turn;
  const { maxOutputTokens, temperature, stopSequences } = options;
  const vendorIds = new Map(
    messages.flatMap(listCalls).flatMap(({ callId, providerData }) => {
      const { id } = readExtras(providerData);
      return id === undefined ? [] : [[callId, id] as const];
    }),
  );
  const translation = { vendorIds, recent: SIGNS_CALLS.test(model) };
  return {
    contents: messages.flatMap((message) => toContents(message, translation)),
    systemInstruction: system === null ? undefined : { parts: [{ text: system }] },
    ...toTools(turn),
    generationConfig: {
      maxOutputTokens,
      temperature,
      stopSequences: stopSequences?.slice(0, MAX_STOP_SEQUENCES),
    },
  };
}

function toTools({ tools, toolChoice }: ChatTurn): Pick<GeminiRequest, "tools" | "toolConfig"> {
  if (tools.length === 0) return {};
  const functionCallingConfig =
    typeof toolChoice === "object"
      ? { mode: "ANY", allowedFunctionNames: [toolChoice.name] }
      : { mode: { auto: "AUTO", required: "ANY", none: "NONE" }[toolChoice] };
  return {
    tools: [{ functionDeclarations: tools.map(toDeclaration) }],
    toolConfig: { functionCallingConfig },
  };
}

function toDeclaration({ name, description, parameters }: ChatTool) {
  return { name, description, parametersJsonSchema: schemaFor("gemini", parameters) };
}

function toContents(message: ChatMessage, translation: Translation): Content[] {
  if (message.role === "tool") return toResults(message, translation);
  const fromModel = message.role === "assistant";
  const parts: Part[] = [];
  for (const content of message.contents) addPart(parts, content, fromModel);
  if (fromModel && translation.recent) signFirstCall(parts);
  return parts.length === 0 ? [] : [{ role: fromModel ? "model" : "user", parts }];
}

function addPart(parts: Part[], content: ChatContent, fromModel: boolean): void {
  switch (content.type) {
    case "text":
      parts.push({ text: content.text });
      return;
    case "media":
      parts.push(toMedia(content));
      return;
    case "function_call":
      parts.push(toCall(content));
      return;
    case "provider":
      if (content.provider === GEMINI && fromModel) signText(parts, readExtras(content.value));
      return;
    default:
  }
}

function toCall(call: FunctionCallContent): Part {
  const { id, thoughtSignature } = readExtras(call.providerData);
  return { functionCall: { id, name: call.name, args: toArgumentsObject(call) }, thoughtSignature };
}

/** Puts a signature back on the part it came with: the end of the text before it, or an empty part. */
function signText(parts: Part[], { text = "", thoughtSignature }: GeminiExtras): void {
  if (thoughtSignature === undefined) return;
  const last = parts.at(-1);
  if (text !== "") {
    if (!last?.text?.endsWith(text)) return;
    last.text = last.text.slice(0, -text.length);
    if (last.text === "") parts.pop();
  }
  parts.push({ text, thoughtSignature });
}

/** Signs only the first of the calls that were made together. */
function signFirstCall(parts: Part[]): void {
  const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
  if (calls[0] && calls.every(({ thoughtSignature }) => thoughtSignature === undefined)) {
    calls[0].thoughtSignature = UNSIGNED;
  }
}

/** One message with a result for each call; media that results cannot hold follow in the next. */
function toResults({ contents }: ChatMessage, translation: Translation): Content[] {
  const results = contents.filter((content) => content.type === "function_result");
  const following = translation.recent ? [] : results.flatMap(listMedia);
  return [
    { role: "user", parts: results.map((content) => toResult(content, translation)) },
    ...(following.length === 0 ? [] : [{ role: "user", parts: following.map(toMedia) }]),
  ];
}

function toResult(content: FunctionResultContent, { vendorIds, recent }: Translation): Part {
  const id = vendorIds.get(content.callId);
  const text = resultText(content, "plain");
  const parts = recent
    ? listMedia(content)
        .filter(({ mimeType }) => ACCEPTED_IN_RESULTS.test(mimeType))
        .map(toMedia)
    : [];
  return {
    functionResponse: {
      id,
      name: content.name,
      response: content.exception ? { error: text } : { output: text },
      parts: parts.length === 0 ? undefined : parts,
    },
  };
}

function listMedia({ items = [], exception }: FunctionResultContent): MediaContent[] {
  return exception ? [] : items.filter((item) => item.type === "media");
}

function toMedia({ mimeType, data }: MediaContent): Part & Pick<Required<Part>, "inlineData"> {
  return { inlineData: { mimeType, data } };
}
