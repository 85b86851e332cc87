import { type ChatMessage, callsOf, type FunctionResultContent, type RunEvent } from "../../../lib/contract";
import { messagesOf } from "../../../lib/run/messages-of";
import { pendingBatch } from "../../engine/pending-batch";

export interface ChatState {
  messages: ChatMessage[];
  /** Set where the provider holds what came before `messages`. */
  conversationId: string | undefined;
}

/**
 * What the next request sends: everything, or what is new since the answer after which the provider holds the rest.
 * @param endpoint where the request goes; null: nobody is taken to hold anything
 */
export async function chatStateOf(
  events: readonly RunEvent[],
  endpoint: string | null,
  hydrate: (result: FunctionResultContent) => Promise<FunctionResultContent>,
): Promise<ChatState> {
  const { at, conversationId } = heldConversation(events, endpoint);
  const all = withoutUnansweredEnd(messagesOf(conversationId === undefined ? events : events.slice(at)), events);
  // The provider has its answer already; it stays only where its calls have yet to be executed.
  const known = conversationId !== undefined && all[0]?.role === "assistant" && pendingBatch(all) === null;
  const messages = known ? all.slice(1) : all;
  return { messages: await Promise.all(messages.map((message) => withMedia(message, hydrate))), conversationId };
}

/** Only who gave the last answer can hold what came before it. */
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
 * A turn that is gone on with may end in words of the model that were stopped, or that nobody could use: models refuse to be
 * asked after their own words. An answer that the provider paused is what it wants back.
 */
function withoutUnansweredEnd(messages: ChatMessage[], events: readonly RunEvent[]): ChatMessage[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || callsOf(last).length > 0) return messages;
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
