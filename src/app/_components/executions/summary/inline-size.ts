import type { ExecutionDetail } from "@/lib/contract/execution";

/** A page holds a call three times: as HTML and twice as data, whose escapes grow with each of them. */
const MAX_INLINE_BYTES = 256 * 1024;

/** Whether the server renders these calls into the page. The browser requests larger ones. */
export function fitsInline(executions: readonly Pick<ExecutionDetail, "storedBytes" | "argumentsText">[]): boolean {
  const bytes = executions.reduce((sum, call) => sum + (call.storedBytes ?? 0) + call.argumentsText.length, 0);
  return bytes <= MAX_INLINE_BYTES;
}
