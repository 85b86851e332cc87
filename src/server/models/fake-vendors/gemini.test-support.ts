import {
  BlockedReason,
  type Candidate,
  FinishReason,
  type GenerateContentResponse,
  type Model,
  type Part,
} from "@google/genai";
import { halves } from "./anthropic.test-support";
import {
  type FakeVendor,
  startVendorServer,
  type VendorAnswer,
  type VendorRequest,
  type VendorTurn,
  type VendorUsage,
} from "./vendor-server.test-support";

/** On the wire there are data only; `text` and such are getters of the SDK. */
type Chunk = Pick<
  GenerateContentResponse,
  "candidates" | "modelVersion" | "responseId" | "usageMetadata" | "promptFeedback"
>;

const MODEL = "gemini-fake-1";
export const FAKE_CALL_SIGNATURE = "c2lnbmF0dXJlIG9mIGEgY2FsbA==";
export const FAKE_TEXT_SIGNATURE = "c2lnbmF0dXJlIG9mIGEgdGV4dA==";
const STATUS_NAMES: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

/** The Gemini API: `POST /v1beta/models/M:generateContent`, `:streamGenerateContent?alt=sse`, `GET /v1beta/models`. */
export function startFakeGemini(): Promise<FakeVendor> {
  return startVendorServer({ answer, other });
}

function other({ method, path }: VendorRequest): VendorAnswer | null {
  if (method === "POST" && /^\/v1beta\/models\/[^/:]+:(generateContent|streamGenerateContent\?alt=sse)$/.test(path))
    return null;
  if (method !== "GET" || !path.startsWith("/v1beta/models"))
    return failure(404, `${method} ${path} is not served here`);
  const model = (name: string, ...actions: string[]) => ({
    name: `models/${name}`,
    supportedGenerationMethods: actions,
  });
  const second = path.includes("pageToken=two");
  const models: (Model & { supportedGenerationMethods: string[] })[] = second
    ? [model("gemini-fake-2", "generateContent", "countTokens"), model("embedding-fake", "embedContent")]
    : [model(MODEL, "generateContent")];
  return { chunks: [JSON.stringify({ models, ...(second ? {} : { nextPageToken: "two" }) })] };
}

function answer(turn: Exclude<VendorTurn, { kind: "flood" }>, { path }: VendorRequest): VendorAnswer {
  const streaming = path.includes(":streamGenerateContent");
  const reply = (parts: Part[][], finishReason: FinishReason, usage?: VendorUsage) =>
    said(streaming, parts, { finishReason }, usage);
  switch (turn.kind) {
    case "text": {
      const texts = (turn.chunks ?? halves(turn.text)).map((text): Part[] => [{ text }]);
      const signed = turn.reasoning === undefined ? [] : [[{ text: "", thoughtSignature: FAKE_TEXT_SIGNATURE }]];
      return reply([...thought(turn.reasoning), ...texts, ...signed], FinishReason.STOP, turn.usage);
    }
    case "calls": {
      // Ids are left out, as this API does; of parallel calls only the first is signed.
      const calls = turn.calls.map(({ name, args }, index): Part[] => [
        { functionCall: { name, args }, ...(index === 0 ? { thoughtSignature: FAKE_CALL_SIGNATURE } : {}) },
      ]);
      const text = turn.text === undefined ? [] : [[{ text: turn.text }]];
      return reply(
        [...thought(turn.reasoning), ...text, ...calls],
        (turn.ends as FinishReason | undefined) ?? FinishReason.STOP,
      );
    }
    case "truncated_call":
      return reply([[{ functionCall: { name: turn.name, args: {} } }]], FinishReason.MAX_TOKENS);
    case "raw_arguments":
      return reply([], FinishReason.MALFORMED_FUNCTION_CALL);
    case "truncated_text":
      return reply([[{ text: turn.text }]], FinishReason.MAX_TOKENS);
    case "stop_reason":
      return reply([[{ text: turn.text }]], turn.reason as FinishReason);
    case "refusal":
      return blocked(streaming);
    case "status":
      return failure(turn.status, turn.message ?? "The request failed.", turn.headers);
    case "context_length":
      return failure(400, "The input token count (1204891) exceeds the maximum number of tokens allowed (1048576).");
    case "no_tools":
      return failure(400, "Function calling is not enabled for models/gemini-fake-1");
    default:
      return broken(turn, streaming);
  }
}

