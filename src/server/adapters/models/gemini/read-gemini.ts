import { FinishReason as GeminiFinish, type GenerateContentResponse, type Part } from "@google/genai";
import type { ChatContent, ChatResponse, ChatResponseUpdate, ChatUsage, FinishReason } from "../../../../lib/contract";
import { givenArguments, givenText } from "../call-arguments";
import type { CallIds } from "../call-ids";
import { tokenUsage } from "../token-counts";
import type { ToolAliases } from "../tool-aliases";
import { AnswerCutError } from "../vendor-fault";
import { GEMINI, makeExtras } from "./gemini-extras";

const REFUSALS = new Set<string>([
  GeminiFinish.SAFETY,
  GeminiFinish.RECITATION,
  GeminiFinish.LANGUAGE,
  GeminiFinish.BLOCKLIST,
  GeminiFinish.PROHIBITED_CONTENT,
  GeminiFinish.SPII,
  GeminiFinish.IMAGE_SAFETY,
  GeminiFinish.IMAGE_PROHIBITED_CONTENT,
  GeminiFinish.IMAGE_RECITATION,
]);

/** Puts an answer together from one body or from many chunks, which have the same form. */
export class GeminiReader {
  readonly #contents: ChatContent[] = [];
  readonly #aliases: ToolAliases;
  readonly #ids: CallIds;
  #finish: string | undefined;
  #detail: string | undefined;
  #refused = false;
  #usage: GenerateContentResponse["usageMetadata"];
  #model: string | undefined;
  #responseId: string | undefined;

  constructor(aliases: ToolAliases, ids: CallIds) {
    this.#aliases = aliases;
    this.#ids = ids;
  }

  read(chunk: GenerateContentResponse): ChatResponseUpdate[] {
    this.#usage = chunk.usageMetadata ?? this.#usage;
    this.#model = chunk.modelVersion ?? this.#model;
    this.#responseId = chunk.responseId ?? this.#responseId;
    const blocked = chunk.promptFeedback?.blockReason;
    if (blocked !== undefined) {
      this.#refused = true;
      this.#finish = blocked;
      this.#detail = chunk.promptFeedback?.blockReasonMessage;
    }
    const candidate = chunk.candidates?.[0];
    if (candidate?.finishReason) this.#finish = candidate.finishReason;
    return (candidate?.content?.parts ?? []).flatMap((part) => this.#readPart(part));
  }

  /** @throws AnswerCutError where the answer has no end */
  finish(): ChatResponse {
    if (this.#finish === undefined) throw new AnswerCutError();
    const hasCalls = this.#contents.some(({ type }) => type === "function_call");
    const finishReason = this.#refused ? "refusal" : finishReasonOf(this.#finish, hasCalls);
    const usage = toUsage(this.#usage);
    const detail = [this.#finish, this.#detail].filter(Boolean).join(": ");
    return {
      messages: [{ role: "assistant", contents: this.#contents }],
      finishReason,
      ...(this.#finish === GeminiFinish.STOP ? {} : { finishDetail: detail }),
      ...(usage === null ? {} : { usage }),
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(this.#responseId === undefined ? {} : { responseId: this.#responseId }),
    };
  }

  #readPart(part: Part): ChatResponseUpdate[] {
    if (part.functionCall) return [this.#readCall(part)];
    const { text = "", thought, thoughtSignature, inlineData } = part;
    if (thought) return this.#add("reasoning", text);
    const updates = this.#add("text", text);
    if (inlineData?.data) this.#contents.push(toMedia(inlineData.mimeType, inlineData.data));
    const value = thoughtSignature === undefined ? null : makeExtras(thoughtSignature, { text: text || undefined });
    if (value !== null) this.#contents.push({ type: "provider", provider: GEMINI, value });
    return updates;
  }

  #add(type: "text" | "reasoning", text: string): ChatResponseUpdate[] {
    if (text === "") return [];
    const last = this.#contents.at(-1);
    if (last?.type === type) last.text += text;
    else this.#contents.push({ type, text });
    return [{ type, text }];
  }

  #readCall({ functionCall, thoughtSignature }: Part): ChatResponseUpdate {
    const { id, name: alias = "", args } = functionCall ?? {};
    const given = givenArguments(args);
    const callId = this.#ids.take(id);
    const name = this.#aliases.nameOf(alias);
    const providerData = makeExtras(thoughtSignature, { id });
    this.#contents.push({
      type: "function_call",
      callId,
      name,
      arguments: given,
      ...(providerData === null ? {} : { providerData }),
    });
    return { type: "call_delta", callId, name, argumentsDelta: givenText(given) };
  }
}

/** Calls come whole, and are complete after `STOP` only. */
function finishReasonOf(reason: string, hasCalls: boolean): FinishReason {
  if (reason === GeminiFinish.STOP) return hasCalls ? "tool_calls" : "stop";
  if (reason === GeminiFinish.MAX_TOKENS || reason === GeminiFinish.CONTINUATION) return "length";
  return REFUSALS.has(reason) ? "refusal" : "other";
}

/** Thoughts are billed as output and counted beside it. */
function toUsage(usage: GenerateContentResponse["usageMetadata"]): ChatUsage | null {
  return tokenUsage({
    input: [usage?.promptTokenCount, usage?.toolUsePromptTokenCount],
    output: [usage?.candidatesTokenCount, usage?.thoughtsTokenCount],
    cached: usage?.cachedContentTokenCount,
    reasoning: usage?.thoughtsTokenCount,
  });
}

function toMedia(mimeType = "application/octet-stream", data: string): ChatContent {
  const family = mimeType.split("/")[0];
  const kind = family === "image" || family === "audio" ? family : "file";
  return { type: "media", kind, mimeType, data, bytes: Buffer.byteLength(data, "base64") };
}
