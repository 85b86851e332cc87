import { onDemand } from "@/app/_ui/on-demand";
import type { LoadProblems as Problems } from "@/lib/contract/catalog-tool";

// Loaded on demand, since most catalogs load without problems.
const LoadProblemList = onDemand(() => import("./load-problem-list"), "LoadProblemList", {
  onServer: true,
});

/** The parts that were not loaded, and how to fix them; everything else runs. */
export function LoadProblems({ problems }: { problems: Problems | undefined }) {
  return problems === undefined || problems.count === 0 ? null : <LoadProblemList {...problems} />;
}
