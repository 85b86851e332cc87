import { type ChatMessage, type FunctionResultContent, listCalls } from "../../../lib/contract/chat";
import type { RunEvent } from "../../../lib/contract/run";
import { buildMessages } from "../../../lib/run/build-messages";
import { pendingBatch } from "../../engine/agent/pending-batch";

export interface ChatState {
  messages: ChatMessage[];
  /** Set where the provider holds what came before `messages`. */
  conversationId: string | undefined;
}

/**
 * What the next request sends: everything, or what is new since the answer after which the provider holds the rest.
 * @param endpoint where the request goes; null: no provider holds the conversation
 */
export async function getChatState(
  events: readonly RunEvent[],
  endpoint: string | null,
  hydrate: (result: FunctionResultContent) => Promise<FunctionResultContent>,
): Promise<ChatState> {
  const { at, conversationId } = heldConversation(events, endpoint);
  const all = withoutUnansweredEnd(buildMessages(conversationId === undefined ? events : events.slice(at)), events);
  // The provider has its answer already; it stays only where its calls have yet to be executed.
  const known = conversationId !== undefined && all[0]?.role === "assistant" && pendingBatch(all) === null;
  const messages = known ? all.slice(1) : all;
  return { messages: await Promise.all(messages.map((message) => withMedia(message, hydrate))), conversationId };
}

/** Only the provider of the last response can hold the conversation before it. */
function heldConversation(
  events: readonly RunEvent[],
  endpoint: string | null,
): { at: number; conversationId: string | undefined } {
  const at = events.findLastIndex((event) => event.type === "model_finished" && event.partial !== true);
  const last = events[at];
  const asked = events.slice(0, at).findLast((event) => event.type === "model_started");
  const same = endpoint !== null && asked?.type === "model_started" && asked.endpoint === endpoint;
  return { at, conversationId: same && last?.type === "model_finished" ? last.conversationId : undefined };
}

/**
 * Removes a final response without calls, since models reject a request that ends with their own message. A response that
 * the provider paused stays: it expects it back.
 */
function withoutUnansweredEnd(messages: ChatMessage[], events: readonly RunEvent[]): ChatMessage[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || listCalls(last).length > 0) return messages;
  const answer = events.findLast((event) => event.type === "model_finished");
  const paused = answer?.type === "model_finished" && answer.finishReason === "pause";
  return paused ? messages : messages.slice(0, -1);
}

async function withMedia(
  message: ChatMessage,
  hydrate: (result: FunctionResultContent) => Promise<FunctionResultContent>,
): Promise<ChatMessage> {
  if (message.role !== "tool") return message;
  const contents = await Promise.all(
    message.contents.map((content) =>
      content.type === "function_result" && content.items !== undefined ? hydrate(content) : content,
    ),
  );
  return { ...message, contents };
}
