import type { JobQueue } from "../../../lib/contract/job";

export interface Job {
  kind: string;
  /** Identifies a job within its kind. */
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
  /** Aborts when the server stops, or another instance may have taken the job over: leave the rest to it, or to the next start. */
  signal: AbortSignal;
}

/** @returns when to run again; nothing when the job is done. Rejecting repeats it later: after 1 s, then ever longer, up to 1 min */
export type JobHandler = (job: RunningJob) => Promise<{ runAt: number } | undefined>;

export interface JobOptions {
  /** Its work is about the memory of this process, such as the callers that wait here: every instance does it for itself. */
  perInstance?: boolean;
  /** It reads and writes the database alone, so it also runs while the server is paused. Absent: it waits until an admin resumes the server. */
  staysInside?: boolean;
  /** The most jobs of the kind that one instance runs at the same time. */
  atOnce?: number;
}

/**
 * Work for later. Each job has one worker at a time over all instances of the server, and any instance may be it, so a job reads what it needs from the database
 * and writes by compare-and-set: when an instance is lost, another one runs its jobs again after 15 s. In memory, as with SQLite, a job ends with the process:
 * a service that needs it after a restart schedules it again at the start, from rows that it has anyway.
 */
export interface Jobs {
  /** Whether jobs outlive the process. */
  readonly isStored: boolean;
  /** Registers a handler. Call it before `start`. */
  handle(kind: string, handler: JobHandler, options?: JobOptions): void;
  /**
   * Runs `work` every `everyMs`, counted over all instances, and within half a minute of the first start: a server may live shorter than that.
   * Call it before `start`.
   */
  repeat(kind: string, everyMs: number, work: (signal: AbortSignal) => Promise<void>, options?: JobOptions): void;
  /** Runs the job at `runAt`, or earlier where it is scheduled earlier already. Scheduled while it runs, it runs again. */
  schedule(job: Job): Promise<void>;
  /** Begins to run due jobs. */
  start(): Promise<void>;
  /** Aborts running jobs and waits for them. Another instance takes over the rest. */
  stop(): Promise<void>;
}

/** The state of the jobs for users. */
export interface JobMonitor {
  /** Lists queues in the order of their kinds' names. */
  queues(): Promise<JobQueue[]>;
  /** Runs the waiting jobs of a kind now: all, or the one with a key. @returns how many it found */
  runNow(kind: string, key?: string): Promise<number>;
}
