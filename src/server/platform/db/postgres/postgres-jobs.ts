import { getMessage } from "../../../../lib/get-message";
import type { Clock, Logger } from "../../../engine/ports";
import type { Bulletin, Topic } from "../../coordination/bulletin";
import type { JobHandler, JobMonitor, JobOptions, Jobs } from "../../coordination/jobs";
import type { PostgresDatabase } from "../database";
import { readJobFigures } from "./job-figures";
import { type FetchedJob, type JobTable, openJobTable } from "./job-table";

const MAX_RUNNING = 16;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
const FIRST_REPETITION_MS = 30_000;
const MAX_ERROR_CHARS = 500;
/** A job that another instance ordered and cannot run itself is heard of at once; this is the net. */
const POLL_MS = 2_000;
/** Longer than an instance may be silent before it counts as lost: then a job changes its worker because its instance is gone, not because it was slow. */
const HOLD_MS = 15_000;
const PRUNE_MS = 3_600_000;
/** How often waits are compared with their rules. */
const CHECK_MS = 60_000;
/** Another instance may run what waits of a kind. */
const DUE: Topic<null> = { name: "jobs.due" };

export interface PostgresJobsPorts {
  db: Pick<PostgresDatabase, "pool" | "connect">;
  bulletin: Bulletin;
  clock: Clock;
  logger: Logger;
  /** In memory, for what each instance does for itself. */
  local: Jobs & JobMonitor;
  /** For how long an instance that gives no sign of life keeps its jobs; 15 s when absent. */
  holdMs?: number;
}

/** Jobs over all instances of the server, by pg-boss. Times are measured by the database's clock. */
export function createPostgresJobs({ local, ...ports }: PostgresJobsPorts): Jobs & JobMonitor {
  const here = new Set<string>();
  const shared = new SharedJobs(ports);
  const choose = (kind: string, { perInstance = false }: JobOptions = {}): Jobs => {
    if (perInstance) here.add(kind);
    return here.has(kind) ? local : shared;
  };
  return {
    isStored: true,
    handle: (kind, handler, options) => choose(kind, options).handle(kind, handler, options),
    repeat: (kind, everyMs, work, options) => choose(kind, options).repeat(kind, everyMs, work, options),
    schedule: (job) => choose(job.kind).schedule(job),
    async start() {
      await local.start();
      await shared.start();
    },
    async stop() {
      await Promise.all([local.stop(), shared.stop()]);
    },
    async queues() {
      const found = [...(await local.queues()), ...(await shared.queues())];
      return found.sort((one, other) => (one.kind < other.kind ? -1 : 1));
    },
    runNow: (kind, key) => (here.has(kind) ? local : shared).runNow(kind, key),
  };
}

interface Running {
  job: FetchedJob;
  aborting: AbortController;
  ended: Promise<void>;
}

