import type { JobFailure, JobQueue } from "../../../lib/contract/job";
import { getMessage } from "../../../lib/get-message";
import type { Clock, Logger } from "../../engine/ports";
import type { Job, JobHandler, JobMonitor, Jobs } from "./jobs";
import { MinHeap } from "./min-heap";

const MAX_RUNNING = 16;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
/** Node's timers fire immediately past 24.8 days, and a machine that slept must not be late by much. */
const LONGEST_TIMER_MS = 60_000;
const FIRST_REPETITION_MS = 30_000;
/** A clock that is put back by less counts as corrected. */
const SET_BACK_MS = 1_000;
const MAX_FAILURES = 20;
const MAX_ERROR_CHARS = 500;
/** Entries in the order of a kind that an earlier time of their job has replaced, beyond as many as wait. */
const MAX_REPLACED = 64;

interface WaitingJob extends Job {
  attempts: number;
}

/** The jobs of one kind. What is put, begins or ends costs the logarithm of what waits. */
interface Queue {
  handler: JobHandler;
  atOnce: number;
  /** Waiting jobs by key. */
  waiting: Map<string, WaitingJob>;
  /** The waiting ones, the earliest first; entries that `waiting` no longer holds are skipped. */
  order: MinHeap<WaitingJob>;
  running: Map<string, Promise<void>>;
}

const createOrder = (): MinHeap<WaitingJob> => new MinHeap(({ runAt }) => runAt);

/** Creates a queue of jobs in memory. */
export function createJobs({ clock, logger }: { clock: Clock; logger: Logger }): Jobs & JobMonitor {
  const record = createJobRecord(clock.now);
  const queues = new Map<string, Queue>();
  /** Jobs of kinds that have no handler yet. */
  const unhandled = new Map<string, Map<string, WaitingJob>>();
  const repeated = new Map<string, number>();
  const stopping = new AbortController();
  let runningCount = 0;
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;
  let offset = clock.now() - clock.elapsed();

  /** A clock that is put back makes no job wait longer than it was ordered to. */
  function followClock(): void {
    const before = offset;
    offset = clock.now() - clock.elapsed();
    if (before - offset < SET_BACK_MS) return;
    for (const waiting of [...unhandled.values(), ...[...queues.values()].map((queue) => queue.waiting)]) {
      for (const job of waiting.values()) job.runAt -= before - offset;
    }
    for (const queue of queues.values()) orderAgain(queue);
  }

  /** Orders the queue again without the entries that were replaced. */
  function orderAgain(queue: Queue): void {
    queue.order = createOrder();
    for (const [key, job] of queue.waiting) if (!queue.running.has(key)) queue.order.push(job);
  }

  function handle(kind: string, handler: JobHandler, atOnce: number): void {
    const order = createOrder();
    const waiting = unhandled.get(kind) ?? new Map<string, WaitingJob>();
    unhandled.delete(kind);
    for (const job of waiting.values()) order.push(job);
    queues.set(kind, { handler, atOnce, waiting, order, running: new Map() });
  }

  function getWaiting(kind: string): Map<string, WaitingJob> {
    const waiting = queues.get(kind)?.waiting ?? unhandled.get(kind);
    if (waiting !== undefined) return waiting;
    const created = new Map<string, WaitingJob>();
    unhandled.set(kind, created);
    return created;
  }

  /** @param attempts of the job that is put back; absent for one that is ordered */
  function put(job: Job, attempts?: number): void {
    followClock();
    const waiting = getWaiting(job.kind);
    const known = waiting.get(job.key);
    // A job ordered during the run is newer than the one that ran.
    const newest = attempts !== undefined && known !== undefined ? known : job;
    const next = { ...newest, attempts: attempts ?? known?.attempts ?? 0 };
    if (known !== undefined && known.runAt <= job.runAt) Object.assign(known, next, { runAt: known.runAt });
    else putEarlier({ ...next, runAt: job.runAt }, waiting);
    runDue();
  }

  function putEarlier(job: WaitingJob, waiting: Map<string, WaitingJob>): void {
    waiting.set(job.key, job);
    const queue = queues.get(job.kind);
    // A job that runs waits for its end before it runs again.
    if (queue === undefined || queue.running.has(job.key)) return;
    queue.order.push(job);
    if (queue.order.size <= 2 * waiting.size + MAX_REPLACED) return;
    orderAgain(queue);
  }

  /** The earliest job that waits; leaves out entries that were replaced or have begun. */
  function findNext({ waiting, order }: Queue): WaitingJob | undefined {
    let job = order.peek();
    while (job !== undefined && waiting.get(job.key) !== job) {
      order.pop();
      job = order.peek();
    }
    return job;
  }

  function runDue(): void {
    clearTimeout(timer);
    if (!isStarted || stopping.signal.aborted) return;
    followClock();
    // Searched again when a running job ends.
    let earliest = findEarliest();
    while (earliest !== null && earliest.job.runAt <= clock.now()) {
      begin(earliest.queue, earliest.job);
      earliest = findEarliest();
    }
    if (earliest === null) return;
    timer = setTimeout(runDue, Math.min(Math.max(1, earliest.job.runAt - clock.now()), LONGEST_TIMER_MS)).unref();
  }

  /** Finds the earliest job of the kinds that may run one more. */
  function findEarliest(): { queue: Queue; job: WaitingJob } | null {
    let earliest: { queue: Queue; job: WaitingJob } | null = null;
    for (const queue of queues.values()) {
      const job = hasRoom(queue) ? findNext(queue) : undefined;
      if (job !== undefined && job.runAt < (earliest?.job.runAt ?? Number.POSITIVE_INFINITY)) earliest = { queue, job };
    }
    return earliest;
  }

  const hasRoom = ({ running, atOnce }: Queue): boolean => running.size < atOnce && runningCount < MAX_RUNNING;

  function begin(queue: Queue, job: WaitingJob): void {
    queue.order.pop();
    queue.waiting.delete(job.key);
    runningCount += 1;
    const work = run(job, queue.handler).finally(() => {
      runningCount -= 1;
      queue.running.delete(job.key);
      const again = queue.waiting.get(job.key);
      if (again !== undefined) queue.order.push(again);
      runDue();
    });
    queue.running.set(job.key, work);
  }

  async function run(job: WaitingJob, handler: JobHandler): Promise<void> {
    const { kind, key, payload = null } = job;
    const attempts = job.attempts + 1;
    const begun = clock.now();
    try {
      const repetition = await handler({ key, payload, attempts, signal: stopping.signal });
      record.succeed(kind, key, clock.now() - begun);
      if (repetition !== undefined) put({ ...job, runAt: repetition.runAt }, 0);
    } catch (error) {
      if (stopping.signal.aborted) return;
      logger.warn({ err: error, kind, key }, "A job failed; retrying");
      const at = clock.now();
      const retryAt = at + Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS);
      record.fail(kind, { key, at, attempts, error: getMessage(error), retryAt }, at - begun);
      put({ ...job, runAt: retryAt }, attempts);
    }
  }

  function describeQueue(kind: string, queue: Queue): JobQueue {
    return {
      kind,
      everyMs: repeated.get(kind) ?? null,
      waiting: queue.waiting.size,
      running: queue.running.size,
      nextRunAt: findFirstRun(queue.waiting.values()),
      ...record.read(kind),
    };
  }

  return {
    isStored: false,
    handle: (kind, handler, { atOnce = MAX_RUNNING } = {}) => handle(kind, handler, atOnce),
    repeat(kind, everyMs, work) {
      repeated.set(kind, everyMs);
      const handler: JobHandler = ({ signal }) => work(signal).then(() => ({ runAt: clock.now() + everyMs }));
      handle(kind, handler, 1);
    },
    schedule: async (job) => put(job),
    queues: async () =>
      [...queues].sort(([one], [other]) => (one < other ? -1 : 1)).map(([kind, queue]) => describeQueue(kind, queue)),
    async runNow(kind, key) {
      const waiting = getWaiting(kind);
      const found = [...waiting.values()].filter((job) => key === undefined || job.key === key);
      for (const job of found) put({ ...job, runAt: clock.now() });
      return found.length;
    },
    async start() {
      isStarted = true;
      for (const [kind, ms] of repeated)
        put({ kind, key: "all", runAt: clock.now() + Math.min(ms, FIRST_REPETITION_MS) });
      runDue();
    },
    async stop() {
      stopping.abort(new Error("The server is stopping"));
      clearTimeout(timer);
      await Promise.all([...queues.values()].flatMap(({ running }) => [...running.values()]));
    },
  };
}

