import type { RunOutcome } from "../../engine/agent/run-ports";
import { ServerStopping } from "../../engine/failures";
import { AppError } from "../../platform/shared/app-error";
import { type ActiveRun, executeRun, type RunAdmission } from "./execute-run";
import type { LiveRun } from "./live-run";
import type { RunServicePorts } from "./run-ports";

/** Placeholder until the run is executed. */
const NOT_STARTED: Promise<RunOutcome> = new Promise(() => {});

/** The active runs of this process: at most one turn per run, for the lifetime of the turn. */
export function createActiveRuns(ports: RunServicePorts) {
  const active = new Map<string, ActiveRun>();
  const end = new AbortController();
  let stopping = false;

  return {
    /** Resolves when the turn has started; `ended` when it is over. @throws AppError where it cannot start */
    async admit(id: string, admission: RunAdmission): Promise<{ ended: Promise<RunOutcome> }> {
      if (stopping) throw new AppError("UNAVAILABLE", "The server is stopping: no run starts or resumes");
      if (active.has(id)) throw new AppError("CONFLICT", "This run is in progress: wait for it to end, or stop it");
      const entry: ActiveRun = { run: null, stop: null, ended: NOT_STARTED };
      active.set(id, entry);
      await new Promise<void>((resolve, reject) => {
        const context = { ports, stopped: end.signal };
        entry.ended = executeRun(context, id, entry, admission, { resolve, reject }).finally(() => active.delete(id));
      });
      return { ended: entry.ended };
    },

    has: (id: string): boolean => active.has(id),
    /** Null for a run without an active turn. */
    find: (id: string): LiveRun | null => active.get(id)?.run ?? null,
    /** Stops the turn of a run; null where it has none. */
    stop(id: string, reason: unknown): Promise<RunOutcome> | null {
      const entry = active.get(id);
      if (entry === undefined) return null;
      if (entry.run === null) entry.stop = reason;
      else entry.run.abort(reason);
      return entry.ended;
    },
    /** Fires when the server stops and the log can no longer be written. */
    stopped: end.signal,
    get stopping(): boolean {
      return stopping;
    },
    beginStop(): void {
      stopping = true;
      for (const { run } of active.values()) run?.model.abort(new ServerStopping());
      // Retries of a failed write end.
      end.abort();
    },
    async ended(): Promise<void> {
      await Promise.all(Array.from(active.values(), ({ ended }) => ended));
    },
  };
}
