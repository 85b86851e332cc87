import { ProtocolError } from "@modelcontextprotocol/client";
import { isPlainObject } from "../../../../lib/contract/json";
import { findMember } from "../../../../lib/json/json-text";
import { getKeptText, keepText, withMembers } from "../../../../lib/json/known-text";
import { RELATED_TASK } from "../../../../lib/mcp-tasks";
import { normalizeError } from "../transport/sent-request";

/** A server's report of a task. */
export interface TaskState {
  id: string;
  /** The status as sent: one that the protocol does not define counts as working. */
  status: string;
  message: string | null;
  /** The server's wish for the time between two polls; null without one. */
  pollMs: number | null;
  /** How long it keeps the task from its creation; null: without limit, or unknown. */
  ttlMs: number | null;
  /** 2026-07-28: the requests for input, the result or the error. */
  inputRequests: unknown;
  result: unknown;
  error: unknown;
}

/** An id is sent back with each request. */
const MAX_ID_CHARS = 1024;

/** The task in the answer to `tools/call`; null for one that is a result. */
export function readCreatedTask(result: unknown, modern: boolean): TaskState | null {
  if (!isPlainObject(result)) return null;
  if (modern) return result.resultType === "task" ? readTask(result) : null;
  // A result that happens to have a member `task` has content too.
  return isPlainObject(result.task) && result.content === undefined ? readTask(result.task) : null;
}

/** @throws Error for a value that is not a task */
export function readTask(sent: unknown): TaskState {
  const task = isPlainObject(sent) ? sent : {};
  const { taskId: id, status, statusMessage: message, inputRequests, result, error } = task;
  if (typeof id !== "string" || id === "" || id.length > MAX_ID_CHARS || typeof status !== "string") {
    throw new Error("it sent a task without a usable taskId or status");
  }
  keepResultText(task, result);
  return {
    id,
    status: status.slice(0, 64),
    message: typeof message === "string" && message !== "" ? message : null,
    pollMs: toMs(task.pollInterval ?? task.pollIntervalMs),
    ttlMs: toMs(task.ttl ?? task.ttlMs),
    inputRequests,
    result,
    error,
  };
}

/** Numbers of the result keep their digits, like those of an immediate result. */
function keepResultText(task: Record<string, unknown>, result: unknown): void {
  const text = getKeptText(task);
  const span = text === undefined ? null : findMember(text, 0, "result");
  if (span !== null && isPlainObject(result)) keepText(result, text?.slice(span.start, span.end) ?? "");
}

export function hasEnded({ status }: TaskState): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Removes the id of the server's task, which is valid on this connection only. */
export function withoutRelatedTask(result: unknown): unknown {
  if (!isPlainObject(result) || !isPlainObject(result._meta) || !(RELATED_TASK in result._meta)) return result;
  const { [RELATED_TASK]: _, ...meta } = result._meta;
  return withMembers(result, { _meta: Object.keys(meta).length === 0 ? undefined : meta });
}

function toMs(value: unknown): number | null {
  return typeof value === "number" && value > 0 ? value : null;
}

/** The JSON-RPC error that a failed task of 2026-07-28 carries; null for none. */
export function readTaskError(error: unknown): Error | null {
  if (!isPlainObject(error)) return null;
  const { code, message, data } = normalizeError(error);
  return ProtocolError.fromError(code, message, data);
}
