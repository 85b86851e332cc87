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
  /** Aborts when this copy stops or lost the job to another one: leave the rest to the next attempt. */
  signal: AbortSignal;
}

/** @returns when to run again; nothing when the job is done. Rejecting repeats it later: after 1 s, then ever longer, up to 1 min */
export type JobHandler = (job: RunningJob) => Promise<{ runAt: number } | undefined>;

/**
 * Work that outlives the process that ordered it. Every job runs at least once, in any copy that handles its kind, and in
 * one copy at a time. A copy that starts takes over at once what copies that ended were running; others do so after 30 s.
 */
export interface Jobs {
  /** Before `start`. */
  handle(kind: string, handler: JobHandler): void;
  /** Runs `work` every `everyMs` in one of the copies. Before `start`. */
  repeat(kind: string, everyMs: number, work: () => Promise<void>): void;
  /**
   * Runs the job at `runAt`, or earlier where it is scheduled earlier already. Durable once it resolves. Scheduled while it
   * runs, it runs again.
   */
  schedule(job: Job): Promise<void>;
  /** Begins to run what is due. */
  start(): Promise<void>;
  /** Aborts what runs here and waits for it; it runs again in another copy or after the next start. */
  stop(): Promise<void>;
}
