import { isPlainObject } from "../../../../lib/contract/json";
import { withMembers } from "../../../../lib/json/known-text";
import { ToolFailure } from "../../../engine/failures";
import type { ToolContext } from "../../../engine/ports";
import { ANY_RESULT, NO_TIMEOUT_MS } from "../../fast-path/sdk-results";
import { createOutgoingRequest, REQUEST } from "../transport/sent-request";
import { sleep } from "../wait";
import { toCallFailure } from "./call-failure";
import { isSessionLost } from "./connection-error";
import type { ProtocolSession } from "./protocol-session";
import type { RunningToolCall } from "./running-tool-calls";
import { TaskInput } from "./task-input";
import { hasEnded, readTask, readTaskError, type TaskState, withoutRelatedTask } from "./task-state";

/** Opens the connection again, however long it takes. @throws ToolFailure where it cannot be opened, or the call is cancelled */
export type Reopen = (lost: ProtocolSession, forgotten: boolean) => Promise<ProtocolSession>;

type TaskOutcome = { result: unknown } | { error: unknown };

/** Requests about a task that may fail one after another. */
const MAX_FAILURES = 5;
const CANCEL_TIMEOUT_MS = 5000;
const MAX_MESSAGE_CHARS = 1000;
/** A response larger than a message may be: it would be so again. */
const TOO_LARGE = /is larger than .* allowed|has more than \d+ keys/;
const INVALID_PARAMS = -32_602;
const METHOD_NOT_FOUND = -32_601;

/** Follows a task of a server from its creation to its result, over lost connections, and cancels it with its call. */
export class FollowedTask {
  readonly #context: ToolContext;
  readonly #tool: string;
  readonly #reopen: Reopen;
  readonly #id: string;
  readonly #token: string | number | null;
  readonly #input: TaskInput;
  #session: ProtocolSession;
  #call: RunningToolCall;
  #state: TaskState;
  #reported = "";
  #failures = 0;
  #polls = 0;
  #wake = new AbortController();
  /** The event that has ended the wait for the task. */
  #outcome: TaskOutcome | null = null;
  /** 2025-11-25: whether `tasks/result` is open, on which requests for input arrive. */
  #awaitsResult = false;

  /** @param token the token of the call's progress, which stays valid */
  constructor(
    session: ProtocolSession,
    call: RunningToolCall,
    created: TaskState,
    { token, reopen }: { token: string | number | null; reopen: Reopen },
  ) {
    this.#session = session;
    this.#call = call;
    this.#state = created;
    this.#context = call.context;
    this.#tool = call.tool;
    this.#reopen = reopen;
    this.#id = created.id;
    this.#token = token;
    this.#input = new TaskInput({
      origin: () => ({ session: this.#session, call: this.#call }),
      respond: (inputResponses) => this.#respond(inputResponses),
      fail: (error) => this.#end({ error }),
    });
    this.#follow();
  }

