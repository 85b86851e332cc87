import { isPlainObject } from "./contract/json";

/** The extension of the 2026-07-28 revision; in 2025-11-25 tasks are part of the protocol. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";
/** Used in 2025-11-25: the task that a message belongs to. */
export const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** Reads how an entry of a tool list supports tasks; null where it says nothing that the protocol knows. */
export function getTaskSupport(entry: unknown): "forbidden" | "optional" | "required" | null {
  const execution = isPlainObject(entry) ? entry.execution : undefined;
  const support = isPlainObject(execution) ? execution.taskSupport : undefined;
  return support === "forbidden" || support === "optional" || support === "required" ? support : null;
}

/** The task that the params or the result of a message name in `_meta`. */
export function relatedTask(carrier: unknown): string | null {
  const meta = isPlainObject(carrier) ? carrier._meta : undefined;
  const related = isPlainObject(meta) ? meta[RELATED_TASK] : undefined;
  return isPlainObject(related) && typeof related.taskId === "string" ? related.taskId : null;
}
