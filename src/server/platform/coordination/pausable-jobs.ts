import type { Clock } from "../../engine/ports";
import { AppError } from "../shared/app-error";
import type { JobHandler, JobMonitor, JobOptions, Jobs } from "./jobs";

/** Asked by everything that acts without a request of a user or a client. */
export interface PausePort {
  isPaused(): boolean;
  /** Called once the server is no longer paused; not called where it never was. */
  onResume(listener: () => void | Promise<void>): void;
}

/** For programs in which nothing is ever paused. */
export const NEVER_PAUSED: PausePort = { isPaused: () => false, onResume: () => undefined };

/** How soon a job that waits asks again; a resume starts it at once. */
const WAIT_MS = 60_000;

/** Jobs that wait while the server is paused, except those that say they stay inside the database. */
export function createPausableJobs(jobs: Jobs & JobMonitor, pause: PausePort, clock: Clock): Jobs & JobMonitor {
  const waiting = new Set<string>();
  const noteKind = (kind: string, options: JobOptions | undefined): boolean => {
    if (options?.staysInside === true) return false;
    waiting.add(kind);
    return true;
  };
  pause.onResume(async () => {
    for (const kind of waiting) await jobs.runNow(kind);
  });
  return {
    isStored: jobs.isStored,
    handle(kind, handler, options) {
      const unlessPaused: JobHandler = async (job) =>
        pause.isPaused() ? { runAt: clock.now() + WAIT_MS } : await handler(job);
      jobs.handle(kind, noteKind(kind, options) ? unlessPaused : handler, options);
    },
    repeat(kind, everyMs, work, options) {
      const unlessPaused = async (signal: AbortSignal): Promise<void> => {
        if (!pause.isPaused()) await work(signal);
      };
      jobs.repeat(kind, everyMs, noteKind(kind, options) ? unlessPaused : work, options);
    },
    schedule: jobs.schedule,
    start: jobs.start,
    stop: jobs.stop,
    queues: jobs.queues,
    async runNow(kind, key) {
      if (pause.isPaused() && waiting.has(kind)) {
        throw new AppError("CONFLICT", `Jobs '${kind}' wait: this server is paused since its database is a copy`);
      }
      return await jobs.runNow(kind, key);
    },
  };
}
