import { isPlainObject } from "../../../../lib/contract/json";
import { answerInputRequest } from "../interaction/handle-server-requests";
import type { ProtocolSession } from "./protocol-session";
import type { RunningToolCall } from "./running-tool-calls";
import type { TaskState } from "./task-state";

/** The requests of one task. */
const MAX_REQUESTS = 20;

export interface TaskInputOptions {
  origin(): { session: ProtocolSession; call: RunningToolCall };
  /** Sends answers to the task. */
  respond(inputResponses: Record<string, unknown>): Promise<void>;
  fail(error: unknown): void;
}

/** The requests for input inside a task of 2026-07-28: each is answered once, while the task is polled. */
export class TaskInput {
  readonly #options: TaskInputOptions;
  /** Open requests by key; the server uses a key once. */
  readonly #open = new Map<string, AbortController>();
  readonly #seen = new Set<string>();

  constructor(options: TaskInputOptions) {
    this.#options = options;
  }

  update({ status, inputRequests }: TaskState): void {
    const asked = status === "input_required" && isPlainObject(inputRequests) ? inputRequests : {};
    for (const [key, withdrawn] of this.#open) if (!Object.hasOwn(asked, key)) withdrawn.abort();
    for (const [key, request] of Object.entries(asked)) {
      if (this.#seen.has(key)) continue;
      if (this.#seen.size >= MAX_REQUESTS) {
        this.#options.fail(new Error(`its task requested input more than ${MAX_REQUESTS} times`));
        return;
      }
      this.#seen.add(key);
      void this.#answer(key, request);
    }
  }

  close(): void {
    for (const open of this.#open.values()) open.abort();
  }

  async #answer(key: string, request: unknown): Promise<void> {
    const open = new AbortController();
    this.#open.set(key, open);
    try {
      const answer = await answerInputRequest(request, { ...this.#options.origin(), signal: open.signal, key });
      this.#open.delete(key);
      if (!open.signal.aborted) await this.#options.respond({ [key]: answer });
    } catch (error) {
      if (!open.signal.aborted) this.#options.fail(error);
    } finally {
      this.#open.delete(key);
    }
  }
}
