import type Anthropic from "@anthropic-ai/sdk";
import type { JsonObject } from "../../../lib/contract/json";
import {
  type FakeVendor,
  startVendorServer,
  type VendorAnswer,
  type VendorRequest,
  type VendorTurn,
  type VendorUsage,
} from "./vendor-server.test-support";

type Event = Anthropic.RawMessageStreamEvent;
/** A block, and the deltas it is streamed in. */
interface Said {
  block: Anthropic.ContentBlock;
  start: Anthropic.ContentBlock;
  deltas: Anthropic.RawContentBlockDelta[];
}
interface Answer {
  said: Said[];
  stop: Anthropic.StopReason;
  interleaved?: boolean | undefined;
  usage?: VendorUsage | undefined;
  details?: Anthropic.RefusalStopDetails;
}

const MODEL = "claude-fake-1";
export const FAKE_SIGNATURE = "c2lnbmVkIHRob3VnaHQ=";
const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};
let calls = 0;

/** Anthropic's Messages API: `POST /v1/messages`, `GET /v1/models`. */
export function startFakeAnthropic(): Promise<FakeVendor> {
  return startVendorServer({ answer, other });
}

function other({ method, path }: VendorRequest): VendorAnswer | null {
  if (method === "POST" && path === "/v1/messages") return null;
  if (method !== "GET" || !path.startsWith("/v1/models")) return failure(404, `${method} ${path} is not served here`);
  const model = (id: string, lifecycle: Anthropic.ModelInfo["lifecycle"]): Anthropic.ModelInfo => ({
    id,
    capabilities: null,
    created_at: "2026-01-01T00:00:00Z",
    deprecated_at: null,
    display_name: id,
    lifecycle,
    line: "haiku",
    max_input_tokens: 200_000,
    max_tokens: 64_000,
    retires_at: null,
    type: "model",
  });
  // Two pages, as a client must follow `has_more`.
  const second = path.includes(`after_id=${MODEL}`);
  const data = second
    ? [model("claude-fake-2", "active"), model("claude-fake-0", "retired")]
    : [model(MODEL, "active")];
  const ends = { first_id: data[0]?.id, last_id: data.at(-1)?.id };
  return { chunks: [JSON.stringify({ data, has_more: !second, ...ends })] };
}

function answer(turn: Exclude<VendorTurn, { kind: "flood" }>, { body }: VendorRequest): VendorAnswer {
  const streaming: boolean = body?.stream === true;
  switch (turn.kind) {
    case "text":
      return reply(streaming, {
        said: [...thought(turn.reasoning), text(turn.text, turn.chunks)],
        stop: "end_turn",
        usage: turn.usage,
      });
    case "calls": {
      const said = turn.calls.map(({ name, args }) => call(name, JSON.stringify(args), args));
      const before = [...thought(turn.reasoning), ...(turn.text === undefined ? [] : [text(turn.text)])];
      return reply(streaming, {
        said: [...before, ...said],
        stop: (turn.ends as Anthropic.StopReason | undefined) ?? "tool_use",
        interleaved: turn.interleaved,
      });
    }
    case "raw_arguments":
      return reply(streaming, { said: [call(turn.name, turn.argumentsText, {})], stop: "tool_use" });
    case "truncated_call":
      return reply(streaming, { said: [call(turn.name, turn.argumentsText, {})], stop: "max_tokens" });
    case "truncated_text":
      return reply(streaming, { said: [text(turn.text)], stop: "max_tokens" });
    case "stop_reason":
      return reply(streaming, { said: [text(turn.text)], stop: turn.reason as Anthropic.StopReason });
    case "refusal":
      return reply(streaming, {
        said: [],
        stop: "refusal",
        details: { type: "refusal", category: "general_harms", explanation: "This request is declined." },
      });
    case "status":
      return failure(turn.status, turn.message ?? "The request failed.", turn.headers);
    case "context_length":
      return failure(400, "prompt is too long: 208310 tokens > 200000 maximum");
    case "no_tools":
      return failure(400, "claude-fake-1 does not support tools");
    default:
      return broken(turn, streaming);
  }
}

function broken(turn: Extract<VendorTurn, { afterText: string }>, streaming: boolean): VendorAnswer {
  if (turn.kind === "mid_stream_error" && !streaming) return failure(500, turn.message);
  const begun =
    turn.afterText === ""
      ? []
      : events({ said: [text(turn.afterText, [turn.afterText])], stop: "end_turn" }).slice(0, 3);
  if (turn.kind === "mid_stream_error") {
    const error = { type: "error", error: { type: "overloaded_error", message: turn.message } };
    return stream([...begun.map(frame), `event: error\ndata: ${JSON.stringify(error)}\n\n`]);
  }
  const chunks = streaming
    ? begun.map(frame)
    : turn.kind === "cut" && turn.afterText !== ""
      ? ['{"type":"message","co']
      : [];
  return { ...(streaming ? stream(chunks) : { chunks }), ending: turn.kind };
}

