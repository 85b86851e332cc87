import type { Result } from "@modelcontextprotocol/server";
import { RELATED_TASK } from "../../../../lib/mcp-tasks";
import type { CallContext } from "../../fast-path/call-context";
import { askSession, toInputRequest } from "../client-interaction";
import type { PendingInput } from "../pending-input";
import type { StoredTask } from "./task-store";

/** How a task's call ended: with a result, with an error of the protocol, or by a cancel. */
export type TaskEnd = { cancelled: boolean } & ({ result: Result } | { error: unknown });

export interface TaskState {
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  message: string | null;
  updatedAt: number;
}

/** A task whose call runs in this process, or has ended lately. */
export class RunningTask {
  end: TaskEnd | null = null;
  /** Resolves when the call has ended. */
  readonly done: Promise<void>;
  /** Open requests for the result, on which the client of a session receives questions. */
  readonly #streams = new Set<CallContext>();
  readonly #asked = new Set<string>();
  #message: string | null = null;
  #updatedAt: number;
  #isCancelled = false;
  #reported: TaskState["status"] = "working";

  /**
   * @param onStatus called when the task has another status
   * @param asks the client is asked on streams, not in answers to polls
   */
  constructor(
    readonly stored: StoredTask,
    readonly pending: PendingInput,
    outcome: Promise<Result>,
    private readonly options: { onStatus(): void; asks: boolean },
  ) {
    this.#updatedAt = stored.createdAt;
    pending.onChange = () => this.#changed();
    const ended = (end: { result: Result } | { error: unknown }): void => {
      this.end = { cancelled: this.#isCancelled || pending.listener.endedAs === "cancelled", ...end };
      this.#changed();
    };
    this.done = outcome.then(
      (result) => ended({ result }),
      (error: unknown) => ended({ error }),
    );
  }

  get state(): TaskState {
    const message = this.end === null ? (this.pending.listener.message ?? null) : null;
    if (message !== this.#message) this.#updatedAt = Date.now();
    this.#message = message;
    return { status: this.#status, message, updatedAt: this.#updatedAt };
  }

  get #status(): TaskState["status"] {
    const { end } = this;
    if (this.#isCancelled) return "cancelled";
    if (end === null) return this.pending.questions.size > 0 ? "input_required" : "working";
    if (end.cancelled) return "cancelled";
    return "error" in end || end.result.isError === true ? "failed" : "completed";
  }

  /** The requests for input; a client that reads them answers, however long that takes. */
  get inputRequests(): Record<string, unknown> {
    this.pending.hear();
    return Object.fromEntries([...this.pending.questions].map(([key, { request }]) => [key, toInputRequest(request)]));
  }

  /** Cancels the task. It stays cancelled, even if the call returns a result. */
  cancel(): void {
    this.#isCancelled = true;
    this.pending.controller.abort("cancelled by the client");
  }

  /** Asks the client on this stream until the call has ended. */
  async follow(stream: CallContext): Promise<void> {
    const { signal } = stream.mcpReq;
    const left = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    this.#streams.add(stream);
    this.#ask();
    await Promise.race([this.done, left]);
    this.#streams.delete(stream);
  }

  get stream(): CallContext | null {
    return [...this.#streams].at(-1) ?? null;
  }

  #changed(): void {
    if (this.options.asks) this.#ask();
    if (this.#status === this.#reported) return;
    this.#reported = this.#status;
    this.#updatedAt = Date.now();
    this.options.onStatus();
  }

  #ask(): void {
    const { stream } = this;
    if (stream === null) return;
    this.pending.hear();
    for (const [key, { request, settle, signal }] of this.pending.questions) {
      if (this.#asked.has(key)) continue;
      this.#asked.add(key);
      const related = { [RELATED_TASK]: { taskId: this.stored.id } };
      askSession(stream, request, signal, related).then(settle, () => {
        // The stream is gone: the client is asked again on the next one.
        this.#asked.delete(key);
        this.#streams.delete(stream);
      });
    }
  }
}
