import { AppError } from "../../platform/shared/app-error";
import { type ActiveRuns, reviveRun } from "./active-runs";
import { settleOpenCalls } from "./open-calls";
import type { RunServicePorts } from "./run-ports";
import { findRun, type StoredRun } from "./run-store";

/** Unfinished runs: stops them, resumes those with decided calls, ends those of an earlier process. */
export function createRunRecovery(
  ports: RunServicePorts,
  activeRuns: ActiveRuns,
  resume: (id: string) => Promise<unknown>,
) {
  const { store, logger, calls } = ports;

  /** Ends a run that has no turn. */
  async function endWithoutTurn(id: string, status: "cancelled" | "failed" | "interrupted", error: string | null) {
    const run = reviveRun(ports, await findRun(store, id), await store.events(id));
    if (status !== "interrupted") await settleOpenCalls(run, ports, "give_up");
    await run.end(status, error, activeRuns.stopped);
  }

  /** True if the run ended as cancelled; null for a run without an active turn. */
  async function stopHere(id: string): Promise<boolean | null> {
    const stopped = activeRuns.stop(id, new DOMException("Stopped by a person", "AbortError"));
    return stopped === null ? null : (await stopped).status === "cancelled";
  }

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
      await endWithoutTurn(id, "failed", `The run could not continue after its approval: ${reason}`);
    }
  }

  async function recover({ id, status }: Pick<StoredRun, "id" | "status">): Promise<void> {
    if (activeRuns.has(id)) return;
    const unended = await store.unended(id);
    if (status === "waiting") return unended > 0 ? undefined : await continueWaiting(id);
    // An approval is open, or its call is running: the run continues after that.
    if (unended > 0) return void (await store.take(id, ["running"], "waiting"));
    if (!(await store.take(id, ["running"], "running"))) return;
    await endWithoutTurn(id, "interrupted", "The server stopped during this run");
  }

  return {
    stopHere,

    async stop(id: string): Promise<{ stopped: boolean }> {
      const stopped = await stopHere(id);
      if (stopped !== null) return { stopped };
      const { status } = await findRun(store, id);
      if ((await calls?.cancel("run", id))?.status === "done") return { stopped: true };
      // It waits for approval since before the last restart.
      if (status !== "waiting" || !(await store.take(id, ["waiting"], "running"))) return { stopped: false };
      await endWithoutTurn(id, "cancelled", null);
      return { stopped: true };
    },

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
