import { halves } from "./anthropic.test-support";
import {
  type FakeVendor,
  startVendorServer,
  type VendorAnswer,
  type VendorRequest,
  type VendorTurn,
  type VendorUsage,
} from "./vendor-server.test-support";

interface Answer {
  text?: string | undefined;
  chunks?: string[] | undefined;
  reasoning?: string | undefined;
  /** Calls come whole, one a line; ids are given by newer servers only. */
  calls?: { name: string; args: object }[] | undefined;
  reason?: string;
  usage?: VendorUsage | undefined;
}

const MODEL = "fake:latest";
const BASE = { model: MODEL, created_at: "2026-01-01T00:00:00Z" };

/** Ollama's own API: `POST /api/chat`, `GET /api/tags`. */
export function startFakeOllama(): Promise<FakeVendor> {
  return startVendorServer({ answer, other });
}

function other({ method, path }: VendorRequest): VendorAnswer | null {
  if (method === "POST" && path === "/api/chat") return null;
  if (method !== "GET" || path !== "/api/tags") return { status: 404, chunks: ["404 page not found"] };
  const model = (name: string, family: string) => ({ name, model: name, details: { family, families: [family] } });
  const models = [model(MODEL, "qwen3"), model("all-minilm:latest", "bert"), model("another:8b", "llama")];
  return { chunks: [JSON.stringify({ models })] };
}

function answer(turn: Exclude<VendorTurn, { kind: "flood" }>, { body }: VendorRequest): VendorAnswer {
  const streaming: boolean = body?.stream === true;
  const reply = (said: Answer) => (streaming ? stream(splitLines(said)) : { chunks: [JSON.stringify(whole(said))] });
  switch (turn.kind) {
    case "text":
      return reply(turn);
    case "calls":
      return reply({ ...turn, ...(turn.ends === undefined ? {} : { reason: turn.ends }) });
    // The server's own parser gives a cut call back as text.
    case "truncated_call":
      return reply({ text: turn.argumentsText, reason: "length" });
    case "truncated_text":
      return reply({ text: turn.text, reason: "length" });
    case "stop_reason":
      return reply({ text: turn.text, reason: turn.reason });
    case "status":
      return failure(turn.status, turn.message ?? "the request failed", turn.headers);
    case "context_length":
      return failure(400, "the input length exceeds the context length");
    case "no_tools":
      return failure(400, `registry.ollama.ai/library/${MODEL} does not support tools`);
    case "raw_arguments":
    case "refusal":
      return failure(418, `Ollama has no ${turn.kind}`);
    default:
      return broken(turn, streaming);
  }
}

function broken(turn: Extract<VendorTurn, { afterText: string }>, streaming: boolean): VendorAnswer {
  if (turn.kind === "mid_stream_error" && !streaming) return failure(500, turn.message);
  const begun = turn.afterText === "" ? [] : [line({ content: turn.afterText })];
  if (turn.kind === "mid_stream_error") return stream([...begun, { error: turn.message }]);
  if (!streaming)
    return { chunks: turn.kind === "cut" && turn.afterText !== "" ? ['{"model":'] : [], ending: turn.kind };
  return { ...stream(begun), ending: turn.kind };
}

function whole({ text = "", reasoning, calls, ...end }: Answer): object {
  const message = {
    role: "assistant",
    content: text,
    ...(reasoning === undefined ? {} : { thinking: reasoning }),
    ...(calls ? { tool_calls: calls.map(toCall) } : {}),
  };
  return { ...ending(end), message };
}

function splitLines({ text, chunks, reasoning, calls = [], ...end }: Answer): object[] {
  const said = chunks ?? (text === undefined ? [] : halves(text));
  return [
    ...halves(reasoning ?? "").map((thinking) => line({ content: "", thinking })),
    ...said.map((content) => line({ content })),
    ...calls.map((each, index) => line({ content: "", tool_calls: [toCall(each, index)] })),
    ending(end),
  ];
}

function toCall({ name, args }: { name: string; args: object }, index: number): object {
  return { function: { index, name, arguments: args } };
}

function line(message: object): object {
  return { ...BASE, message: { role: "assistant", ...message }, done: false };
}

function ending({ reason = "stop", usage = { input: 11, output: 7 } }: Answer): object {
  return {
    ...BASE,
    message: { role: "assistant", content: "" },
    done: true,
    done_reason: reason,
    prompt_eval_count: usage.input,
    eval_count: usage.output,
  };
}

function failure(status: number, error: string, headers: Record<string, string> = {}): VendorAnswer {
  return { status, headers, chunks: [JSON.stringify({ error })] };
}

function stream(lines: object[]): VendorAnswer {
  return {
    headers: { "content-type": "application/x-ndjson" },
    chunks: lines.map((each) => `${JSON.stringify(each)}\n`),
  };
}
