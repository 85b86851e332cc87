import { z } from "zod";
import type { ChatContent, ChatMessage, ChatOptions } from "../../../lib/contract/chat";
import { isPlainObject } from "../../../lib/contract/json";
import { describeProblem, problemsOfIssues } from "../../../lib/contract/problem";
import { SAMPLING_LIMITS } from "../../../lib/contract/sampling-limits";
import { SamplingFailure } from "../../engine/mcp-ports";

const INVALID_PARAMS = -32_602;
const MAX_STOP_SEQUENCES = 50;
const MAX_PROBLEMS = 3;

const mediaFields = { data: z.string(), mimeType: z.string().max(200) };
const block = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.literal("image"), ...mediaFields }),
    z.object({ type: z.literal("audio"), ...mediaFields }),
  ],
  "must be text, an image or audio",
);
type Block = z.infer<typeof block>;

const paramsSchema = z.object({
  messages: z
    .array(
      z.object({
        role: z.enum(["user", "assistant"]),
        content: z.preprocess((content) => (Array.isArray(content) ? content : [content]), z.array(block)),
      }),
    )
    .min(1),
  systemPrompt: z.string().nullish(),
  maxTokens: z.number().int().positive(),
  temperature: z.number().nullish(),
  stopSequences: z.array(z.string()).max(MAX_STOP_SEQUENCES).nullish(),
});

export interface SamplingTurn {
  messages: ChatMessage[];
  options: Pick<ChatOptions, "instructions" | "maxOutputTokens" | "temperature"> & { stopSequences: string[] };
}

/**
 * A server's request as a turn of a model. Model preferences and `includeContext` are ignored: the settings choose the model,
 * and no context is declared.
 * @throws SamplingFailure that names what is wrong, or what the provider does not take
 */
export function readSamplingParams(paramsText: string, acceptsMedia: (mimeType: string) => boolean): SamplingTurn {
  const params: unknown = JSON.parse(paramsText);
  if (isPlainObject(params) && (params.tools !== undefined || params.toolChoice !== undefined)) {
    throw invalid("Sampling with tools is not supported: 'sampling.tools' was not declared");
  }
  const { success, data, error } = paramsSchema.safeParse(params);
  if (!success) {
    const problems = problemsOfIssues(error.issues).slice(0, MAX_PROBLEMS);
    throw invalid(`The sampling request is invalid: ${problems.map((each) => describeProblem(each)).join("; ")}`);
  }
  const { messages, systemPrompt, maxTokens, temperature, stopSequences } = data;
  return {
    messages: messages.map(({ role, content }, index) => ({
      role,
      contents: content.map((each) => toContent(each, role === "user" ? acceptsMedia : () => false, index)),
    })),
    options: {
      maxOutputTokens: Math.min(maxTokens, SAMPLING_LIMITS.maxTokens),
      stopSequences: (stopSequences ?? []).filter((text) => text !== ""),
      ...(systemPrompt ? { instructions: systemPrompt } : {}),
      ...(temperature == null ? {} : { temperature }),
    },
  };
}

function toContent(content: Block, acceptsMedia: (mimeType: string) => boolean, index: number): ChatContent {
  if (content.type === "text") return { type: "text", text: content.text };
  const { type: kind, data, mimeType } = content;
  if (!acceptsMedia(mimeType)) {
    throw invalid(
      `messages[${index}]: the configured model provider does not accept ${kind} content of type ${mimeType}`,
    );
  }
  return { type: "media", kind, mimeType, data, bytes: Buffer.byteLength(data, "base64") };
}

const invalid = (message: string): SamplingFailure => new SamplingFailure(INVALID_PARAMS, message);
