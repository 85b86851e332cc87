import type { ActiveRuns } from "./active-runs";
import { type Continuing, createOrphanedRuns } from "./orphaned-runs";
import type { RunServicePorts } from "./run-ports";
import { findRun } from "./run-store";

/** Unfinished runs: stops them, resumes those with decided calls, continues or ends those of processes that ended. */
export function createRunRecovery(ports: RunServicePorts, activeRuns: ActiveRuns, continuing: Continuing) {
  const { store, logger, calls, copies } = ports;
  const { endWithoutTurn, continueWaiting, isElsewhere, ...left } = createOrphanedRuns(ports, activeRuns, continuing);

  /** True if the run ended as cancelled; null for a run without an active turn. */
  async function stopHere(id: string): Promise<boolean | null> {
    const stopped = activeRuns.stop(id, new DOMException("Stopped by a person", "AbortError"));
    return stopped === null ? null : (await stopped).status === "cancelled";
  }

  return {
    ...left,
    stopHere,

    async stop(id: string): Promise<{ stopped: boolean }> {
      const stopped = await stopHere(id);
      if (stopped !== null) return { stopped };
      const stored = await findRun(store, id);
      if ((await calls?.cancel("run", id))?.status === "done") return { stopped: true };
      const { status, owner } = stored;
      // It waits for approval since before the last restart, or its instance of the server is lost.
      const isLeft = status === "waiting" || (status === "running" && !(owner !== null && copies.isLiving(owner)));
      if (!isLeft || isElsewhere(stored) || !(await store.take(id, [status], "running", owner)))
        return { stopped: false };
      await endWithoutTurn(id, "cancelled", null);
      return { stopped: true };
    },

    /** Called when a call has ended whose run has no active turn. Never rejects. */
    async decided(runId: string): Promise<void> {
      try {
        const stored = await store.find(runId);
        if (stored?.status !== "waiting" || activeRuns.stopping || isElsewhere(stored)) return;
        await continueWaiting(runId);
      } catch (error) {
        logger.error({ runId, err: error }, "A run could not be resumed");
      }
    },
  };
}
