import { AppError } from "../../platform/shared/app-error";
import { type ActiveRuns, RUN_RELEASED, reviveRun } from "./active-runs";
import { settleOpenCalls } from "./open-calls";
import type { RunServicePorts } from "./run-ports";
import { findRun, type UnfinishedRun } from "./run-store";

export interface Continuing {
  resume(id: string, by: null): Promise<unknown>;
  /** @throws AppError INVALID for a run that should rather be interrupted */
  takeOver(id: string): Promise<unknown>;
}

const STOPPED = "The server stopped during this run";

/** Runs that no process executes: continues or ends them. */
export function createOrphanedRuns(ports: RunServicePorts, activeRuns: ActiveRuns, { resume, takeOver }: Continuing) {
  const { store, logger, copies, bulletin } = ports;
  let isLoaded = false;

  /** Ends a run that has no turn. */
  async function endWithoutTurn(id: string, status: "cancelled" | "failed" | "interrupted", error: string | null) {
    const run = reviveRun(ports, await findRun(store, id), await store.events(id));
    if (status !== "interrupted") await settleOpenCalls(run, ports, "give_up");
    await run.end(status, error, activeRuns.stopped);
  }

  /** Continues a waiting run once none of its calls waits or runs. */
  async function continueWaiting(id: string): Promise<void> {
    if (activeRuns.has(id) || (await store.unended(id)) > 0) return;
    try {
      await resume(id, null);
    } catch (error) {
      await endUnlessContinued({ id, status: "waiting" }, error, (reason) => [
        "failed",
        `The run could not continue after its approval: ${reason}`,
      ]);
    }
  }

  /** Called after a failure to continue a run: ends it, unless another instance of the server continues it. */
  async function endUnlessContinued(
    { id, status }: Pick<UnfinishedRun, "id" | "status">,
    error: unknown,
    toEnd: (reason: string) => ["failed" | "interrupted", string],
  ): Promise<void> {
    const known = error instanceof AppError ? error : null;
    if (activeRuns.stopping || activeRuns.has(id)) return;
    const stored = await store.find(id);
    if (stored === null || stored.status !== status || isElsewhere(stored)) return;
    logger.warn({ runId: id, err: error }, "A run could not be continued");
    if (!(await store.take(id, [status], "running", stored.owner))) return;
    await endWithoutTurn(id, ...toEnd(known?.message ?? "see the server's log"));
  }

  async function continueLost(id: string): Promise<void> {
    try {
      await takeOver(id);
    } catch (error) {
      const isHopeless = error instanceof AppError && error.code === "INVALID";
      await endUnlessContinued({ id, status: "running" }, error, (reason) =>
        isHopeless ? ["interrupted", STOPPED] : ["failed", `${STOPPED}, and it could not be continued: ${reason}`],
      );
    }
  }

  const isElsewhere = ({ owner }: Pick<UnfinishedRun, "owner">): boolean =>
    owner !== null && owner !== copies.self.id && copies.isLiving(owner);

  /** Continues or ends a run that no process executes. */
  async function recover({ id, status, owner }: UnfinishedRun): Promise<void> {
    if (activeRuns.has(id)) return;
    const unended = await store.unended(id);
    if (status === "waiting") {
      if (unended === 0) return await continueWaiting(id);
      // The calls continue without this instance.
      return void (owner !== null && (await store.take(id, ["waiting"], "waiting", owner)));
    }
    // An approval is open, or its call is running: the run continues after that.
    if (unended > 0) return void (await store.take(id, ["running"], "waiting", owner));
    if (ports.takesOver) return await continueLost(id);
    if (!(await store.take(id, ["running"], "running", owner))) return;
    await endWithoutTurn(id, "interrupted", STOPPED);
  }

  async function recoverAll(): Promise<void> {
    for (const run of await store.unfinished()) {
      if (activeRuns.stopping) return;
      // Null for a row that cannot be read, which the store has reported.
      if ((await store.find(run.id)) !== null) await recover(run);
    }
  }

  bulletin.on(RUN_RELEASED, async (id) => {
    const stored = isLoaded && !activeRuns.stopping ? await store.find(id) : null;
    if (stored?.owner === null && (stored.status === "running" || stored.status === "waiting")) await recover(stored);
  });

  return {
    endWithoutTurn,
    continueWaiting,
    isElsewhere,

    /**
     * Called at the start and at intervals: continues or ends the runs that no process executes; runs that wait for
     * approval keep waiting.
     */
    async load(): Promise<void> {
      isLoaded = true;
      await recoverAll();
    },

    /** Called after instances of the server ended. */
    async settleLost(): Promise<void> {
      if (isLoaded) await recoverAll();
    },
  };
}
