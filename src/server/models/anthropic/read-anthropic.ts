import type Anthropic from "@anthropic-ai/sdk";
import type { ChatContent, ChatResponse, ChatResponseUpdate, FinishReason } from "../../../lib/contract/chat";
import type { JsonValue } from "../../../lib/contract/json";
import { buildResponse } from "../build-response";
import type { ReaderTurn, ResponseReader } from "../vendor";
import { isShallow, readArguments } from "../vendor-arguments";
import { IncompleteResponseError } from "../vendor-error";

type Block =
  | { type: "call"; callId: string; name: string; arguments: ReturnType<typeof readArguments>; finished: boolean }
  | { type: "block"; block: Anthropic.ContentBlock };
type Usage = Partial<Anthropic.MessageDeltaUsage>;

/** The name of its `provider` contents. */
export const ANTHROPIC = "anthropic";

const FINISH_REASONS = new Map<string, FinishReason>([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["tool_use", "tool_calls"],
  // Arguments are cut silently at the output limit.
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "context_length"],
  ["pause_turn", "pause"],
  ["refusal", "refusal"],
]);

export class AnthropicReader implements ResponseReader {
  /** Blocks by index: the deltas of several blocks may alternate. */
  readonly #blocks = new Map<number, Block>();
  #message: Partial<Pick<Anthropic.Message, "id" | "model">> = {};
  #stop: Partial<Pick<Anthropic.Message, "stop_reason" | "stop_details">> = {};
  #usage: Usage = {};
  #isOver = false;

  constructor(private readonly turn: ReaderTurn) {}

  /** @param part the message, or an event */
  read(part: unknown): ChatResponseUpdate[] {
    const update = this.turn.streaming
      ? this.#readEvent(part as Anthropic.RawMessageStreamEvent)
      : this.#readMessage(part as Anthropic.Message);
    return update === null ? [] : [update];
  }

  finish(): ChatResponse {
    if (!this.#isOver) throw new IncompleteResponseError();
    const blocks = [...this.#blocks.values()];
    const reason = this.#stop.stop_reason ?? "";
    return buildResponse({
      contents: blocks.flatMap(toContents),
      finish: FINISH_REASONS.get(reason) ?? null,
      reason,
      detail: this.#finishDetail(reason),
      finished: blocks.every((block) => block.type !== "call" || block.finished),
      // `input_tokens` counts only tokens that were neither read from the cache nor written to it.
      tokens: {
        input: [this.#usage.input_tokens, this.#usage.cache_read_input_tokens, this.#usage.cache_creation_input_tokens],
        output: [this.#usage.output_tokens],
        cached: this.#usage.cache_read_input_tokens,
        reasoning: this.#usage.output_tokens_details?.thinking_tokens,
      },
      model: this.#message.model ?? "",
      responseId: this.#message.id ?? "",
    });
  }

  #finishDetail(reason: string): string {
    const { stop_details: details } = this.#stop;
    const explanation = [details?.category, details?.explanation].filter(Boolean).join(": ");
    if (explanation !== "") return explanation;
    return reason === "end_turn" || reason === "tool_use" ? "" : reason;
  }

  #readMessage(message: Anthropic.Message): null {
    if (!Array.isArray(message?.content)) throw new SyntaxError("no message");
    for (const [index, block] of message.content.entries()) {
      const added = this.#addBlock(index, block);
      if (added.type !== "call" || block.type !== "tool_use") continue;
      added.arguments = readArguments(block.input);
      added.finished = true;
    }
    this.#message = message;
    this.#stop = message;
    this.#addUsage(message.usage);
    this.#isOver = true;
    return null;
  }

  #readEvent(event: Anthropic.RawMessageStreamEvent): ChatResponseUpdate | null {
    switch (event.type) {
      case "message_start":
        this.#message = event.message;
        this.#addUsage(event.message.usage);
        return null;
      case "content_block_start": {
        const block = this.#addBlock(event.index, event.content_block);
        return block.type === "call" ? toCallDelta(block, "") : null;
      }
      case "content_block_delta": {
        const block = this.#blocks.get(event.index);
        return block === undefined ? null : readDelta(event.delta, block);
      }
      case "content_block_stop": {
        const block = this.#blocks.get(event.index);
        if (block?.type === "call") block.finished = true;
        return null;
      }
      case "message_delta":
        this.#stop = event.delta;
        this.#addUsage(event.usage);
        return null;
      case "message_stop":
        this.#isOver = true;
        return null;
      default:
        return null;
    }
  }

  #addBlock(index: number, block: Anthropic.ContentBlock): Block {
    const added: Block =
      block.type === "tool_use"
        ? { type: "call", ...this.turn.calls.open(block.id, block.name), arguments: "", finished: false }
        : { type: "block", block: { ...block } };
    this.#blocks.set(index, added);
    return added;
  }

  /** Counts are cumulative; a count that an event leaves out stays unchanged. */
  #addUsage(usage: Usage | undefined): void {
    const counts = Object.entries(usage ?? {}).filter(([, value]) => value !== null && value !== undefined);
    Object.assign(this.#usage, Object.fromEntries(counts));
  }
}

function readDelta(delta: Anthropic.RawContentBlockDelta, part: Block): ChatResponseUpdate | null {
  if (part.type === "call") {
    if (delta.type !== "input_json_delta" || delta.partial_json === "") return null;
    part.arguments += delta.partial_json;
    return toCallDelta(part, delta.partial_json);
  }
  const { block } = part;
  if (delta.type === "text_delta" && block.type === "text") {
    block.text += delta.text;
    return delta.text === "" ? null : { type: "text", text: delta.text };
  }
  if (block.type !== "thinking") return null;
  if (delta.type === "thinking_delta") {
    block.thinking += delta.thinking;
    return delta.thinking === "" ? null : { type: "reasoning", text: delta.thinking };
  }
  if (delta.type === "signature_delta") block.signature += delta.signature;
  return null;
}

function toCallDelta({ callId, name }: Extract<Block, { type: "call" }>, argumentsDelta: string): ChatResponseUpdate {
  return { type: "call_delta", callId, name, argumentsDelta };
}

function toContents(part: Block): ChatContent[] {
  if (part.type === "call") {
    const { callId, name } = part;
    // A call of a tool without parameters comes without any delta.
    return [{ type: "function_call", callId, name, arguments: part.arguments === "" ? {} : part.arguments }];
  }
  const { block } = part;
  if (block.type === "text") return block.text === "" ? [] : [{ type: "text", text: block.text }];
  const contents: ChatContent[] = [];
  if (block.type === "thinking" && block.thinking !== "") contents.push({ type: "reasoning", text: block.thinking });
  // A value that is nested too deeply could be neither stored nor sent back.
  if (isShallow(block)) contents.push({ type: "provider", provider: ANTHROPIC, value: block as unknown as JsonValue });
  return contents;
}
