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

type Item = OpenAI.Responses.ResponseOutputItem;
type Response = OpenAI.Responses.Response;
/** As it goes over the wire, but for the number that the server adds. */
type Event = Record<string, unknown> & { type: OpenAI.Responses.ResponseStreamEvent["type"] };
interface Said {
  item: Item;
  /** Between the item's beginning and its end. */
  deltas: Event[];
}
interface Answer {
  said: Said[];
  status?: "completed" | "incomplete" | "failed";
  reason?: "max_output_tokens" | "content_filter";
  interleaved?: boolean | undefined;
  usage?: VendorUsage | undefined;
}

const MODEL = "gpt-fake-1";
export const FAKE_ENCRYPTED = "ZW5jcnlwdGVkIHRob3VnaHRz";
let made = 0;

/** The Responses API at `/v1`: `POST /responses`, `GET /models`. */
export function startFakeOpenAIResponses(): Promise<FakeVendor> {
  return startVendorServer({ basePath: "/v1", answer, other });
}

function other({ method, path }: VendorRequest): VendorAnswer | null {
  if (method === "POST" && path === "/v1/responses") return null;
  if (method !== "GET" || path !== "/v1/models") return failure(404, `${method} ${path} is not served here`);
  const names = [MODEL, "gpt-fake-0", "text-embedding-3-small", "whisper-1", "gpt-image-1"];
  const data = names.map((id) => ({ id, object: "model", created: 0, owned_by: "openai" }));
  return { chunks: [JSON.stringify({ object: "list", data })] };
}

function answer(turn: Exclude<VendorTurn, { kind: "flood" }>, { body }: VendorRequest): VendorAnswer {
  const streaming: boolean = body?.stream === true;
  const reply = (said: Answer) => {
    const id = `resp_fake${made++}`;
    return streaming ? stream(buildEvents(said, id)) : { chunks: [JSON.stringify(whole(said, id))] };
  };
  switch (turn.kind) {
    case "text":
      return reply({ said: [...thought(turn.reasoning), text(turn.text, turn.chunks)], usage: turn.usage });
    case "calls": {
      const before = [...thought(turn.reasoning), ...(turn.text === undefined ? [] : [text(turn.text)])];
      const calls = turn.calls.map(({ name, args }) => call(name, JSON.stringify(args)));
      const ending = turn.ends && { status: "incomplete" as const, reason: turn.ends as "content_filter" };
      return reply({ said: [...before, ...calls], interleaved: turn.interleaved, ...ending });
    }
    case "raw_arguments":
      return reply({ said: [call(turn.name, turn.argumentsText)] });
    case "truncated_call":
      return reply({
        said: [call(turn.name, turn.argumentsText, "incomplete")],
        status: "incomplete",
        reason: "max_output_tokens",
      });
    case "truncated_text":
      return reply({ said: [text(turn.text)], status: "incomplete", reason: "max_output_tokens" });
    case "stop_reason":
      return reply({ said: [text(turn.text)], status: "incomplete", reason: turn.reason as "content_filter" });
    case "refusal":
      return reply({ said: [refusal("I cannot help with that.")] });
    case "status":
      return failure(turn.status, turn.message ?? "The request failed.", turn.headers);
    case "context_length":
      return failure(400, "Your input exceeds the context window of this model.", {}, "context_length_exceeded");
    case "no_tools":
      return failure(400, `${MODEL} does not support tools`);
    default:
      return broken(turn, streaming);
  }
}

function broken(turn: Extract<VendorTurn, { afterText: string }>, streaming: boolean): VendorAnswer {
  if (turn.kind === "mid_stream_error" && !streaming) return failure(500, turn.message);
  const said = { said: [text(turn.afterText, [turn.afterText])] };
  // Created, item added, and the one delta.
  const begun = turn.afterText === "" ? [] : buildEvents(said, "resp_broken").slice(0, 3);
  if (turn.kind === "mid_stream_error") {
    return stream([...begun, { type: "error", code: "server_error", message: turn.message, param: null }]);
  }
  if (!streaming)
    return { chunks: turn.kind === "cut" && turn.afterText !== "" ? ['{"id":"resp'] : [], ending: turn.kind };
  return { ...stream(begun), ending: turn.kind };
}

