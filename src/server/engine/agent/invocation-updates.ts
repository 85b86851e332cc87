import type {
  ChatMessage,
  ChatOptions,
  ChatResponse,
  ChatResponseUpdate,
  FunctionApprovalRequestContent,
  FunctionCallContent,
  FunctionResultContent,
  ToolChoice,
} from "../../../lib/contract/chat";
import type { RunNotice } from "../../../lib/contract/run";
import type { FunctionInvocation } from "./execution-engine";

/** The limits within which a model calls tools, and the settings of its calls. */
export interface FunctionInvocationOptions extends FunctionInvocation {
  /** Model calls with tools; then one more without them (AGT-09). 10 when absent. */
  maxIterations?: number | undefined;
  /** Calls executed in all; those beyond are refused, and tools go off. No limit when absent. */
  maxFunctionCalls?: number | undefined;
  /** Calls of one response that are executed; the others get a failure. 128 when absent. */
  maxCallsPerResponse?: number | undefined;
  /** Batches in a row with a failure in them, after which tools go off; 3 when absent, 0: after the first. */
  maxConsecutiveErrors?: number | undefined;
  /** Calls that a model wrote as text are executed like others; when absent the conversation ends with a notice. */
  runTextCalls?: boolean | undefined;
  /** An answer that is known already, from an earlier run: nothing is executed. Null for all others. */
  recorded?:
    | ((call: FunctionCallContent) => FunctionResultContent | null | Promise<FunctionResultContent | null>)
    | undefined;
}

export interface InvokingChatOptions extends ChatOptions {
  /** Absent: a plain chat, calls are left to the caller. */
  invocation?: FunctionInvocationOptions | undefined;
}

/**
 * What happens in a conversation with tools, in order, beside what a bare client tells. The next thing does not begin
 * before an update was taken: who writes them down has written them before anything follows from them.
 */
export type InvocationUpdate =
  | Exclude<ChatResponseUpdate, { type: "response" }>
  | { type: "model_started"; iteration: number; toolChoice: ToolChoice; toolCount: number }
  /** One complete answer, with call ids that are unique in the conversation. */
  | { type: "model_finished"; response: ChatResponse; message: ChatMessage }
  | { type: "call_started"; call: FunctionCallContent; executionId: string | undefined }
  | { type: "call_finished"; call: FunctionCallContent; result: FunctionResultContent; recorded: boolean }
  /** Nothing was run; the conversation ends here until it comes back with the user's answer. */
  | { type: "approval_requested"; request: FunctionApprovalRequestContent }
  /** All results of one batch, in the order of their calls. */
  | { type: "tool_message"; message: ChatMessage }
  | { type: "notice"; notice: RunNotice; text: string }
  /** The end: every message that is new, tokens added up. */
  | { type: "response"; response: ChatResponse };

export interface FunctionInvokingChatClient {
  /** @throws ChatClientError */
  getResponse(messages: readonly ChatMessage[], options?: InvokingChatOptions): Promise<ChatResponse>;
  /** @throws ChatClientError while it is read */
  getStreamingResponse(
    messages: readonly ChatMessage[],
    options?: InvokingChatOptions,
  ): AsyncIterable<InvocationUpdate>;
}
