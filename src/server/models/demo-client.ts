import type { ChatMessage, ChatOptions, ChatResponse, ChatResponseUpdate } from "../../lib/contract/chat";
import type { ModelConnection } from "../engine/agent/chat-ports";
import { type DemoTurn, planTurn } from "./demo/plan-turn";
import { pause, throwIfAborted } from "./with-retries";

const MODEL = "demo";
const WORD_DELAY_MS = 15;
const DELTA_CHARS = 24;

/**
 * A model without key and network: rules that find the tools a plain request means. It says that it is none, and does
 * the same for the same messages.
 */
export class DemoClient implements ModelConnection {
  readonly #wordDelayMs: number;

  constructor({ wordDelayMs = WORD_DELAY_MS }: { wordDelayMs?: number } = {}) {
    this.#wordDelayMs = wordDelayMs;
  }

  acceptsMedia(): boolean {
    return false;
  }

  async listModels(signal?: AbortSignal): Promise<string[]> {
    throwIfAborted(signal);
    return [MODEL];
  }

  async getResponse(messages: readonly ChatMessage[], options: ChatOptions = {}): Promise<ChatResponse> {
    throwIfAborted(options.signal);
    return toResponse(planTurn(messages, options));
  }

  async *getStreamingResponse(
    messages: readonly ChatMessage[],
    options: ChatOptions = {},
  ): AsyncGenerator<ChatResponseUpdate> {
    const { signal } = options;
    throwIfAborted(signal);
    const turn = planTurn(messages, options);
    for (const text of inWords(turn.text)) {
      if (this.#wordDelayMs > 0) await pause(this.#wordDelayMs, signal);
      throwIfAborted(signal);
      yield { type: "text", text };
    }
    for (const { callId, name, arguments: given } of turn.calls) {
      const written = String(given);
      for (let at = 0; at < written.length; at += DELTA_CHARS) {
        throwIfAborted(signal);
        yield { type: "call_delta", callId, name, argumentsDelta: written.slice(at, at + DELTA_CHARS) };
      }
    }
    throwIfAborted(signal);
    yield { type: "response", response: toResponse(turn) };
  }
}

function toResponse({ text, calls }: DemoTurn): ChatResponse {
  return {
    messages: [{ role: "assistant", contents: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls] }],
    finishReason: calls.length > 0 ? "tool_calls" : "stop",
    model: MODEL,
  };
}

/** The pieces joined are the text. */
export const inWords = (text: string): string[] => text.match(/\s*\S+\s?|\s+/g) ?? [];
