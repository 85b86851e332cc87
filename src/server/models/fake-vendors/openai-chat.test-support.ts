import type OpenAI from "openai";
import { halves } from "./anthropic.test-support";
import {
  type FakeVendor,
  startVendorServer,
  type VendorAnswer,
  type VendorRequest,
  type VendorTurn,
  type VendorUsage,
} from "./vendor-server.test-support";

type Chunk = OpenAI.Chat.ChatCompletionChunk;
type Delta = OpenAI.Chat.ChatCompletionChunk.Choice.Delta & { reasoning_content?: string };
interface Call {
  id: string;
  name: string;
  argumentsText: string;
}
interface Answer {
  text?: string | undefined;
  chunks?: string[] | undefined;
  reasoning?: string | undefined;
  refusal?: string;
  calls?: Call[];
  finish: string;
  interleaved?: boolean | undefined;
  usage?: VendorUsage | undefined;
}

const MODEL = "fake-chat-1";
const BASE = { id: "chatcmpl-fake", created: 1_760_000_000, model: MODEL };
let made = 0;

/** Chat Completions at `/v1`: `POST /chat/completions`, `GET /models`. */
export function startFakeOpenAIChat(): Promise<FakeVendor> {
  return startVendorServer({ basePath: "/v1", answer, other });
}

function other({ method, path }: VendorRequest): VendorAnswer | null {
  if (method === "POST" && path === "/v1/chat/completions") return null;
  if (method !== "GET" || path !== "/v1/models") return failure(404, `${method} ${path} is not served here`);
  const data = [MODEL, "text-embedding-fake", "fake-chat-0"].map((id) => ({ id, object: "model", owned_by: "fake" }));
  return { chunks: [JSON.stringify({ object: "list", data })] };
}

function answer(turn: Exclude<VendorTurn, { kind: "flood" }>, { body }: VendorRequest): VendorAnswer {
  const streaming: boolean = body?.stream === true;
  const reply = (said: Answer) => (streaming ? stream(buildChunks(said)) : { chunks: [JSON.stringify(whole(said))] });
  switch (turn.kind) {
    case "text":
      return reply({ ...turn, finish: "stop" });
    case "calls":
      return reply({
        ...turn,
        calls: turn.calls.map(({ name, args }) => call(name, JSON.stringify(args))),
        finish: turn.ends ?? "tool_calls",
      });
    case "raw_arguments":
      return reply({ calls: [call(turn.name, turn.argumentsText)], finish: "tool_calls" });
    case "truncated_call":
      return reply({ calls: [call(turn.name, turn.argumentsText)], finish: "length" });
    case "truncated_text":
      return reply({ text: turn.text, finish: "length" });
    case "stop_reason":
      return reply({ text: turn.text, finish: turn.reason });
    case "refusal":
      return reply({ refusal: "I cannot help with that.", finish: "stop" });
    case "status":
      return failure(turn.status, turn.message ?? "The request failed.", turn.headers);
    case "context_length":
      return failure(400, "This model's maximum context length is 128000 tokens.", {}, "context_length_exceeded");
    case "no_tools":
      return failure(400, `registry.example/library/${MODEL} does not support tools`);
    default:
      return broken(turn, streaming);
  }
}

function broken(turn: Extract<VendorTurn, { afterText: string }>, streaming: boolean): VendorAnswer {
  if (turn.kind === "mid_stream_error" && !streaming) return failure(500, turn.message);
  const begun = turn.afterText === "" ? [] : [frame(delta({ role: "assistant", content: turn.afterText }))];
  if (turn.kind === "mid_stream_error") {
    const error = { message: turn.message, type: "server_error", code: null };
    return { ...stream([]), chunks: [...begun, `data: ${JSON.stringify({ error })}\n\n`] };
  }
  if (!streaming)
    return { chunks: turn.kind === "cut" && turn.afterText !== "" ? ['{"id":"chatcm'] : [], ending: turn.kind };
  return { ...stream([]), chunks: begun, ending: turn.kind };
}

function whole({ text, reasoning, refusal, calls, finish, usage }: Answer): object {
  const tool_calls = calls?.map(({ id, name, argumentsText }) => ({
    id,
    type: "function",
    function: { name, arguments: argumentsText },
  }));
  const message = {
    role: "assistant",
    content: text ?? null,
    refusal: refusal ?? null,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(tool_calls ? { tool_calls } : {}),
  };
  const choices = [{ index: 0, finish_reason: finish, logprobs: null, message }];
  return { ...BASE, object: "chat.completion", choices, usage: counted(usage) };
}

function buildChunks({ text, chunks, reasoning, refusal, calls = [], finish, interleaved, usage }: Answer): Chunk[] {
  const said = chunks ?? (text === undefined ? [] : halves(text));
  const starts = calls.map(({ id, name }, index) =>
    delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
  );
  const parts = calls.map(({ argumentsText }, index) =>
    halves(argumentsText).map((part) => delta({ tool_calls: [{ index, function: { arguments: part } }] })),
  );
  const rounds = Math.max(0, ...parts.map(({ length }) => length));
  const alternating = Array.from({ length: rounds }, (_, round) => parts.flatMap((each) => each[round] ?? [])).flat();
  return [
    delta({ role: "assistant", content: "" }),
    ...halves(reasoning ?? "").map((part) => delta({ reasoning_content: part } as Delta)),
    ...said.map((content) => delta({ content })),
    ...halves(refusal ?? "").map((part) => delta({ refusal: part })),
    ...(interleaved
      ? [...starts, ...alternating]
      : calls.flatMap((_, index) => [starts[index] as Chunk, ...(parts[index] ?? [])])),
    delta({}, finish),
    { ...BASE, object: "chat.completion.chunk", choices: [], usage: counted(usage) },
  ];
}

function delta(content: Delta, finish: string | null = null): Chunk {
  const choice = {
    index: 0,
    delta: content,
    finish_reason: finish as OpenAI.Chat.ChatCompletionChunk.Choice["finish_reason"],
    logprobs: null,
  };
  return { ...BASE, object: "chat.completion.chunk", choices: [choice] };
}

function call(name: string, argumentsText: string): Call {
  made += 1;
  return { id: `call_fake${made}`, name, argumentsText };
}

function counted({ input, output, cached = 0 }: VendorUsage = { input: 11, output: 7 }): OpenAI.CompletionUsage {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function failure(status: number, message: string, headers = {}, code: string | null = null): VendorAnswer {
  const error = { message, type: status < 500 ? "invalid_request_error" : "server_error", param: null, code };
  return { status, headers, chunks: [JSON.stringify({ error })] };
}

function stream(chunks: Chunk[]): VendorAnswer {
  return { headers: { "content-type": "text/event-stream" }, chunks: [...chunks.map(frame), "data: [DONE]\n\n"] };
}

function frame(chunk: Chunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
