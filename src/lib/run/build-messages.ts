import { quoteContext } from "../apps/app-context";
import type { ChatMessage, FunctionResultContent } from "../contract/chat";
import { listCalls } from "../contract/chat";
import type { RunEvent } from "../contract/run";

/** `finishDetail` of a response that was cut off at the size limit: it stays in the log and is never sent back. */
export const RESPONSE_TOO_LARGE = "response too large";

/**
 * The model's messages, a fold over a run's log. Each batch of results is one message with role `tool`, in the order of its
 * calls; an unfinished batch has the results so far.
 */
export function buildMessages(events: readonly RunEvent[]): ChatMessage[] {
  const messages: (ChatMessage | Batch)[] = [];
  /** The batch that next results belong to. */
  let open: Batch | null = null;

  for (const event of events) {
    if (event.type === "user_message") {
      messages.push(withContext(event));
    } else if (event.type === "model_finished") {
      if (event.partial && event.finishDetail === RESPONSE_TOO_LARGE) continue;
      const message = event.partial ? withoutCalls(event.message) : event.message;
      if (message.contents.length === 0) continue;
      messages.push(message);
      open = listCalls(message).length === 0 ? null : { asking: message, results: new Map() };
      if (open !== null) messages.push(open);
    } else if (event.type === "tool_finished" && open !== null) {
      open.results.set(event.callId, event.result);
    }
  }
  return messages.flatMap((message) => ("asking" in message ? listResults(message) : [message]));
}

/** The message of a user as the model receives it: after the texts of Apps. */
function withContext({ message, appContext = [] }: Extract<RunEvent, { type: "user_message" }>): ChatMessage {
  if (appContext.length === 0) return message;
  const quoted = appContext.map((context) => ({ type: "text" as const, text: quoteContext(context) }));
  return { ...message, contents: [...quoted, ...message.contents] };
}

/** Results of the calls of one message. */
interface Batch {
  asking: ChatMessage;
  results: Map<string, FunctionResultContent>;
}

function listResults({ asking, results }: Batch): ChatMessage[] {
  const contents = listCalls(asking).flatMap(({ callId }) => results.get(callId) ?? []);
  return contents.length === 0 ? [] : [{ role: "tool", contents }];
}

/** The messages of one model call: those before it in the log. */
export function buildMessagesBeforeStep(events: readonly RunEvent[], step: number): ChatMessage[] {
  const at = events.findIndex((event) => event.type === "model_started" && event.step === step);
  return buildMessages(at < 0 ? events : events.slice(0, at));
}

/** Calls of a response that was stopped early were never made. */
function withoutCalls(message: ChatMessage): ChatMessage {
  const contents = message.contents.filter(({ type }) => type !== "function_call" && type !== "provider");
  return { ...message, contents };
}
