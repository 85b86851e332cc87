import type { FinishReason as GeminiFinish, GenerateContentResponse, Part } from "@google/genai";
import type { ChatContent, ChatResponse, ChatResponseUpdate, FinishReason } from "../../../lib/contract/chat";
import { buildResponse } from "../build-response";
import type { ReaderTurn, ResponseReader } from "../vendor";
import { toCallUpdate } from "../vendor-arguments";
import { IncompleteResponseError } from "../vendor-error";
import { createExtras, GEMINI } from "./gemini-extras";

/** Finish reasons without `OTHER` and undocumented ones: calls arrive complete, so they can be executed. */
const FINISH_REASONS: Partial<Record<string, FinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  CONTINUATION: "length",
  SAFETY: "refusal",
  RECITATION: "refusal",
  LANGUAGE: "refusal",
  BLOCKLIST: "refusal",
  PROHIBITED_CONTENT: "refusal",
  SPII: "refusal",
  IMAGE_SAFETY: "refusal",
  IMAGE_PROHIBITED_CONTENT: "refusal",
  IMAGE_RECITATION: "refusal",
  // Documented for responses that broke off.
  MALFORMED_FUNCTION_CALL: "other",
  UNEXPECTED_TOOL_CALL: "other",
  TOO_MANY_TOOL_CALLS: "other",
  NO_IMAGE: "other",
  IMAGE_OTHER: "other",
} satisfies Partial<Record<`${GeminiFinish}`, FinishReason>>;

/** The chunks of a stream have the form of a whole response. */
export class GeminiReader implements ResponseReader {
  readonly #contents: ChatContent[] = [];
  #reason: string | undefined;
  #detail: string | undefined;
  #refused = false;
  #last: Pick<GenerateContentResponse, "usageMetadata" | "modelVersion" | "responseId"> = {};

  constructor(private readonly turn: ReaderTurn) {}

  read(part: unknown): ChatResponseUpdate[] {
    const chunk = part as GenerateContentResponse;
    this.#last = {
      usageMetadata: chunk.usageMetadata ?? this.#last.usageMetadata,
      modelVersion: chunk.modelVersion ?? this.#last.modelVersion,
      responseId: chunk.responseId ?? this.#last.responseId,
    };
    const blocked = chunk.promptFeedback?.blockReason;
    if (blocked !== undefined) {
      this.#refused = true;
      this.#reason = blocked;
      this.#detail = chunk.promptFeedback?.blockReasonMessage;
    }
    const candidate = chunk.candidates?.[0];
    if (candidate?.finishReason) this.#reason = candidate.finishReason;
    return (candidate?.content?.parts ?? []).flatMap((each) => this.#readPart(each));
  }

  finish(): ChatResponse {
    const reason = this.#reason;
    if (reason === undefined) throw new IncompleteResponseError();
    const { usageMetadata: usage, modelVersion, responseId } = this.#last;
    return buildResponse({
      contents: this.#contents,
      finish: this.#refused ? "refusal" : readFinish(reason),
      reason,
      detail: reason === "STOP" ? undefined : [reason, this.#detail].filter(Boolean).join(": "),
      // Thoughts are billed as output but counted separately.
      tokens: {
        input: [usage?.promptTokenCount, usage?.toolUsePromptTokenCount],
        output: [usage?.candidatesTokenCount, usage?.thoughtsTokenCount],
        cached: usage?.cachedContentTokenCount,
        reasoning: usage?.thoughtsTokenCount,
      },
      model: modelVersion,
      responseId,
    });
  }

  #readPart(part: Part): ChatResponseUpdate[] {
    if (part.functionCall) return [this.#readCall(part)];
    const { text = "", thought, thoughtSignature, inlineData } = part;
    if (thought) return this.#append("reasoning", text);
    const updates = this.#append("text", text);
    if (inlineData?.data) this.#contents.push(toMedia(inlineData.mimeType, inlineData.data));
    const value = thoughtSignature && createExtras({ thoughtSignature, text: text || undefined });
    if (value) this.#contents.push({ type: "provider", provider: GEMINI, value });
    return updates;
  }

  #append(type: "text" | "reasoning", text: string): ChatResponseUpdate[] {
    if (text === "") return [];
    const last = this.#contents.at(-1);
    if (last?.type === type) last.text += text;
    else this.#contents.push({ type, text });
    return [{ type, text }];
  }

  #readCall({ functionCall = {}, thoughtSignature }: Part): ChatResponseUpdate {
    const { id, name, args } = functionCall;
    const providerData = createExtras({ thoughtSignature, id });
    const call = this.turn.calls.read(id, name, args);
    if (providerData !== undefined) call.providerData = providerData;
    this.#contents.push(call);
    return toCallUpdate(call);
  }
}

/** Null for a reason that is not listed. */
function readFinish(reason: string): FinishReason | null {
  return Object.hasOwn(FINISH_REASONS, reason) ? (FINISH_REASONS[reason] ?? null) : null;
}

function toMedia(mimeType = "application/octet-stream", data: string): ChatContent {
  const family = mimeType.split("/")[0];
  const kind = family === "image" || family === "audio" ? family : "file";
  return { type: "media", kind, mimeType, data, bytes: Buffer.byteLength(data, "base64") };
}
