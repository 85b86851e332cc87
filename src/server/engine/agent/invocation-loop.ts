import {
  type ChatContent,
  type ChatMessage,
  type ChatOptions,
  type ChatResponse,
  type ChatResponseUpdate,
  type ChatUsage,
  type FunctionCallContent,
  type FunctionResultContent,
  listCalls,
  readMessageText,
} from "../../../lib/contract/chat";
import { addUsage } from "../../../lib/run/usage";
import { measureJson } from "../validation/validate-arguments";
import { CallTracker } from "./call-tracker";
import { ChatClientError } from "./chat-ports";
import { exceptionResult } from "./function-result";
import { type Batch, pendingBatch, runBatch, withoutApprovals } from "./invocation-batch";
import type { FunctionInvocationOptions, InvocationUpdate } from "./invocation-updates";
import { findTextCalls, type TextCall } from "./text-calls";

type Ask = (messages: readonly ChatMessage[], options: ChatOptions) => AsyncIterable<ChatResponseUpdate>;
type LoopOptions = ChatOptions & { invocation: FunctionInvocationOptions };

interface Answer {
  response: ChatResponse;
  message: ChatMessage;
  /** Calls in the text of a response without calls. */
  written: TextCall[];
}

const DEFAULT_ITERATIONS = 10;
const DEFAULT_ERROR_BATCHES = 3;

/**
 * Asks the model, executes its calls, sends it the results, and asks again, until it makes no more calls or a limit is
 * reached; then once more without tools. Calls that are open at the end of `messages` are executed first.
 */
export function invokeFunctions(
  ask: Ask,
  messages: readonly ChatMessage[],
  options: LoopOptions,
): AsyncGenerator<InvocationUpdate, void> {
  return new InvocationLoop(ask, messages, options).run();
}

class InvocationLoop {
  readonly #ask: Ask;
  readonly #history: readonly ChatMessage[];
  readonly #options: LoopOptions;
  readonly #tracker: CallTracker;
  /** The messages of the next request. */
  #toSend: ChatMessage[];
  readonly #produced: ChatMessage[] = [];
  #usage: ChatUsage | undefined;
  #conversationId: string | undefined;
  #executed = 0;
  #errorBatches = 0;
  #toolsOff = false;

  constructor(ask: Ask, messages: readonly ChatMessage[], options: LoopOptions) {
    this.#ask = ask;
    this.#history = messages;
    this.#options = options;
    this.#tracker = new CallTracker(messages);
    this.#toSend = messages.map(withoutApprovals);
    this.#conversationId = options.conversationId;
  }

