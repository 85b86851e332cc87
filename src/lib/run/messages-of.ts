import type { ChatMessage, FunctionResultContent, RunEvent } from "../contract";
import { callsOf } from "../contract/chat";

/**
 * The model's messages, a fold over a run's log: what was asked and answered, each batch of results as one message with
 * role `tool`, in the order of its calls. A batch that is not over has the results that there are.
 */
export function messagesOf(events: readonly RunEvent[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  /** The message whose results come, and where they go. */
  let asking: { message: ChatMessage; results: Map<string, FunctionResultContent>; at: number } | null = null;

  for (const event of events) {
    if (event.type === "user_message") {
      messages.push(event.message);
    } else if (event.type === "model_finished") {
      const message = event.partial ? withoutCalls(event.message) : event.message;
      if (message.contents.length === 0) continue;
      messages.push(message);
      asking = callsOf(message).length === 0 ? null : { message, results: new Map(), at: messages.length };
    } else if (event.type === "tool_finished" && asking !== null) {
      asking.results.set(event.callId, event.result);
      const { message, results, at } = asking;
      const contents = callsOf(message).flatMap(({ callId }) => results.get(callId) ?? []);
      if (contents.length > 0) messages.splice(at, messages[at]?.role === "tool" ? 1 : 0, { role: "tool", contents });
    }
  }
  return messages;
}

/** The messages that a model call was made with: those of the log before it. */
export function messagesBeforeStep(events: readonly RunEvent[], step: number): ChatMessage[] {
  const at = events.findIndex((event) => event.type === "model_started" && event.step === step);
  return messagesOf(at < 0 ? events : events.slice(0, at));
}

/** A call that was still being written when its answer was stopped was never made. */
function withoutCalls(message: ChatMessage): ChatMessage {
  const contents = message.contents.filter(({ type }) => type !== "function_call" && type !== "provider");
  return { ...message, contents };
}
