import type { Actor } from "../../../lib/contract/actor";
import type { JobQueue } from "../../../lib/contract/job";
import type { JobMonitor } from "../../platform/coordination/jobs";
import { AppError } from "../../platform/shared/app-error";

/** Background work, for the page Storage. */
export function createJobService({ jobs }: { jobs: JobMonitor }) {
  return {
    list: (_actor: Actor): Promise<JobQueue[]> => jobs.queues(),

    /** Runs the waiting jobs of a kind now: all, or the one with a key. */
    async runNow(
      _actor: Actor,
      { kind, key }: { kind: string; key?: string | undefined },
    ): Promise<{ started: number }> {
      const started = await jobs.runNow(kind, key);
      if (started > 0) return { started };
      const queue = (await jobs.queues()).find((each) => each.kind === kind);
      if (queue === undefined) throw new AppError("NOT_FOUND", `There are no jobs of the kind '${kind}'`);
      const state = queue.running > 0 ? "It is running already" : "None is waiting";
      throw new AppError("CONFLICT", `No job '${kind}' was started. ${state}.`);
    },
  };
}