  async *run(): AsyncGenerator<InvocationUpdate, void> {
    const { maxIterations = DEFAULT_ITERATIONS } = this.#options.invocation;
    if (yield* this.#finishPending()) return;
    for (let iteration = 1; ; iteration += 1) {
      if (iteration > maxIterations && !this.#toolsOff) {
        this.#toolsOff = true;
        const text = `The model has been asked ${maxIterations} ${maxIterations === 1 ? "time" : "times"}; it now answers without tools`;
        yield { type: "notice", notice: "iterations_exhausted", text };
      }
      const { response, message, written } = yield* this.#askModel(iteration);
      const calls = listCalls(message);
      if (written.length > 0) yield { type: "notice", notice: "call_as_text", text: this.#describeWritten(written) };
      if (response.finishReason === "pause" && calls.length === 0 && iteration <= maxIterations) {
        yield { type: "notice", notice: "paused", text: "The provider paused the response; continuing" };
        continue;
      }
      const over = calls.length === 0 || (yield* this.#answerCalls(calls, response));
      if (!over) continue;
      yield { type: "response", response: this.#toResponse(response) };
      return;
    }
  }

  async *#askModel(iteration: number): AsyncGenerator<InvocationUpdate, Answer> {
    const { invocation, toolChoice: wanted, ...options } = this.#options;
    const { cutResults } = invocation;
    if (cutResults?.isOffered()) options.tools = [...(options.tools ?? []), cutResults.tool];
    // A model that has to call a tool in every response would never end, so only the first one has to.
    const afterFirst = wanted === undefined || wanted === "none" ? wanted : iteration === 1 ? wanted : "auto";
    const toolChoice = this.#toolsOff ? "none" : afterFirst;
    yield {
      type: "model_started",
      iteration,
      toolChoice: toolChoice ?? "auto",
      toolCount: options.tools?.length ?? 0,
    };
    const received = yield* this.#read({
      ...options,
      ...(toolChoice === undefined ? {} : { toolChoice }),
      ...(this.#conversationId === undefined ? {} : { conversationId: this.#conversationId }),
    });
    const contents = received.messages.flatMap((said) => said.contents.map(withinBounds));
    const written = this.#findWritten(received, contents);
    const isRun = written.length > 0 && invocation.runTextCalls === true;
    const response: ChatResponse = isRun ? { ...received, finishReason: "tool_calls" } : received;
    const answered: ChatMessage = {
      role: "assistant",
      contents: isRun ? [...contents, ...written.map(toCallContent)] : contents,
    };
    // A provider that holds the conversation made the ids and expects them back.
    const message = response.conversationId === undefined ? this.#tracker.withUniqueIds(answered) : answered;
    if (response.usage !== undefined) {
      this.#usage = this.#usage === undefined ? response.usage : addUsage(this.#usage, response.usage);
    }
    this.#conversationId = response.conversationId ?? this.#conversationId;
    this.#produced.push(message);
    if (response.conversationId === undefined) this.#toSend.push(message);
    else this.#toSend = [];
    yield { type: "model_finished", response, message };
    return { response, message, written };
  }

  /** Calls that stand in the text of a response without calls, while tools may be called. */
  #findWritten({ finishReason, conversationId }: ChatResponse, contents: readonly ChatContent[]): TextCall[] {
    const { tools = [], toolChoice } = this.#options;
    const isOver = this.#toolsOff || toolChoice === "none" || finishReason !== "stop";
    // A provider that holds the conversation expects only results of its own calls.
    if (isOver || conversationId !== undefined || contents.some(({ type }) => type === "function_call")) return [];
    return findTextCalls(readMessageText({ role: "assistant", contents: [...contents] }), tools);
  }

  #describeWritten(written: readonly TextCall[]): string {
    const names = [...new Set(written.map(({ name }) => `'${name}'`))].join(", ");
    const what = written.length === 1 ? `a call of ${names}` : `${written.length} calls of ${names}`;
    return this.#options.invocation.runTextCalls === true
      ? `The model wrote ${what} as text, which ran as the settings say`
      : `The answer looks like ${what} that the model wrote as text. Nothing ran. Turn on "Run calls written as text" in the settings, or use a server that recognizes the calls of this model`;
  }

