import {
  type ChatContent,
  type ChatMessage,
  type FunctionCallContent,
  type FunctionResultContent,
  listCalls,
} from "../../lib/contract/chat";

const NOT_EXECUTED = "not executed";

/**
 * The messages as every provider takes them: each assistant message with calls is followed at once by one `tool` message
 * that holds one result for each call, in the order of the calls. A call without a result gets "not executed"; a result
 * without a call, a second result and the contents that are ours alone (approvals) are left out, and so are messages
 * that this leaves empty. A result that came later moves up to its call.
 * `callsHeld`: the provider holds the conversation before these messages, so results may answer calls that are not here.
 */
export function pairCalls(messages: readonly ChatMessage[], options: { callsHeld?: boolean } = {}): ChatMessage[] {
  const unused = resultsByCall(messages);
  const called = new Set(messages.flatMap((message) => listCalls(message).map(({ callId }) => callId)));
  return messages.flatMap((message): ChatMessage[] => {
    const held = options.callsHeld ? message.contents.filter((content) => answersNone(content, called)) : [];
    if (held.length > 0) return [{ role: "tool", contents: held }];
    const contents = message.contents.filter(isForProviders);
    if (contents.length === 0) return [];
    const rest: ChatMessage = { role: message.role === "tool" ? "user" : message.role, contents };
    const calls = listCalls(rest);
    if (calls.length === 0) return [rest];
    const results = calls.map((call) => takeResult(unused, call));
    return [rest, { role: "tool", contents: results }];
  });
}

/** Returns the text that a model reads of a result; a failure begins with `Error:` for providers that have no other mark for it. */
export function resultText(content: FunctionResultContent, mark: "mark_errors" | "plain"): string {
  const text = content.result ?? content.exception?.message ?? "";
  if (!content.exception || mark === "plain" || text.startsWith("Error:")) return text;
  return `Error: ${text}`;
}

function isForProviders(content: ChatContent): boolean {
  switch (content.type) {
    case "function_result":
    case "function_approval_request":
    case "function_approval_response":
    case "reasoning":
      return false;
    case "text":
      return content.text !== "";
    default:
      return true;
  }
}

function answersNone(content: ChatContent, called: ReadonlySet<string>): boolean {
  return content.type === "function_result" && !called.has(content.callId);
}

/** Several results of one id are kept in order: ids that are unique within a run can meet again in pasted histories. */
function resultsByCall(messages: readonly ChatMessage[]): Map<string, FunctionResultContent[]> {
  const byCall = new Map<string, FunctionResultContent[]>();
  for (const { contents } of messages) {
    for (const content of contents) {
      if (content.type !== "function_result") continue;
      byCall.set(content.callId, [...(byCall.get(content.callId) ?? []), content]);
    }
  }
  return byCall;
}

function takeResult(unused: Map<string, FunctionResultContent[]>, call: FunctionCallContent): FunctionResultContent {
  const result = unused.get(call.callId)?.shift();
  if (result) return result;
  const exception = { kind: "cancelled" as const, message: NOT_EXECUTED };
  return { type: "function_result", callId: call.callId, name: call.name, result: NOT_EXECUTED, exception };
}
