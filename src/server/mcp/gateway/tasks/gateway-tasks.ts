import { createHash } from "node:crypto";
import { ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import type { ToolCallResult } from "../../../../lib/contract/content";
import type { ExecutionEnvelope, ExecutionStatus } from "../../../../lib/contract/envelope";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import { parseExact } from "../../../../lib/json/exact-text";
import { toJsonText } from "../../../../lib/json/known-text";
import { getTaskSupport } from "../../../../lib/mcp-tasks";
import { CallerLeft } from "../../../engine/failures";
import { withinMs } from "../../../platform/shared/within-ms";
import { toCallResult } from "../call-message";
import type { CatalogView } from "../catalog/catalog-view";
import { mapCallResult } from "../content/content-scope";
import type { CreateId } from "../create-id";
import type { GatewayLimits, GatewayPorts } from "../gateway-ports";
import type { PendingInput } from "../pending-input";
import { RunningTask, type TaskEnd, type TaskState } from "./running-task";
import type { RecordedCall, StoredTask } from "./task-store";

const ID_BYTES = 24;
const ID = /^(?:[\w-]{8}\.)?[\w-]{32}$/;
const PRUNE_EVERY_MS = 10 * 60_000;
/** The characters of the results that are kept in memory beside the record. */
const MAX_KEPT_CHARS = 32_000_000;
const MAX_KEPT = 1000;
const CANCEL_WAIT_MS = 5000;
const INTERRUPTED = "Toolroom was restarted while this call ran: its result is unknown";

/** The client that makes the request. */
export interface TaskCaller {
  view: CatalogView;
  /** The session of the 2025 revisions; null in the stateless protocol. */
  sessionId: string | null;
}

export interface FoundTask {
  stored: StoredTask;
  /** Null for a task whose call runs or ran in another process. */
  running: RunningTask | null;
  state: TaskState;
}

/** The tasks of the gateway's clients. What a task does is an execution, and its record is what remains of it. */
export class GatewayTasks {
  readonly #running = new Map<string, RunningTask>();
  /** Ended tasks whose result is still here, oldest first, with its size. */
  readonly #kept = new Map<RunningTask, number>();
  #keptChars = 0;
  readonly #listeners = new Set<(id: string) => void>();
  #prunedAt = 0;

  constructor(
    private readonly ports: GatewayPorts & { tasks: NonNullable<GatewayPorts["tasks"]> },
    private readonly limits: GatewayLimits,
    private readonly createId: CreateId,
  ) {}

  /** How a call of a client that knows the extension becomes a task: at once where its server runs it as one, else when it takes long. */
  dueMs(tool: ToolDefinition | undefined): number {
    const support = getTaskSupport(tool?.listed);
    return support === "required" || support === "optional" ? 0 : this.limits.taskAfterMs;
  }

  /** @returns why there is no room for another task; null where there is */
  async findNoRoom(caller: TaskCaller): Promise<string | null> {
    const { maxTasks, maxTasksPerOwner } = this.limits;
    if (this.#running.size - this.#kept.size >= maxTasks)
      return `Toolroom runs ${maxTasks} tasks already: try again later`;
    const count = await this.ports.tasks.store.count(toOwner(caller), Date.now());
    return count < maxTasksPerOwner ? null : `You have ${count} tasks already: wait until the oldest expires`;
  }

  /** Stores the task before its client learns of it. */
  async adopt(
    caller: TaskCaller,
    pending: PendingInput,
    outcome: Promise<Result>,
    options: { ttlMs: number | null; onStatus?: (task: RunningTask) => void },
  ): Promise<RunningTask> {
    const { minTaskTtlMs, taskTtlMs, maxTaskTtlMs } = this.limits;
    const ttlMs = Math.round(Math.min(Math.max(options.ttlMs ?? taskTtlMs, minTaskTtlMs), maxTaskTtlMs));
    const createdAt = Date.now();
    const stored: StoredTask = {
      id: this.createId(ID_BYTES),
      executionId: pending.executionId,
      owner: toOwner(caller),
      calledAs: pending.tool,
      createdAt,
      expiresAt: createdAt + ttlMs,
    };
    await this.ports.tasks.store.create(stored);
    const { onStatus } = options;
    const task: RunningTask = new RunningTask(stored, pending, outcome, {
      onStatus: () => {
        onStatus?.(task);
        for (const listener of this.#listeners) listener(stored.id);
      },
      asks: caller.sessionId !== null,
    });
    this.#running.set(stored.id, task);
    const expiry = setTimeout(() => this.#expire(task), ttlMs).unref();
    void task.done.then(() => {
      clearTimeout(expiry);
      this.#keep(task);
    });
    this.#prune();
    return task;
  }

  /** Calls `listener` with the id of each task that has another status. @returns the function that ends it */
  listen(listener: (id: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @throws ProtocolError for a task that this caller does not have */
  async find(id: unknown, caller: TaskCaller): Promise<FoundTask> {
    const known = typeof id === "string" ? this.#running.get(id) : undefined;
    const stored = known?.stored ?? (await this.#findStored(id));
    if (stored === null || stored.owner !== toOwner(caller) || stored.expiresAt <= Date.now()) {
      const said =
        typeof id === "string" ? "Task not found: it has expired, or is not yours" : "params.taskId must be a string";
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, said);
    }
    return { stored, running: known ?? null, state: known?.state ?? (await this.#recordedState(stored)) };
  }

  async list(caller: TaskCaller): Promise<{ stored: StoredTask; state: TaskState }[]> {
    const listed = await this.ports.tasks.store.list(toOwner(caller), Date.now());
    return await Promise.all(
      listed.map(async (stored) => ({
        stored,
        state: this.#running.get(stored.id)?.state ?? (await this.#recordedState(stored)),
      })),
    );
  }

  /** Resolves when the call has ended, or does not within some seconds. */
  async cancel({ stored, running }: FoundTask, { view }: TaskCaller): Promise<void> {
    if (running === null) return await this.ports.tasks.cancel(view.principal, stored.executionId);
    running.cancel();
    await withinMs(running.done, CANCEL_WAIT_MS);
  }

  /** How an ended task ended, as its call would have been answered. */
  async getEnd({ stored, running }: FoundTask, { view }: TaskCaller): Promise<TaskEnd | null> {
    if (running?.end) return running.end;
    const recorded = await this.ports.tasks.find(stored.executionId);
    if (recorded === null || !hasEnded(toRecordedStatus(recorded.status))) return null;
    const result = toRecordedResult(recorded, stored);
    const mapped = mapCallResult(this.ports, view, recorded.definition ?? undefined, result) as Result;
    return { cancelled: recorded.status === "cancelled", result: mapped };
  }

  /** Called when the session has ended: its tasks can no longer be read. */
  endSession(caller: TaskCaller): void {
    const owner = toOwner(caller);
    for (const task of this.#running.values()) if (task.stored.owner === owner && task.end === null) task.cancel();
  }

  #expire(task: RunningTask): void {
    task.pending.controller.abort(new CallerLeft());
  }

  /** Keeps results for later requests; large and old ones are read from the record instead. */
  #keep(task: RunningTask): void {
    const { end } = task;
    const chars = end !== null && "result" in end ? (toJsonText(end.result)?.length ?? 0) : 0;
    this.#kept.set(task, chars);
    this.#keptChars += chars;
    for (const [oldest, size] of this.#kept) {
      if (this.#keptChars <= MAX_KEPT_CHARS && this.#kept.size <= MAX_KEPT) break;
      this.#drop(oldest, size);
    }
  }

  #drop(task: RunningTask, chars: number): void {
    this.#kept.delete(task);
    this.#keptChars -= chars;
    this.#running.delete(task.stored.id);
  }

  async #findStored(id: unknown): Promise<StoredTask | null> {
    return typeof id === "string" && ID.test(id) ? await this.ports.tasks.store.find(id) : null;
  }

  async #recordedState({ executionId, createdAt }: StoredTask): Promise<TaskState> {
    const recorded: Pick<RecordedCall, "status" | "finishedAt"> | null = await this.ports.tasks.summary(executionId);
    const status = toRecordedStatus(recorded?.status ?? "interrupted");
    const message = recorded === null || recorded.status === "interrupted" ? INTERRUPTED : null;
    return { status, message, updatedAt: recorded?.finishedAt ?? createdAt };
  }

  #prune(): void {
    const now = Date.now();
    if (now - this.#prunedAt < PRUNE_EVERY_MS) return;
    this.#prunedAt = now;
    for (const [task, size] of this.#kept) if (task.stored.expiresAt <= now) this.#drop(task, size);
    this.ports.tasks.store.deleteExpired(now).catch((error: unknown) => {
      this.ports.logger.warn({ error: String(error) }, "Gateway: expired tasks could not be deleted");
    });
  }
}

export function hasEnded(status: TaskState["status"]): boolean {
  return status !== "working" && status !== "input_required";
}

/** Hashes the owner: the id of a session must not be readable in the database. */
function toOwner({ view, sessionId }: TaskCaller): string {
  return createHash("sha256")
    .update(JSON.stringify([view.key, sessionId]))
    .digest("base64url");
}

/** Whether a stateless request declares support for tasks. */
export function knowsTasks(clientCapabilities: unknown, extension: string): boolean {
  const extensions = isPlainObject(clientCapabilities) ? clientCapabilities.extensions : undefined;
  return isPlainObject(extensions) && Object.hasOwn(extensions, extension);
}

export function toRecordedStatus(status: ExecutionStatus): TaskState["status"] {
  switch (status) {
    case "running":
    case "waiting":
      return "working";
    case "succeeded":
      return "completed";
    case "cancelled":
      return "cancelled";
    default:
      return "failed";
  }
}

/** The answer that the call would have received. */
export function toRecordedResult(recorded: RecordedCall, { calledAs, executionId }: StoredTask): ToolCallResult {
  const { toolName: tool_name, status, error, resultText, definition } = recorded;
  const result: unknown = resultText === null ? undefined : parseExact(resultText);
  const common = { tool_name, execution_id: executionId, execution_time_ms: 0 };
  if (error === null && resultText === null) {
    const text = `The result is no longer in memory, and not stored as it was sent: see the execution ${executionId}`;
    return { content: [{ type: "text", text }], isError: true };
  }
  const envelope =
    error === null
      ? { success: true, status: "succeeded", result, ...common }
      : {
          success: false,
          status,
          error_kind: "tool_error",
          error,
          ...(result === undefined ? {} : { result }),
          ...common,
        };
  return toCallResult(envelope as ExecutionEnvelope, definition ?? undefined, calledAs);
}
