import { setTimeout as wait } from "node:timers/promises";
import type { SuiteRun, SuiteRunDetail } from "../../../lib/contract/suite";
import { getMessage } from "../../../lib/get-message";
import type { Logger } from "../../engine/ports";
import { createBackgroundTasks } from "../../platform/coordination/background-tasks";
import type { CallRegistry } from "../../platform/coordination/call-registry";
import { AppError } from "../../platform/shared/app-error";
import { orderAttempts } from "./order-attempts";
import type { RunEnd, SuiteStore } from "./suite-store";

export interface RunTaskPorts {
  store: Pick<SuiteStore, "findRun" | "finishRun" | "running">;
  logger: Logger;
  now: () => number;
  /** Called after a run began or ended. */
  onChange: (run: SuiteRun) => void;
  /** Reaches runs wherever they run. */
  calls?: CallRegistry | undefined;
}

export interface RunOutcome {
  /** The reason why the run did not complete. */
  error: string | null;
  /** Why the run cancelled itself. */
  cancelledBecause?: string | null;
  /** Reads the final status of a run that completed. */
  readStatus: () => Promise<"passed" | "failed" | "finished">;
}

interface NewTask<Run extends SuiteRun> {
  id: string;
  /** Stores the run as running. Null where it is refused. */
  save: () => Promise<Run | null>;
  /** Performs the cases of the run. @param stop cancels it when it aborts, and may be aborted by it */
  perform: (stop: AbortController) => Promise<RunOutcome>;
}

const LOOK_AGAIN_MS = 150;
const INTERRUPTED = "Interrupted: the server ended while it was running";

export type RunTasks = ReturnType<typeof createRunTasks>;

/** Runs of suites in the background, of both kinds: from their start to their stored end. */
export function createRunTasks({ store, logger, now, onChange, calls }: RunTaskPorts) {
  const tasks = createBackgroundTasks({ kind: "suite_run", what: "the run", calls });

  async function find(id: string): Promise<SuiteRunDetail> {
    const found = await store.findRun(id);
    if (found === null) throw new AppError("NOT_FOUND", `Run '${id}' not found`);
    return found.kind === "evals" ? orderAttempts(found) : found;
  }

  async function announce(id: string): Promise<void> {
    onChange(await find(id));
  }

  async function toEnd(
    stop: AbortController,
    { error, cancelledBecause = null, readStatus }: RunOutcome,
  ): Promise<RunEnd> {
    const finishedAt = now();
    if (tasks.isClosing()) return { status: "interrupted", finishedAt, error: INTERRUPTED };
    if (error !== null) return { status: "failed", finishedAt, error };
    if (stop.signal.aborted) return { status: "cancelled", finishedAt, error: cancelledBecause };
    return { status: await readStatus(), finishedAt, error: null };
  }

  return {
    assertOpen: tasks.assertOpen,
    find,

    /** Resolves once the run is stored; it is performed in the background. Null where `save` refuses it. */
    async start<Run extends SuiteRun>({ id, save, perform }: NewTask<Run>): Promise<Run | null> {
      const stored = await tasks.start({
        id,
        save,
        async perform(stop) {
          try {
            const outcome = await perform(stop);
            await store.finishRun(id, await toEnd(stop, outcome));
          } catch (fault) {
            logger.error({ run: id, error: getMessage(fault) }, "The end of a run of a suite could not be stored");
          }
          await announce(id).catch((fault: unknown) =>
            logger.warn({ run: id, err: fault }, "A run of a suite could not be read"),
          );
        },
      });
      if (stored !== null) onChange(stored);
      return stored;
    },

    /** The run when it has ended, or after a number of milliseconds. */
    async awaitEnd(id: string, waitMs: number): Promise<SuiteRunDetail> {
      const until = performance.now() + waitMs;
      for (;;) {
        const run = await find(id);
        if (run.status !== "running" || performance.now() >= until) return run;
        await wait(LOOK_AGAIN_MS);
      }
    },

    /** False when it was over already. */
    async cancel(id: string): Promise<{ cancelled: boolean }> {
      const { status } = await find(id);
      return { cancelled: status === "running" && (await tasks.cancel(id)) };
    },

    /** Ends the runs that processes left running which ended: their cases were in the memory of these. */
    async endAbandoned(): Promise<void> {
      await tasks.settleLost(await store.running(), async ({ id, owner }) => {
        const end = { status: "interrupted", finishedAt: now(), error: INTERRUPTED } as const;
        if (await store.finishRun(id, end, owner)) await announce(id);
      });
    },

    /** Stops what runs here, as interrupted. */
    close: tasks.close,
  };
}
