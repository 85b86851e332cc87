import type { ChatMessage, FunctionResultContent, RunEvent } from "../../../lib/contract";
import { messagesOf } from "../../../lib/run/messages-of";
import { pendingBatch } from "../../engine/pending-batch";

/** What the next request sends: everything, or what is new since the answer after which the provider holds the rest. */
export async function chatStateOf(
  events: readonly RunEvent[],
  provider: string,
  hydrate: (result: FunctionResultContent) => Promise<FunctionResultContent>,
): Promise<{ messages: ChatMessage[]; conversationId: string | undefined }> {
  const { at, conversationId } = heldConversation(events, provider);
  const all = messagesOf(conversationId === undefined ? events : events.slice(at));
  // The provider has its answer already; it stays only where its calls have yet to be executed.
  const known = conversationId !== undefined && all[0]?.role === "assistant" && pendingBatch(all) === null;
  const messages = known ? all.slice(1) : all;
  return { messages: await Promise.all(messages.map((message) => withMedia(message, hydrate))), conversationId };
}

/** Only the provider that gave the last answer can hold what came before it. */
function heldConversation(
  events: readonly RunEvent[],
  provider: string,
): { at: number; conversationId: string | undefined } {
  const at = events.findLastIndex((event) => event.type === "model_finished" && event.partial !== true);
  const last = events[at];
  const asked = events.slice(0, at).findLast((event) => event.type === "model_started");
  const same = asked?.type === "model_started" && asked.provider === provider;
  return { at, conversationId: same && last?.type === "model_finished" ? last.conversationId : undefined };
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