  /** @throws ToolFailure */
  async result(): Promise<unknown> {
    const { signal } = this.#context;
    this.#context.markTask(this.#id);
    this.#context.logger.info(`Runs as the task ${this.#quote(this.#id)} of the server`);
    const onAbort = (): void => this.#wake.abort();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return withoutRelatedTask(await this.#untilEnd());
    } catch (error) {
      if (!hasEnded(this.#state)) this.#cancel();
      throw this.#toFailure(error);
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#input.close();
      this.#session.calls.end(this.#call);
      this.#session.closeWhenIdle();
    }
  }

  async #untilEnd(): Promise<unknown> {
    for (;;) {
      this.#report();
      if (hasEnded(this.#state)) return await this.#readResult();
      if (this.#session.modern) this.#input.update(this.#state);
      else if (this.#state.status === "input_required") this.#openResult();
      await this.#pause();
      this.#context.signal.throwIfAborted();
      if (this.#outcome !== null) {
        if ("error" in this.#outcome) throw this.#outcome.error;
        return this.#outcome.result;
      }
      await this.#poll();
    }
  }

  async #poll(): Promise<void> {
    this.#polls += 1;
    try {
      const state = readTask(await this.#request("tasks/get", {}));
      this.#failures = 0;
      this.#state = state;
    } catch (error) {
      await this.#recover(error);
    }
  }

  /** Waits until the next poll is due; an event shortens the wait down to the least time between two polls. */
  async #pause(): Promise<void> {
    const { minMs, maxMs, firstMs } = this.#session.limits.taskPoll;
    const wanted = this.#state.pollMs ?? firstMs * Math.min(2 ** this.#polls, 16);
    const { signal } = this.#context;
    const least = sleep(minMs, signal);
    await sleep(Math.min(Math.max(wanted, minMs), maxMs), this.#wake.signal);
    if (this.#outcome === null) await least;
    this.#wake = new AbortController();
    if (signal.aborted) this.#wake.abort();
  }

  async #request(method: string, params: Record<string, unknown>): Promise<unknown> {
    return await this.#session.request(method, { taskId: this.#id, ...params }, { signal: this.#context.signal });
  }

  /** 2025-11-25: the request lasts until the task has ended, and belongs to the call, so that requests on it do too. */
  async #requestResult(): Promise<unknown> {
    const { client } = this.#session;
    const request = createOutgoingRequest(this.#call);
    const params = { taskId: this.#id, [REQUEST]: request };
    const options = { signal: this.#context.signal, timeout: NO_TIMEOUT_MS };
    return await this.#session.awaitResult(
      request,
      client.request({ method: "tasks/result", params }, ANY_RESULT, options),
    );
  }

  #openResult(): void {
    if (this.#awaitsResult) return;
    this.#awaitsResult = true;
    const session = this.#session;
    this.#requestResult().then(
      (result) => this.#end({ result }),
      // The next poll tells whether the task has ended, or its error.
      (error: unknown) => {
        if (session === this.#session) this.#awaitsResult = false;
        session.log.add("toolroom", "debug", `tasks/result ended early: ${String(error)}`);
      },
    );
  }

  async #readResult(): Promise<unknown> {
    const { status, result, error } = this.#state;
    if (status === "cancelled") throw this.#failed("the server cancelled the task");
    if (this.#session.modern) {
      if (status === "failed") throw readTaskError(error) ?? this.#failed("the task failed");
      if (!isPlainObject(result)) throw this.#failed("the task is completed, but has no result");
      return result;
    }
    for (;;) {
      try {
        const sent = await this.#requestResult();
        return status === "failed" && isPlainObject(sent) ? withMembers(sent, { isError: true }) : sent;
      } catch (thrown) {
        const { kind, protocolError } = this.#toFailure(thrown);
        if (status === "failed" && kind === "tool_error") {
          throw this.#state.message === null ? thrown : this.#failed("the task failed", protocolError);
        }
        await this.#recover(thrown);
      }
    }
  }

  /** @throws ToolFailure unless it is worth asking again, maybe on another connection */
  async #recover(error: unknown): Promise<void> {
    this.#context.signal.throwIfAborted();
    const failure = toCallFailure(error, this.#session, this.#call);
    const forgotten = isSessionLost(failure);
    if (failure instanceof ToolFailure) {
      const code = failure.protocolError?.code;
      if (code === INVALID_PARAMS || code === METHOD_NOT_FOUND) throw this.#lost(failure);
      if (failure.kind === "sign_in_needed" || TOO_LARGE.test(failure.message)) throw failure;
      this.#failures += 1;
      const isConnected = !this.#session.ended;
      if (isConnected && this.#failures >= MAX_FAILURES) throw failure;
      this.#context.setTimeoutHint(`Its task could not be read last: ${failure.message}`);
      if (isConnected) return await this.#settle();
    }
    this.#context.logger.warn("The connection to the server was lost while its task ran: reconnecting");
    await this.#move(await this.#reopen(this.#session, forgotten));
  }

  async #settle(): Promise<void> {
    await sleep(this.#session.limits.taskPoll.minMs, this.#context.signal);
  }

  async #move(next: ProtocolSession): Promise<void> {
    if (next === this.#session) return await this.#settle();
    const former = this.#session;
    const ended = this.#call;
    this.#session = next;
    this.#call = next.calls.begin(this.#tool, this.#context);
    this.#call.samplingRequests = ended.samplingRequests;
    this.#awaitsResult = false;
    this.#follow();
    former.calls.end(ended);
    former.closeWhenIdle();
  }

  /** Progress, status notifications and requests of the server that name this task belong to the call. */
  #follow(): void {
    this.#session.calls.follow(this.#call, { id: this.#id, token: this.#token, wake: () => this.#wake.abort() });
  }

  async #respond(inputResponses: Record<string, unknown>): Promise<void> {
    for (;;) {
      try {
        await this.#request("tasks/update", { inputResponses });
        return this.#wake.abort();
      } catch (error) {
        await this.#recover(error);
      }
    }
  }

  #end(outcome: TaskOutcome): void {
    this.#outcome ??= outcome;
    this.#wake.abort();
  }

  #report(): void {
    const { status, message } = this.#state;
    const line = message === null ? status : `${status}: ${this.#quote(message)}`;
    if (line === this.#reported) return;
    this.#reported = line;
    this.#context.logger.info(`Task ${line}`);
    this.#context.setTimeoutHint(`Its task was last reported as ${line}`);
    if (!hasEnded(this.#state)) this.#call.reportStatus(message === null ? `Task ${status}` : this.#quote(message));
  }

  /** The server decides whether the task stops; the answer is not awaited. */
  #cancel(): void {
    const session = this.#session;
    const { capabilities } = session;
    const tasks = isPlainObject(capabilities.tasks) ? capabilities.tasks : {};
    if (!session.modern && tasks.cancel === undefined) {
      session.log.add("toolroom", "warn", "The server cannot cancel tasks: this one may still run");
      return;
    }
    session.request("tasks/cancel", { taskId: this.#id }, { timeoutMs: CANCEL_TIMEOUT_MS }).catch((error: unknown) => {
      session.log.add("toolroom", "warn", `The task ${this.#id} could not be cancelled: ${String(error)}`);
    });
  }

  #toFailure(error: unknown): ToolFailure {
    const failure = toCallFailure(error, this.#session, this.#call);
    if (failure instanceof ToolFailure) return failure;
    return failure.suspected ?? new ToolFailure("unavailable", failure.message);
  }

  #failed(what: string, protocolError?: ToolFailure["protocolError"]): ToolFailure {
    const { message } = this.#state;
    const why = message === null ? "" : `: ${this.#quote(message)}`;
    return new ToolFailure("tool_error", `${this.#session.settings.name}: ${what}${why}`, protocolError);
  }

  #lost({ message }: ToolFailure): ToolFailure {
    const { ttlMs } = this.#state;
    const kept = ttlMs === null ? "" : ` (the server keeps tasks for ${ttlMs / 1000} s)`;
    const { name } = this.#session.settings;
    return new ToolFailure("tool_error", `The task of server '${name}' is lost, and its result too${kept}. ${message}`);
  }

  #quote(text: string): string {
    return this.#session.log.quoteForCaller(text, MAX_MESSAGE_CHARS);
  }
}