function reply(streaming: boolean, said: Answer): VendorAnswer {
  return streaming ? stream(events(said).map(frame)) : { chunks: [JSON.stringify(message(said))] };
}

function message({ said, stop, usage, details }: Answer): Anthropic.Message {
  return {
    id: "msg_fake",
    container: null,
    content: said.map(({ block }) => block),
    diagnostics: null,
    model: MODEL,
    role: "assistant",
    stop_details: details ?? null,
    stop_reason: stop,
    stop_sequence: null,
    type: "message",
    usage: counted(usage),
  };
}

function events(said: Answer): Event[] {
  const whole = message(said);
  const { output_tokens, ...input } = counted(said.usage);
  const started: Event = {
    type: "message_start",
    message: { ...whole, content: [], stop_reason: null, stop_details: null, usage: { ...input, output_tokens: 1 } },
  };
  const ended: Event = {
    type: "message_delta",
    delta: { container: null, stop_details: whole.stop_details, stop_reason: whole.stop_reason, stop_sequence: null },
    usage: {
      ...input,
      input_tokens: null,
      cache_read_input_tokens: null,
      cache_creation_input_tokens: null,
      output_tokens,
    },
  };
  return [started, ...blockEvents(said), ended, { type: "message_stop" }];
}

function blockEvents({ said, interleaved }: Answer): Event[] {
  const starts = said.map(({ start }, index): Event => ({ type: "content_block_start", index, content_block: start }));
  const deltas = said.map((each, index) =>
    each.deltas.map((delta): Event => ({ type: "content_block_delta", index, delta })),
  );
  const stops = said.map((_, index): Event => ({ type: "content_block_stop", index }));
  if (!interleaved) return said.flatMap((_, index) => [starts[index], deltas[index], stops[index]].flat()) as Event[];
  const longest = Math.max(...deltas.map(({ length }) => length));
  const rounds = Array.from({ length: longest }, (_, round) => deltas.flatMap((each) => each[round] ?? []));
  return [...starts, ...rounds.flat(), ...stops];
}

function text(whole: string, chunks = halves(whole)): Said {
  return {
    block: { type: "text", text: whole, citations: null },
    start: { type: "text", text: "", citations: null },
    deltas: chunks.map((chunk) => ({ type: "text_delta", text: chunk })),
  };
}

function thought(thinking: string | undefined): Said[] {
  if (thinking === undefined) return [];
  return [
    {
      block: { type: "thinking", thinking, signature: FAKE_SIGNATURE },
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        ...halves(thinking).map((half) => ({
          type: "thinking_delta" as const,
          thinking: half,
          estimated_tokens: null,
        })),
        { type: "signature_delta", signature: FAKE_SIGNATURE },
      ],
    },
  ];
}

/** `input` is what the API itself parsed: an empty object where the text is cut or broken. */
function call(name: string, argumentsText: string, input: JsonObject): Said {
  calls += 1;
  const block = { type: "tool_use" as const, id: `toolu_fake${calls}`, name, caller: { type: "direct" as const } };
  return {
    block: { ...block, input },
    start: { ...block, input: {} },
    deltas: ["", ...halves(argumentsText)].map((partial_json) => ({ type: "input_json_delta", partial_json })),
  };
}

function counted(usage: VendorUsage = { input: 11, output: 7 }): Anthropic.Usage {
  const cached = usage.cached ?? 0;
  // A part of what was read is new in the cache, which is counted by itself.
  const created = cached > 0 ? 5 : 0;
  return {
    cache_creation: null,
    cache_creation_input_tokens: created,
    cache_read_input_tokens: cached,
    inference_geo: null,
    input_tokens: usage.input - cached - created,
    output_tokens: usage.output,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: "standard",
    speed: null,
  };
}

function failure(status: number, text: string, headers?: Record<string, string>): VendorAnswer {
  const error = { type: ERROR_TYPES[status] ?? "api_error", message: text };
  const body = JSON.stringify({ type: "error", error, request_id: "req_fake" });
  return { status, chunks: [body], ...(headers ? { headers } : {}) };
}

function stream(chunks: string[]): VendorAnswer {
  return { headers: { "content-type": "text/event-stream" }, chunks };
}

function frame(event: Event): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}
