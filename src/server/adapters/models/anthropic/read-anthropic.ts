import type Anthropic from "@anthropic-ai/sdk";
import type { ChatResponse, ChatResponseUpdate } from "../../../../lib/contract";
import { givenArguments } from "../call-arguments";
import type { CallIds } from "../call-ids";
import type { ToolAliases } from "../tool-aliases";
import { AnswerCutError } from "../vendor-fault";
import { type AnthropicAnswer, type AnthropicBlock, toChatResponse } from "./from-anthropic";

export function readAnthropicMessage(message: Anthropic.Message, aliases: ToolAliases, ids: CallIds): ChatResponse {
  const blocks = message.content.map((block): AnthropicBlock => {
    if (block.type !== "tool_use") return { type: "block", block };
    const { id, name, input } = block;
    return { type: "call", callId: ids.take(id), alias: name, arguments: givenArguments(input) };
  });
  const { id, model, stop_reason, stop_details, usage } = message;
  return toChatResponse({ id, model, blocks, stopReason: stop_reason, stopDetails: stop_details, usage }, aliases);
}

/** Blocks are told apart by their index: their deltas may alternate. */
interface Reading {
  answer: AnthropicAnswer;
  byIndex: Map<number, AnthropicBlock>;
}

/** @throws AnswerCutError when the events end before the answer does */
export async function* readAnthropicStream(
  events: AsyncIterable<Anthropic.RawMessageStreamEvent>,
  aliases: ToolAliases,
  ids: CallIds,
): AsyncGenerator<ChatResponseUpdate> {
  const reading: Reading = {
    answer: { id: "", model: "", blocks: [], stopReason: null, stopDetails: null, usage: {} },
    byIndex: new Map(),
  };
  let complete = false;
  for await (const event of events) {
    const update = readEvent(event, reading, aliases, ids);
    if (update !== null) yield update;
    if (event.type === "message_stop") complete = true;
  }
  if (!complete) throw new AnswerCutError();
  for (const block of reading.answer.blocks) {
    // A tool without parameters is called without any delta.
    if (block.type === "call" && block.arguments === "") block.arguments = {};
  }
  yield { type: "response", response: toChatResponse(reading.answer, aliases) };
}

function readEvent(
  event: Anthropic.RawMessageStreamEvent,
  { answer, byIndex }: Reading,
  aliases: ToolAliases,
  ids: CallIds,
): ChatResponseUpdate | null {
  switch (event.type) {
    case "message_start":
      Object.assign(answer, { id: event.message.id, model: event.message.model });
      readUsage(answer, event.message.usage);
      return null;
    case "content_block_start": {
      const block = begin(event.content_block, ids);
      byIndex.set(event.index, block);
      answer.blocks.push(block);
      return block.type === "call" ? callDelta(block, aliases, "") : null;
    }
    case "content_block_delta": {
      const block = byIndex.get(event.index);
      return block === undefined ? null : readDelta(event.delta, block, aliases);
    }
    case "message_delta":
      answer.stopReason = event.delta.stop_reason;
      answer.stopDetails = event.delta.stop_details ?? null;
      readUsage(answer, event.usage);
      return null;
    default:
      return null;
  }
}

/** Counts are cumulative; those that an event leaves out stay as they were. */
function readUsage(answer: AnthropicAnswer, usage: Partial<Anthropic.MessageDeltaUsage> | undefined): void {
  const given = Object.entries(usage ?? {}).filter(([, value]) => value !== null && value !== undefined);
  answer.usage = { ...answer.usage, ...Object.fromEntries(given) };
}

function begin(block: Anthropic.ContentBlock, ids: CallIds): AnthropicBlock {
  if (block.type !== "tool_use") return { type: "block", block: { ...block } };
  return { type: "call", callId: ids.take(block.id), alias: block.name, arguments: "" };
}

function readDelta(
  delta: Anthropic.RawContentBlockDelta,
  part: AnthropicBlock,
  aliases: ToolAliases,
): ChatResponseUpdate | null {
  if (part.type === "call") {
    if (delta.type !== "input_json_delta" || delta.partial_json === "") return null;
    part.arguments += delta.partial_json;
    return callDelta(part, aliases, delta.partial_json);
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

function callDelta(
  { callId, alias }: Extract<AnthropicBlock, { type: "call" }>,
  aliases: ToolAliases,
  argumentsDelta: string,
): ChatResponseUpdate {
  return { type: "call_delta", callId, name: aliases.nameOf(alias), argumentsDelta };
}