  async *#read(options: ChatOptions): AsyncGenerator<InvocationUpdate, ChatResponse> {
    for await (const update of this.#ask(this.#toSend, options)) {
      if (update.type === "response") return update.response;
      yield update;
    }
    throw new ChatClientError("protocol", "The model's response ended without a finish reason");
  }

  /** True when the conversation is over: tools are off, or calls require approval first. */
  async *#answerCalls(
    calls: readonly FunctionCallContent[],
    response: ChatResponse,
  ): AsyncGenerator<InvocationUpdate, boolean> {
    if (this.#toolsOff || this.#options.toolChoice === "none") {
      yield* this.#rejectCalls(calls, "limit_reached", "Not executed: no more tools may be called");
      return true;
    }
    if (response.finishReason !== "tool_calls") {
      const text = `The response ended early (${response.finishDetail ?? response.finishReason}): its calls may be incomplete and are not executed`;
      yield { type: "notice", notice: "truncated_call", text };
      yield* this.#rejectCalls(
        calls,
        "truncated_call",
        "Not executed: the response was cut off. Make the call again, shorter",
      );
      yield* this.#checkLimits(true);
      return false;
    }
    const { unlistedFinishReason: word } = response;
    if (word !== undefined) {
      const named = word === "" ? "without a reason" : `for a reason that it does not document (${word})`;
      const text = `The provider ended its response ${named}. Its calls are complete and are executed.`;
      yield { type: "notice", notice: "unlisted_finish_reason", text };
    }
    return yield* this.#execute(calls, { tracker: this.#tracker });
  }

  /** True when some calls require an approval that the caller has to get. */
  async *#execute(
    calls: readonly FunctionCallContent[],
    known: Pick<Batch, "results" | "approvals" | "tracker">,
  ): AsyncGenerator<InvocationUpdate, boolean> {
    const { signal, invocation } = this.#options;
    const { maxFunctionCalls } = invocation;
    const budget = maxFunctionCalls === undefined ? Number.POSITIVE_INFINITY : maxFunctionCalls - this.#executed;
    const { results, requests, executed, failed } = yield* runBatch({ calls, budget, ...known }, invocation);
    this.#executed += executed;
    yield* this.#addResults(results);
    if (requests.length > 0) {
      this.#produced.push({ role: "assistant", contents: requests });
      return true;
    }
    yield* this.#checkLimits(failed);
    if (signal?.aborted) throw new ChatClientError("aborted", "Stopped", { cause: signal.reason });
    return false;
  }

  /** Runs calls of the history that have no result yet. True when some still require approval. */
  async *#finishPending(): AsyncGenerator<InvocationUpdate, boolean> {
    const pending = pendingBatch(this.#history);
    if (pending === null) return false;
    const { before, calls, results, approvals, after } = pending;
    this.#toSend = this.#conversationId === undefined ? before : [];
    const waits = yield* this.#execute(calls, { results, approvals, tracker: null });
    this.#toSend.push(...after);
    if (waits) yield { type: "response", response: this.#toResponse({ messages: [], finishReason: "tool_calls" }) };
    return waits;
  }

  async *#rejectCalls(
    calls: readonly FunctionCallContent[],
    kind: "limit_reached" | "truncated_call",
    reason: string,
  ): AsyncGenerator<InvocationUpdate, void> {
    const results = calls.map((call) => exceptionResult(call, kind, reason));
    for (const [index, result] of results.entries()) {
      yield { type: "call_finished", call: calls[index] as FunctionCallContent, result, recorded: false };
    }
    yield* this.#addResults(results);
  }

  async *#addResults(contents: FunctionResultContent[]): AsyncGenerator<InvocationUpdate, void> {
    if (contents.length === 0) return;
    const message: ChatMessage = { role: "tool", contents };
    this.#toSend.push(message);
    this.#produced.push(message);
    yield { type: "tool_message", message };
  }

  /** Checks the limits after a batch; tools once off stay off. */
  async *#checkLimits(failed: boolean): AsyncGenerator<InvocationUpdate, void> {
    const { maxFunctionCalls, maxConsecutiveErrors = DEFAULT_ERROR_BATCHES } = this.#options.invocation;
    this.#errorBatches = failed ? this.#errorBatches + 1 : 0;
    if (failed && this.#errorBatches >= maxConsecutiveErrors) {
      this.#toolsOff = true;
      const times =
        this.#errorBatches === 1 ? "Calls have failed" : `Calls have failed ${this.#errorBatches} times in a row`;
      yield { type: "notice", notice: "too_many_errors", text: `${times}; the model now answers without tools` };
    } else if (maxFunctionCalls !== undefined && this.#executed >= maxFunctionCalls) {
      this.#toolsOff = true;
      const text = `All ${maxFunctionCalls} calls that this run may make are made; the model now answers without tools`;
      yield { type: "notice", notice: "calls_exhausted", text };
    }
  }

  #toResponse(last: ChatResponse): ChatResponse {
    const { usage: _usage, ...rest } = last;
    return {
      ...rest,
      messages: [...this.#produced],
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...(this.#conversationId === undefined ? {} : { conversationId: this.#conversationId }),
    };
  }
}

function toCallContent({ name, arguments: given }: TextCall, index: number): FunctionCallContent {
  return { type: "function_call", callId: `text_call_${index + 1}`, name, arguments: given };
}

/** Lists, messages and executions show the name. */
const MAX_NAME_CHARS = 200;
/** Deeper values overflow the stack of some part that writes JSON. */
const MAX_ARGUMENT_LEVELS = 200;

/** Cuts a name that is too long and replaces arguments that are nested too deeply. */
function withinBounds(content: ChatContent): ChatContent {
  if (content.type !== "function_call") return content;
  const { name, arguments: sent } = content;
  const caps = { maxBytes: Number.POSITIVE_INFINITY, maxDepth: MAX_ARGUMENT_LEVELS };
  const deep = typeof sent === "object" && measureJson(sent, caps).depth > MAX_ARGUMENT_LEVELS;
  if (name.length <= MAX_NAME_CHARS && !deep) return content;
  return {
    ...content,
    name: name.length <= MAX_NAME_CHARS ? name : `${name.slice(0, MAX_NAME_CHARS)}…`,
    // The text is not JSON, so the executor refuses it.
    ...(deep ? { arguments: `[arguments nested deeper than ${MAX_ARGUMENT_LEVELS} levels]` } : {}),
  };
}
