import { type RunDifferences, runSummarySchema } from "../../../lib/contract/run";
import { buildTurns } from "../../../lib/run/build-turns";
import { compareRuns, listDifferences } from "../../../lib/run/compare-runs";
import type { ApiContext } from "../../platform/api/route";
import { AppError } from "../../platform/shared/app-error";

/** Longer runs would hold up other requests while they are aligned. */
const MAX_COMPARED_EVENTS = 5_000;

type Runs = Pick<ApiContext["services"]["runs"], "get" | "readLog">;

/** What differs in a run and an earlier one, by aligned steps. @throws AppError INVALID for a run that is too long */
export async function compareStoredRuns(runs: Runs, before: string, id: string): Promise<RunDifferences> {
  const one = await readRun(before);
  const other = await readRun(id);
  return { before: one.summary, after: other.summary, ...listDifferences(compareRuns(one.turns, other.turns)) };

  async function readRun(each: string) {
    const run = await runs.get(each);
    if (run.eventCount <= MAX_COMPARED_EVENTS) {
      return { summary: runSummarySchema.parse(run), turns: buildTurns((await runs.readLog(each)).events) };
    }
    throw new AppError(
      "INVALID",
      `Run '${each}' has more than ${MAX_COMPARED_EVENTS} events: compare it on the page /runs/compare?left=${before}&right=${id}`,
    );
  }
}
