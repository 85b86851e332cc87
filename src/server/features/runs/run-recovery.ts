import { AppError } from "../../platform/shared/app-error";
import type { RunContext } from "./run-context";
import type { StoredRun } from "./run-store";

/** Unfinished runs without an active turn: resumes those with decided calls, ends those of an earlier process. */
export function createRunRecovery(context: RunContext, resume: (id: string) => Promise<unknown>) {
  const { store, logger, activeRuns } = context;

  /** Continues a waiting run once none of its calls waits or runs. */
  async function continueWaiting(id: string): Promise<void> {
    if (activeRuns.has(id) || (await store.unended(id)) > 0) return;
    try {
      await resume(id);
    } catch (error) {
      const reason = error instanceof AppError ? error.message : "see the server's log";
      logger.warn({ runId: id, err: error }, "A run could not continue after its approval");
      if (activeRuns.stopping || activeRuns.has(id)) return;
      if (!(await store.take(id, ["waiting"], "running"))) return;
      await context.endWithoutTurn(id, "failed", `The run could not continue after its approval: ${reason}`);
    }
  }

  async function recover({ id, status }: Pick<StoredRun, "id" | "status">): Promise<void> {
    if (activeRuns.has(id)) return;
    const unended = await store.unended(id);
    if (status === "waiting") return unended > 0 ? undefined : await continueWaiting(id);
    // An approval is open, or its call is running: the run continues after that.
    if (unended > 0) return void (await store.take(id, ["running"], "waiting"));
    if (!(await store.take(id, ["running"], "running"))) return;
    await context.endWithoutTurn(id, "interrupted", "The server stopped during this run");
  }

  return {
    /** Called when a call has ended whose run has no active turn. Never rejects. */
    async decided(runId: string): Promise<void> {
      try {
        const stored = await store.find(runId);
        if (stored?.status === "waiting" && !activeRuns.stopping) await continueWaiting(runId);
      } catch (error) {
        logger.error({ runId, err: error }, "A run could not be resumed");
      }
    },

    /** Ends the runs that an earlier process left running; those that wait for approval stay so. */
    async load(): Promise<void> {
      for (const run of await store.unfinished()) {
        // Null for a row that cannot be read, which the store has reported.
        if ((await store.find(run.id)) !== null) await recover(run);
      }
    },
  };
}
