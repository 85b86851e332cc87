import type {
  ChatContent,
  ChatResponse,
  ChatResponseUpdate,
  ChatUsage,
  FinishReason,
  JsonValue,
} from "../../../../lib/contract";
import { isPlainObject } from "../../../../lib/contract";
import type { CallIds } from "../call-ids";
import { tokenUsage } from "../token-counts";
import type { ToolAliases } from "../tool-aliases";
import { AnswerCutError } from "../vendor-fault";
import { OpenCalls, reasoningIn, textIn } from "./completion-parts";
import { apiError } from "./openai-sdk";

export interface CompletionsReading {
  aliases: ToolAliases;
  ids: CallIds;
  /** What `provider` contents of this endpoint are called. */
  provider: string;
  signal?: AbortSignal | undefined;
}

const CALLS = new Set(["tool_calls", "function_call", "tool_call", "tool_use"]);
const STOPS = new Set(["stop", "eos", "eos_token", "end_turn", "stop_sequence", ""]);
const LIMITS = new Set(["length", "max_tokens", "model_length"]);

/** An answer as it is put together. */
interface Draft {
  text: string;
  refused: boolean;
  reasoning: { field: string; text: string } | null;
  calls: OpenCalls;
  finish: string | null;
  usage: ChatUsage | null;
  model: string | undefined;
  id: string | undefined;
}

/** @throws the endpoint's error where it came as data; SyntaxError for what is no completion */
export function readCompletion(body: unknown, reading: CompletionsReading): ChatResponse {
  const draft = newDraft(reading);
  // Drains the updates: they are the same as a stream's.
  if ([...addChunk(body, draft, reading)].length === 0 && draft.finish === null && draft.usage === null) {
    throw new SyntaxError("no completion");
  }
  return toResponse(draft, reading);
}

/** The last update is put together from the deltas. @throws AnswerCutError when the stream ends before the answer does */
export async function* readCompletionStream(
  chunks: AsyncIterable<unknown>,
  reading: CompletionsReading,
): AsyncGenerator<ChatResponseUpdate> {
  const draft = newDraft(reading);
  try {
    for await (const chunk of chunks) yield* addChunk(chunk, draft, reading);
  } catch (error) {
    // After its reason to finish an answer is whole; what is missing is a count of tokens at most.
    if (draft.finish === null || reading.signal?.aborted) throw error;
  }
  if (draft.finish === null) throw new AnswerCutError();
  yield { type: "response", response: toResponse(draft, reading) };
}

function newDraft({ ids }: CompletionsReading): Draft {
  return {
    text: "",
    refused: false,
    reasoning: null,
    calls: new OpenCalls(ids),
    finish: null,
    usage: null,
    model: undefined,
    id: undefined,
  };
}

/** Of a stream's chunk or a whole completion. */
function* addChunk(chunk: unknown, draft: Draft, { aliases }: CompletionsReading): Generator<ChatResponseUpdate> {
  if (!isPlainObject(chunk)) return;
  if (isPlainObject(chunk.error)) throw apiError(chunk.error);
  draft.usage = toUsage(chunk.usage) ?? draft.usage;
  if (typeof chunk.model === "string" && chunk.model !== "") draft.model = chunk.model;
  if (typeof chunk.id === "string" && chunk.id !== "") draft.id = chunk.id;
  const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
  if (!isPlainObject(choice)) return;
  if (isPlainObject(choice.error)) throw apiError(choice.error);
  if (typeof choice.finish_reason === "string") draft.finish = choice.finish_reason;
  const delta = isPlainObject(choice.delta) ? choice.delta : choice.message;
  if (isPlainObject(delta)) yield* addDelta(delta, draft, aliases);
}

function* addDelta(delta: Record<string, unknown>, draft: Draft, aliases: ToolAliases): Generator<ChatResponseUpdate> {
  const thought = reasoningIn(delta);
  if (thought) {
    draft.reasoning = { field: thought.field, text: (draft.reasoning?.text ?? "") + thought.text };
    yield { type: "reasoning", text: thought.text };
  }
  const refusal = textIn(delta.refusal);
  if (refusal !== "") draft.refused = true;
  const text = textIn(delta.content) + refusal;
  draft.text += text;
  if (text !== "") yield { type: "text", text };
  for (const each of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
    const found = draft.calls.add(each);
    if (!found) continue;
    const { call, added } = found;
    yield { type: "call_delta", callId: call.callId, name: aliases.nameOf(call.name), argumentsDelta: added };
  }
}

function toResponse(draft: Draft, { aliases, provider }: CompletionsReading): ChatResponse {
  const { text, reasoning, calls, usage, model, id, finish } = draft;
  const contents: ChatContent[] = [
    ...(reasoning ? [{ type: "reasoning" as const, text: reasoning.text }] : []),
    ...(reasoning?.field === "reasoning_content"
      ? [{ type: "provider" as const, provider, value: { reasoning_content: reasoning.text } }]
      : []),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls.all.map(
      (call): ChatContent => ({
        type: "function_call",
        callId: call.callId,
        name: aliases.nameOf(call.name),
        arguments: call.arguments.trim() === "" ? "{}" : call.arguments,
        ...(call.extra !== undefined && { providerData: { provider, extra_content: call.extra as JsonValue } }),
      }),
    ),
  ];
  const finishReason = finishReasonOf(draft);
  return {
    messages: [{ role: "assistant", contents }],
    finishReason,
    ...(finish !== null && finish !== finishReason && finish !== "" && { finishDetail: finish.slice(0, 100) }),
    ...(usage && { usage }),
    ...(model !== undefined && { model }),
    ...(id !== undefined && { responseId: id }),
  };
}

/** Many endpoints say `stop`, or nothing, after calls that are whole. */
function finishReasonOf({ finish, calls, refused }: Draft): FinishReason {
  const word = finish?.toLowerCase() ?? "";
  if (LIMITS.has(word)) return "length";
  if (word === "content_filter") return "refusal";
  if (CALLS.has(word) || STOPS.has(word)) {
    if (calls.all.length > 0) return "tool_calls";
    if (refused) return "refusal";
    return STOPS.has(word) ? "stop" : "other";
  }
  return "other";
}

function toUsage(usage: unknown): ChatUsage | null {
  if (!isPlainObject(usage)) return null;
  const { prompt_tokens_details: read, completion_tokens_details: written } = usage;
  return tokenUsage({
    input: [usage.prompt_tokens],
    output: [usage.completion_tokens],
    cached: (isPlainObject(read) ? read.cached_tokens : null) ?? usage.prompt_cache_hit_tokens,
    reasoning: isPlainObject(written) ? written.reasoning_tokens : null,
  });
}