function whole({ said, status = "completed", reason, usage }: Answer, id: string): object {
  return {
    id,
    object: "response",
    created_at: 1_760_000_000,
    model: MODEL,
    status,
    error: null,
    incomplete_details: reason ? { reason } : null,
    output: said.map(({ item }) => item),
    usage: counted(usage),
  } satisfies Partial<Response>;
}

function buildEvents(answer: Answer, id: string): Event[] {
  const { said, status = "completed", interleaved } = answer;
  const starts = said.map(({ item }, output_index): Event => {
    const begun = item.type === "function_call" ? { ...item, arguments: "", status: "in_progress" } : item;
    return { type: "response.output_item.added", output_index, item: begun };
  });
  const deltas = said.map((each, output_index) => each.deltas.map((event): Event => ({ ...event, output_index })));
  const ends = said.map(({ item }, output_index): Event => ({ type: "response.output_item.done", output_index, item }));
  const rounds = Math.max(0, ...deltas.map(({ length }) => length));
  const alternating = Array.from({ length: rounds }, (_, round) => deltas.flatMap((each) => each[round] ?? [])).flat();
  return [
    { type: "response.created", response: { ...whole({ said: [] }, id), status: "in_progress", usage: null } },
    ...(interleaved
      ? [...starts, ...alternating, ...ends]
      : said.flatMap((_, index) => [starts[index], ...(deltas[index] ?? []), ends[index]] as Event[])),
    { type: `response.${status}`, response: whole(answer, id) },
  ];
}

function text(content: string, chunks = halves(content)): Said {
  const item: Item = {
    id: `msg_fake${made++}`,
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: content, annotations: [], logprobs: [] }],
  };
  const place = { item_id: item.id, content_index: 0, logprobs: [] };
  return { item, deltas: chunks.map((delta) => ({ type: "response.output_text.delta", ...place, delta })) };
}

function refusal(content: string): Said {
  const item: Item = {
    id: `msg_fake${made++}`,
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "refusal", refusal: content }],
  };
  const place = { item_id: item.id, content_index: 0 };
  return { item, deltas: halves(content).map((delta) => ({ type: "response.refusal.delta", ...place, delta })) };
}

function thought(content: string | undefined): Said[] {
  if (content === undefined) return [];
  const item: Item = {
    id: `rs_fake${made++}`,
    type: "reasoning",
    summary: [{ type: "summary_text", text: content }],
    encrypted_content: FAKE_ENCRYPTED,
  };
  const place = { item_id: item.id, summary_index: 0 };
  const type = "response.reasoning_summary_text.delta" as const;
  return [{ item, deltas: halves(content).map((delta) => ({ type, ...place, delta })) }];
}

function call(name: string, argumentsText: string, status: "completed" | "incomplete" = "completed"): Said {
  const id = `fc_fake${made++}`;
  const item: Item = { id, type: "function_call", call_id: `call_${id}`, name, arguments: argumentsText, status };
  const type = "response.function_call_arguments.delta" as const;
  return { item, deltas: halves(argumentsText).map((delta) => ({ type, item_id: id, delta })) };
}

function counted(
  { input, output, cached = 0 }: VendorUsage = { input: 11, output: 7 },
): OpenAI.Responses.ResponseUsage {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

function failure(status: number, message: string, headers = {}, code: string | null = null): VendorAnswer {
  const error = { message, type: status < 500 ? "invalid_request_error" : "server_error", param: null, code };
  return { status, headers, chunks: [JSON.stringify({ error })] };
}

function stream(events: Event[]): VendorAnswer {
  const chunks = events.map(
    (event, sequence_number) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
  );
  return { headers: { "content-type": "text/event-stream" }, chunks };
}
