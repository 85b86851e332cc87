import { useNow } from "@/app/_kit/use-now";
import type { RunSummary } from "@/lib/contract/run";
import { formatDuration } from "@/lib/format";
import { activeTimeAt } from "@/lib/run/run-figures";

export const ACTIVE_TIME_HINT = "Active time: the time of the turns, without waiting for approval";

const STEP_MS = 500;

type Figures = Pick<RunSummary, "activeMs" | "activeSince">;

/** Active time of a run; it runs on while the run is running. */
export function ActiveTime({ figures }: { figures: Figures }) {
  return figures.activeSince === null ? formatDuration(figures.activeMs) : <RunningTime figures={figures} />;
}

function RunningTime({ figures }: { figures: Figures }) {
  return formatDuration(activeTimeAt(figures, useNow(STEP_MS)));
}