function findFirstRun(jobs: Iterable<Job>): number | null {
  let earliest: number | null = null;
  for (const { runAt } of jobs) earliest = Math.min(runAt, earliest ?? runAt);
  return earliest;
}

type Figures = Pick<JobQueue, "lastRunAt" | "lastMs" | "succeeded" | "failed" | "failures">;

/** How the jobs of each kind ended since the start. */
function createJobRecord(now: () => number) {
  const byKind = new Map<string, Figures>();

  function change(kind: string, key: string, lastMs: number): Figures {
    const found = byKind.get(kind) ?? { lastRunAt: null, lastMs: null, succeeded: 0, failed: 0, failures: [] };
    const failures = found.failures.filter((failure) => failure.key !== key);
    const changed = { ...found, failures, lastRunAt: now(), lastMs };
    byKind.set(kind, changed);
    return changed;
  }

  return {
    read: (kind: string): Figures =>
      byKind.get(kind) ?? { lastRunAt: null, lastMs: null, succeeded: 0, failed: 0, failures: [] },
    succeed(kind: string, key: string, tookMs: number): void {
      change(kind, key, tookMs).succeeded += 1;
    },
    fail(kind: string, failure: JobFailure, tookMs: number): void {
      const figures = change(kind, failure.key, tookMs);
      figures.failed += 1;
      const error = failure.error.slice(0, MAX_ERROR_CHARS);
      figures.failures = [{ ...failure, error }, ...figures.failures].slice(0, MAX_FAILURES);
    },
  };
}
