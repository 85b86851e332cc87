import { onDemand } from "@/app/_ui/on-demand";
import type { ExecutionSummary } from "@/lib/contract/execution";
import { getKind } from "@/lib/contract/execution-kind";

// Most executions are of tools.
const ReadIcon = onDemand(() => import("./read-icon").then((module) => module.ReadIcon), { onServer: true });

/** Marks reads of resources and prompts; tools have no icon. */
export function KindIcon({ execution }: { execution: Pick<ExecutionSummary, "implementationType"> }) {
  const kind = getKind(execution);
  return kind === "tool" ? null : <ReadIcon kind={kind} />;
}
