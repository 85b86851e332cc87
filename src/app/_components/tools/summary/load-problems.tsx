import { onDemand } from "@/app/_ui/on-demand";
import type { LoadProblem } from "@/lib/contract/catalog-tool";

// Most catalogs load whole.
const LoadProblemList = onDemand(() => import("./load-problem-list"), "LoadProblemList", {
  onServer: true,
});

/** What was not loaded, and how to fix it; everything else runs. */
export function LoadProblems({ problems }: { problems: readonly LoadProblem[] }) {
  return problems.length === 0 ? null : <LoadProblemList problems={problems} />;
}
