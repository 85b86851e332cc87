import { setTimeout as sleep } from "node:timers/promises";
import { ChatClientError } from "../engine/agent/chat-ports";

/** The pieces joined are the text. */
export function inWords(text: string): string[] {
  return text.match(/\s*\S+\s?|\s+/g) ?? [];
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw stopped();
}

/** @throws ChatClientError of kind `aborted`, at once when the signal fires */
export async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(delayMs, undefined, signal ? { signal } : {});
  } catch {
    throw stopped();
  }
}

export function stopped(): ChatClientError {
  return new ChatClientError("aborted", "The request was stopped");
}
