import type Anthropic from "@anthropic-ai/sdk";
import type {
  ChatContent,
  ChatResponse,
  ChatUsage,
  FinishReason,
  FunctionCallContent,
  JsonObject,
  JsonValue,
} from "../../../../lib/contract";
import { isShallow } from "../call-arguments";
import { tokenUsage } from "../token-counts";
import type { ToolAliases } from "../tool-aliases";
import { ANTHROPIC } from "./to-anthropic";

/** An answer's parts, whether they came as one body or as events. */
export interface AnthropicAnswer {
  id: string;
  model: string;
  /** In order. Calls hold their arguments as text where they were streamed. */
  blocks: AnthropicBlock[];
  stopReason: Anthropic.StopReason | null;
  stopDetails: Anthropic.RefusalStopDetails | null;
  usage: Partial<Anthropic.MessageDeltaUsage>;
}

export type AnthropicBlock =
  | { type: "call"; callId: string; alias: string; arguments: string | JsonObject }
  | { type: "block"; block: Anthropic.ContentBlock };

export function toChatResponse(answer: AnthropicAnswer, aliases: ToolAliases): ChatResponse {
  const contents = answer.blocks.flatMap((block) => toContents(block, aliases));
  const hasCalls = contents.some(({ type }) => type === "function_call");
  const detail = finishDetail(answer);
  const usage = toUsage(answer.usage);
  return {
    messages: [{ role: "assistant", contents }],
    finishReason: finishReason(answer.stopReason, hasCalls),
    ...(detail === null ? {} : { finishDetail: detail }),
    ...(usage && { usage }),
    model: answer.model,
    responseId: answer.id,
  };
}

function toContents(part: AnthropicBlock, aliases: ToolAliases): ChatContent[] {
  if (part.type === "call") {
    const { callId, alias } = part;
    return [
      {
        type: "function_call",
        callId,
        name: aliases.nameOf(alias),
        arguments: part.arguments,
      } satisfies FunctionCallContent,
    ];
  }
  const { block } = part;
  if (block.type === "text") return block.text === "" ? [] : [{ type: "text", text: block.text }];
  // What is nested too deeply could be neither kept nor sent back.
  const back: ChatContent[] = isShallow(block)
    ? [{ type: "provider", provider: ANTHROPIC, value: block as unknown as JsonValue }]
    : [];
  if (block.type !== "thinking" || block.thinking === "") return back;
  return [{ type: "reasoning", text: block.thinking }, ...back];
}

/** Arguments are whole after `tool_use` only: when the limit is reached they are cut, silently. */
function finishReason(reason: Anthropic.StopReason | null, hasCalls: boolean): FinishReason {
  switch (reason) {
    case "end_turn":
    case "stop_sequence":
      return "stop";
    case "tool_use":
      return hasCalls ? "tool_calls" : "other";
    case "max_tokens":
      return "length";
    case "model_context_window_exceeded":
      return "context_length";
    case "pause_turn":
      return "pause";
    case "refusal":
      return "refusal";
    default:
      return "other";
  }
}

function finishDetail({ stopReason, stopDetails }: AnthropicAnswer): string | null {
  const said = [stopDetails?.category, stopDetails?.explanation].filter(Boolean).join(": ");
  if (said !== "") return said;
  return stopReason === "end_turn" || stopReason === "tool_use" ? null : stopReason;
}

/** `input_tokens` counts only what was neither read from the cache nor written to it. */
function toUsage(usage: Partial<Anthropic.MessageDeltaUsage> | undefined): ChatUsage | null {
  const cached = usage?.cache_read_input_tokens;
  return tokenUsage({
    input: [usage?.input_tokens, cached, usage?.cache_creation_input_tokens],
    output: [usage?.output_tokens],
    cached,
    reasoning: usage?.output_tokens_details?.thinking_tokens,
  });
}
