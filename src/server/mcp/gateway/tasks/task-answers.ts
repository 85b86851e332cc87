import type { TaskState } from "./running-task";
import type { StoredTask } from "./task-store";

/** A task as revision 2025-11-25 shows it. */
export function toSessionTask(stored: StoredTask, state: TaskState, pollMs: number) {
  return { ...shared(stored, state), ttl: stored.expiresAt - stored.createdAt, pollInterval: pollMs };
}

/** A task as the extension of 2026-07-28 shows it. */
export function toStatelessTask(stored: StoredTask, state: TaskState, pollMs: number) {
  return { ...shared(stored, state), ttlMs: stored.expiresAt - stored.createdAt, pollIntervalMs: pollMs };
}

function shared({ id, createdAt }: StoredTask, { status, message, updatedAt }: TaskState) {
  return {
    taskId: id,
    status,
    ...(message === null ? {} : { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  };
}