function broken(turn: Extract<VendorTurn, { afterText: string }>, streaming: boolean): VendorAnswer {
  if (turn.kind === "mid_stream_error" && !streaming) return failure(500, turn.message);
  const begun =
    turn.afterText === "" ? [] : [frame(chunk({ content: { role: "model", parts: [{ text: turn.afterText }] } }))];
  if (turn.kind === "mid_stream_error") {
    return stream([...begun, `data: ${JSON.stringify(errorBody(503, turn.message))}\n\n`]);
  }
  const whole = turn.kind === "cut" && turn.afterText !== "" ? ['{"candidates":[{"con'] : [];
  return { ...(streaming ? stream(begun) : { chunks: whole }), ending: turn.kind };
}

/** In a stream each group of parts is a chunk, and the last one says how it ended. */
function said(streaming: boolean, groups: Part[][], ending: Partial<Candidate>, usage?: VendorUsage): VendorAnswer {
  if (!streaming) {
    const parts = groups.flat().reduce<Part[]>(joinTexts, []);
    return { chunks: [JSON.stringify(chunk({ content: { role: "model", parts }, ...ending }, usage))] };
  }
  const chunks = groups.map((parts) => chunk({ content: { role: "model", parts } }));
  return stream([...chunks, chunk({ content: { role: "model", parts: [{ text: "" }] }, ...ending }, usage)].map(frame));
}

/** The prompt itself was refused: there is no candidate. */
function blocked(streaming: boolean): VendorAnswer {
  const { candidates: _none, ...rest } = chunk({});
  const promptFeedback = { blockReason: BlockedReason.SAFETY, blockReasonMessage: "The prompt is declined." };
  const body: Chunk = { ...rest, promptFeedback };
  return streaming ? stream([frame(body)]) : { chunks: [JSON.stringify(body)] };
}

/** A body that comes whole has a text in one part. */
function joinTexts(parts: Part[], part: Part): Part[] {
  const last = parts.at(-1);
  const plain = (each: Part | undefined) => each?.text !== undefined && !each.thought && !each.thoughtSignature;
  if (!plain(last) || !plain(part)) return [...parts, part];
  return [...parts.slice(0, -1), { text: `${last?.text}${part.text}` }];
}

function chunk(candidate: Candidate, usage: VendorUsage = { input: 11, output: 7 }): Chunk {
  return {
    candidates: [{ index: 0, ...candidate }],
    modelVersion: MODEL,
    responseId: "fake-response",
    usageMetadata: {
      promptTokenCount: usage.input,
      // Thoughts are counted beside the answer's own tokens.
      candidatesTokenCount: usage.output - 2,
      thoughtsTokenCount: 2,
      totalTokenCount: usage.input + usage.output,
      ...(usage.cached === undefined ? {} : { cachedContentTokenCount: usage.cached }),
    },
  };
}

function thought(text: string | undefined): Part[][] {
  return text === undefined ? [] : [[{ text, thought: true }]];
}

function failure(status: number, message: string, headers?: Record<string, string>): VendorAnswer {
  return { status, chunks: [JSON.stringify(errorBody(status, message))], ...(headers ? { headers } : {}) };
}

function errorBody(code: number, message: string): object {
  return { error: { code, message, status: STATUS_NAMES[code] ?? "UNKNOWN" } };
}

function stream(chunks: string[]): VendorAnswer {
  return { headers: { "content-type": "text/event-stream" }, chunks };
}

function frame(body: Chunk): string {
  return `data: ${JSON.stringify(body)}\r\n\r\n`;
}
