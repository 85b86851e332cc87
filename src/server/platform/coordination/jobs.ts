import type { JobQueue } from "../../../lib/contract/job";

export interface Job {
  kind: string;
  /** One job of a kind for each key. */
  key: string;
  /** JSON text for the handler. */
  payload?: string | undefined;
  /** Epoch milliseconds; a time in the past means now. */
  runAt: number;
}

export interface RunningJob {
  key: string;
  payload: string | null;
  /** How often it was started since it last succeeded, this time included. */
  attempts: number;
  /** Aborts when the server stops: leave the rest to the next start. */
  signal: AbortSignal;
}

/** @returns when to run again; nothing when the job is done. Rejecting repeats it later: after 1 s, then ever longer, up to 1 min */
export type JobHandler = (job: RunningJob) => Promise<{ runAt: number } | undefined>;

/**
 * Work for later. A job is not stored: a service that needs it after a restart schedules it again at the start, from rows
 * that it has anyway. Each job has one worker at a time.
 */
export interface Jobs {
  /** Before `start`. */
  handle(kind: string, handler: JobHandler): void;
  /** Runs `work` every `everyMs`, and within half a minute of the start: a server may live shorter than that. Call it before `start`. */
  repeat(kind: string, everyMs: number, work: (signal: AbortSignal) => Promise<void>): void;
  /** Runs the job at `runAt`, or earlier where it is scheduled earlier already. Scheduled while it runs, it runs again. */
  schedule(job: Job): Promise<void>;
  /** Begins to run what is due. */
  start(): Promise<void>;
  /** Aborts what runs and waits for it. */
  stop(): Promise<void>;
}

/** What people see of the jobs. */
export interface JobMonitor {
  /** By kind, in the order of their names. */
  queues(): Promise<JobQueue[]>;
  /** Runs the waiting jobs of a kind now: all, or the one with a key. @returns how many it found */
  runNow(kind: string, key?: string): Promise<number>;
}