class SharedJobs implements Jobs, JobMonitor {
  readonly isStored = true;
  readonly #ports: Omit<PostgresJobsPorts, "local">;
  readonly #holdMs: number;
  readonly #handlers = new Map<string, JobHandler>();
  readonly #limits = new Map<string, number>();
  readonly #repeated = new Map<string, number>();
  readonly #running = new Set<Running>();
  readonly #stopping = new AbortController();
  #table: Promise<JobTable> | null = null;
  #isStarted = false;
  #looking: Promise<void> | null = null;
  #looksAgain = false;
  #isReachable = true;
  #timer: NodeJS.Timeout | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #renewedAt = 0;
  #prunedAt = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(ports: Omit<PostgresJobsPorts, "local">) {
    this.#ports = ports;
    this.#holdMs = ports.holdMs ?? HOLD_MS;
  }

  handle(kind: string, handler: JobHandler, { atOnce }: JobOptions = {}): void {
    this.#handlers.set(kind, handler);
    if (atOnce !== undefined) this.#limits.set(kind, atOnce);
  }

  repeat(kind: string, everyMs: number, work: (signal: AbortSignal) => Promise<void>, options?: JobOptions): void {
    this.#repeated.set(kind, everyMs);
    const handler: JobHandler = async ({ signal }) => {
      await work(signal);
      return { runAt: this.#ports.clock.now() + everyMs };
    };
    this.handle(kind, handler, options);
  }

  async schedule(job: Parameters<Jobs["schedule"]>[0]): Promise<void> {
    const inMs = job.runAt - this.#ports.clock.now();
    await (await this.#open()).order(job, inMs);
    // A poll is soon enough for jobs that are due later.
    if (inMs < POLL_MS) this.#tell(job.kind);
  }

  async start(): Promise<void> {
    const table = await this.#open();
    await table.prepare([...this.#handlers.keys()]);
    for (const [kind, everyMs] of this.#repeated) {
      const isFirst = await table.put({ kind, key: "all" }, Math.min(everyMs, FIRST_REPETITION_MS));
      // The job ran less often in the previous version.
      if (!isFirst) await table.advance(kind, "all", everyMs);
    }
    this.#isStarted = true;
    this.#ports.bulletin.on(DUE, () => this.#wake());
    this.#renewal = setInterval(() => void this.#renew(), this.#holdMs / 4).unref();
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The server is stopping"));
    clearTimeout(this.#timer);
    await this.#looking;
    for (const { aborting } of this.#running) aborting.abort(this.#stopping.signal.reason);
    await Promise.all([...this.#running].map(({ ended }) => ended));
    clearInterval(this.#renewal);
    if (this.#table !== null) await (await this.#table).close();
  }

  async queues() {
    const kinds = [...this.#handlers.keys()].sort();
    await this.#open();
    const toFigures = await readJobFigures(this.#ports.db.pool, kinds);
    return kinds.map((kind) => ({ kind, everyMs: this.#repeated.get(kind) ?? null, ...toFigures(kind) }));
  }

  async runNow(kind: string, key?: string): Promise<number> {
    const found = await (await this.#open()).advance(kind, key ?? null, 0);
    if (found > 0) this.#tell(kind);
    return found;
  }

  #open(): Promise<JobTable> {
    const { db, logger } = this.#ports;
    if (this.#table !== null) return this.#table;
    const opening = openJobTable(db, logger, this.#holdMs);
    this.#table = opening;
    // The next one tries again.
    opening.catch(() => {
      this.#table = null;
    });
    return opening;
  }

  /** Announces that a job of the kind is due now or soon. */
  #tell(kind: string): void {
    this.#wake();
    const isBusy = this.#running.size >= MAX_RUNNING || this.#countRoom(kind) <= 0;
    if (!this.#isStarted || this.#stopping.signal.aborted || isBusy) this.#ports.bulletin.post(DUE, null);
  }

  #countRoom(kind: string): number {
    if (!this.#handlers.has(kind)) return 0;
    const ofKind = [...this.#running].filter(({ job }) => job.kind === kind).length;
    return Math.min(MAX_RUNNING - this.#running.size, (this.#limits.get(kind) ?? MAX_RUNNING) - ofKind);
  }

  #wake(): void {
    if (!this.#isStarted || this.#stopping.signal.aborted) return;
    this.#looksAgain = true;
    this.#looking ??= this.#lookUntilDone().finally(() => {
      this.#looking = null;
    });
  }

  async #lookUntilDone(): Promise<void> {
    clearTimeout(this.#timer);
    let nextMs = POLL_MS;
    while (this.#looksAgain && !this.#stopping.signal.aborted) {
      this.#looksAgain = false;
      try {
        nextMs = await this.#look();
        this.#isReachable = true;
      } catch (error) {
        if (this.#isReachable) this.#ports.logger.warn({ err: error }, "The jobs cannot be read; trying again");
        this.#isReachable = false;
        nextMs = POLL_MS;
      }
    }
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => this.#wake(), nextMs).unref();
  }

  /** Begins due jobs. @returns when to check again */
  async #look(): Promise<number> {
    const table = await this.#open();
    let nextMs = POLL_MS;
    const due = await table.findDue([...this.#handlers.keys()]);
    for (const { kind, inMs } of due) {
      if (inMs === null) continue;
      if (inMs > 0) nextMs = Math.min(nextMs, Math.ceil(inMs));
      // Searched again when a running job ends.
      const room = this.#countRoom(kind);
      if (inMs > 0 || room <= 0) continue;
      for (const job of await table.fetch(kind, room)) this.#begin(table, job);
    }
    if (due.some(({ isLeft }) => isLeft)) {
      await table.takeBack();
      this.#looksAgain = true;
    }
    await this.#prune(table);
    await this.#keepWithinRules(table);
    return Math.max(1, nextMs);
  }

  async #keepWithinRules(table: JobTable): Promise<void> {
    const now = this.#ports.clock.elapsed();
    if (now - this.#checkedAt < CHECK_MS) return;
    this.#checkedAt = now;
    await table.keepWithinRules(this.#repeated);
  }

  async #prune(table: JobTable): Promise<void> {
    const now = this.#ports.clock.elapsed();
    if (this.#prunedAt !== 0 && now - this.#prunedAt < PRUNE_MS) return;
    this.#prunedAt = now;
    await table.prune();
  }

  #begin(table: JobTable, job: FetchedJob): void {
    const aborting = new AbortController();
    if (this.#running.size === 0) this.#renewedAt = performance.now();
    const running: Running = { job, aborting, ended: Promise.resolve() };
    this.#running.add(running);
    running.ended = this.#run(table, job, aborting.signal)
      // A job whose end was not written is no longer renewed: after a while another worker takes it over.
      .catch((err: unknown) =>
        this.#ports.logger.warn({ err, kind: job.kind }, "The end of a job could not be written"),
      )
      .finally(() => {
        this.#running.delete(running);
        this.#wake();
      });
  }

  async #run(table: JobTable, job: FetchedJob, signal: AbortSignal): Promise<void> {
    const { clock, logger, bulletin } = this.#ports;
    const { kind, key, payload, attempts } = job;
    const handler = this.#handlers.get(kind);
    const begun = performance.now();
    try {
      // The job arrived while the server began to stop.
      this.#stopping.signal.throwIfAborted();
      const repetition = await handler?.({ key, payload, attempts, signal });
      const inMs = repetition === undefined ? null : Math.max(0, repetition.runAt - clock.now());
      if (!(await table.succeed(job, performance.now() - begun, inMs))) logLost();
    } catch (error) {
      if (this.#stopping.signal.aborted) {
        await table.handBack(job);
        bulletin.post(DUE, null);
        return;
      }
      logger.warn({ err: error, kind, key }, "A job failed; retrying");
      const pauseMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 16), LONGEST_RETRY_MS);
      const reason = getMessage(error).slice(0, MAX_ERROR_CHARS);
      if (!(await table.fail(job, performance.now() - begun, pauseMs, reason))) logLost();
    }
    function logLost(): void {
      logger.warn({ kind, key }, "A job was taken over by another copy before it ended here");
    }
  }

  /** Gives a sign of life, and leaves jobs that another instance has, or may have. */
  async #renew(): Promise<void> {
    const mine = [...this.#running];
    if (mine.length === 0) return;
    try {
      const kept = await (await this.#open()).renew(mine.map(({ job }) => job));
      this.#renewedAt = performance.now();
      for (const running of mine) if (!kept.has(running.job.id)) this.#leave(running);
    } catch {
      const silentMs = performance.now() - this.#renewedAt;
      if (silentMs > (this.#holdMs * 2) / 3) for (const running of mine) this.#leave(running);
    }
  }

  #leave({ aborting }: Running): void {
    aborting.abort(new Error("Another copy of the server may have taken this job over"));
  }
}
