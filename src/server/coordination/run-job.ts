import type { Clock, Logger } from "../engine/ports";
import type { JobHandler } from "./jobs";
import type { ClaimedJob, JobStorage } from "./storage";

export const LEASE_MS = 30_000;
export const FIRST_RETRY_MS = 1000;
const RENEW_EVERY_MS = LEASE_MS / 3;
const LONGEST_RETRY_MS = 60_000;

export interface JobContext {
  storage: JobStorage;
  /** The process that holds the job's lease. */
  ownerId: string;
  clock: Clock;
  logger: Logger;
  /** Aborts when the server stops. */
  stopping: AbortSignal;
}

/**
 * Runs one claimed job, renews its lease until the handler returns, and stores whether it is complete or runs again.
 * @throws when the outcome cannot be stored: the lease then expires, and a process claims the job again
 */
export async function runJob(job: ClaimedJob, handler: JobHandler, context: JobContext): Promise<void> {
  const { storage, ownerId, logger, stopping } = context;
  const lost = new AbortController();
  const signal = AbortSignal.any([stopping, lost.signal]);
  const renewal = setInterval(() => {
    storage.renew(job, ownerId, LEASE_MS).then(
      (isHeld) => {
        if (!isHeld) lost.abort(new Error("Another process took over this job"));
      },
      (error: unknown) => logger.warn({ err: error, kind: job.kind }, "A job's lease could not be renewed"),
    );
  }, RENEW_EVERY_MS).unref();
  try {
    const { key, payload, attempts } = job;
    const repetition = await handler({ key, payload, attempts, signal });
    if (repetition === undefined) await storage.complete(job, ownerId);
    else await storage.repeat(job, ownerId, { runAt: repetition.runAt, attempts: 0 });
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error, kind: job.kind, key: job.key }, "A job failed; retrying");
    await storage.repeat(job, ownerId, scheduleRetry(job, context));
  } finally {
    clearInterval(renewal);
  }
}

/** An attempt that the stopping server interrupted does not count. */
function scheduleRetry({ attempts }: ClaimedJob, { clock, stopping }: JobContext): { runAt: number; attempts: number } {
  if (stopping.aborted) return { runAt: clock.now(), attempts: attempts - 1 };
  const pauseMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS);
  return { runAt: clock.now() + pauseMs, attempts };
}
