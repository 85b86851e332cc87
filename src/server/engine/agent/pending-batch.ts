import {
  type ChatMessage,
  type FunctionApprovalResponseContent,
  type FunctionCallContent,
  type FunctionResultContent,
  listCalls,
} from "../../../lib/contract/chat";

/** Calls at the end of a conversation that not all have their result: answered approvals, a run that is resumed. */
export interface PendingBatch {
  /** Everything up to the message with the calls, that included. */
  before: ChatMessage[];
  calls: FunctionCallContent[];
  results: Map<string, FunctionResultContent>;
  approvals: Map<string, FunctionApprovalResponseContent>;
  after: ChatMessage[];
}

/** Null where every call of the last message with calls has its result. */
export function pendingBatch(messages: readonly ChatMessage[]): PendingBatch | null {
  const at = messages.findLastIndex((message) => message.role === "assistant" && listCalls(message).length > 0);
  const asking = messages[at];
  if (asking === undefined) return null;
  const calls = listCalls(asking);
  const results = new Map<string, FunctionResultContent>();
  const approvals = new Map<string, FunctionApprovalResponseContent>();
  const after: ChatMessage[] = [];
  for (const message of messages.slice(at + 1)) {
    const rest = message.contents.filter((content) => {
      if (content.type === "function_result") results.set(content.callId, content);
      else if (content.type === "function_approval_response") approvals.set(content.id, content);
      else if (content.type !== "function_approval_request") return true;
      return false;
    });
    if (rest.length > 0) after.push({ ...message, contents: rest });
  }
  if (calls.every(({ callId }) => results.has(callId))) return null;
  return { before: messages.slice(0, at + 1).map(withoutApprovals), calls, results, approvals, after };
}

/** Requests and responses are between us and a user: a provider never sees them. */
export function withoutApprovals(message: ChatMessage): ChatMessage {
  const contents = message.contents.filter(
    ({ type }) => type !== "function_approval_request" && type !== "function_approval_response",
  );
  return contents.length === message.contents.length ? message : { ...message, contents };
}
