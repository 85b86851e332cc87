import type { ExecutionSummary } from "@/lib/contract/execution";
import { formatBytes } from "@/lib/format";

/** Size of a result as it is stored: `1 MiB`, or `1 MiB stored of 5 MiB` where the rest was left out. */
export function formatStoredSize({
  storedBytes,
  resultBytes,
}: Pick<ExecutionSummary, "storedBytes" | "resultBytes">): string {
  const stored = formatBytes(storedBytes);
  return storedBytes === resultBytes ? stored : `${stored} stored of ${formatBytes(resultBytes)}`;
}
