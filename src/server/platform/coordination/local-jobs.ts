import type { JobFailure, JobQueue } from "../../../lib/contract/job";
import { getMessage } from "../../../lib/get-message";
import type { Clock, Logger } from "../../engine/ports";
import type { Job, JobHandler, JobMonitor, Jobs } from "./jobs";

const MAX_RUNNING = 16;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
/** Node's timers fire immediately past 24.8 days, and a machine that slept must not be late by much. */
const LONGEST_TIMER_MS = 60_000;
const FIRST_REPETITION_MS = 30_000;
const MAX_FAILURES = 20;
const MAX_ERROR_CHARS = 500;

interface WaitingJob extends Job {
  attempts: number;
}

const readKind = (id: string): unknown => (JSON.parse(id) as unknown[])[0];

const countRunning = (running: ReadonlyMap<string, unknown>, kind: string): number =>
  [...running.keys()].filter((id) => readKind(id) === kind).length;

interface JobState {
  waiting: ReadonlyMap<string, Job>;
  running: ReadonlyMap<string, unknown>;
  repeated: ReadonlyMap<string, number>;
  record: JobRecord;
}

function describeJobs(kind: string, { waiting, running, repeated, record }: JobState): Omit<JobQueue, "kind"> {
  const due = [...waiting.values()].filter((job) => job.kind === kind).map(({ runAt }) => runAt);
  return {
    everyMs: repeated.get(kind) ?? null,
    waiting: due.length,
    running: countRunning(running, kind),
    nextRunAt: due.toSorted((one, other) => one - other)[0] ?? null,
    ...record.read(kind),
  };
}

/** Jobs in memory. */
export function createJobs({ clock, logger }: { clock: Clock; logger: Logger }): Jobs & JobMonitor {
  const record = createJobRecord(clock.now);
  const handlers = new Map<string, { handler: JobHandler; atOnce: number }>();
  const repeated = new Map<string, number>();
  /** By kind and key, as `running`. */
  const waiting = new Map<string, WaitingJob>();
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;

  /** @param attempts of the job that is put back; absent for one that is ordered */
  function put(job: Job, attempts?: number): void {
    const id = JSON.stringify([job.kind, job.key]);
    const known = waiting.get(id);
    // A job ordered during the run is newer than the one that ran.
    const newest = attempts !== undefined && known !== undefined ? known : job;
    const runAt = Math.min(job.runAt, known?.runAt ?? Number.POSITIVE_INFINITY);
    waiting.set(id, { ...newest, runAt, attempts: attempts ?? known?.attempts ?? 0 });
    runDue();
  }

  function runDue(): void {
    clearTimeout(timer);
    if (!isStarted || stopping.signal.aborted) return;
    let next = Number.POSITIVE_INFINITY;
    for (const [id, job] of [...waiting].sort(([, one], [, other]) => one.runAt - other.runAt)) {
      const { handler, atOnce = 0 } = handlers.get(job.kind) ?? {};
      // When a running job ends, it is looked again.
      const hasRoom = countRunning(running, job.kind) < atOnce && running.size < MAX_RUNNING;
      if (handler === undefined || running.has(id) || !hasRoom) continue;
      if (job.runAt > clock.now()) {
        next = job.runAt;
        break;
      }
      waiting.delete(id);
      const work = run(job, handler).finally(() => {
        running.delete(id);
        runDue();
      });
      running.set(id, work);
    }
    if (next === Number.POSITIVE_INFINITY) return;
    timer = setTimeout(runDue, Math.min(Math.max(1, next - clock.now()), LONGEST_TIMER_MS)).unref();
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

  return {
    isStored: false,
    handle: (kind, handler, { atOnce = MAX_RUNNING } = {}) => void handlers.set(kind, { handler, atOnce }),
    repeat(kind, everyMs, work) {
      repeated.set(kind, everyMs);
      const handler: JobHandler = ({ signal }) => work(signal).then(() => ({ runAt: clock.now() + everyMs }));
      handlers.set(kind, { handler, atOnce: 1 });
    },
    schedule: async (job) => put(job),
    queues: async () =>
      [...handlers.keys()]
        .sort()
        .map((kind) => ({ kind, ...describeJobs(kind, { waiting, running, repeated, record }) })),
    async runNow(kind, key) {
      const found = [...waiting.values()].filter((job) => job.kind === kind && (key === undefined || job.key === key));
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
      await Promise.all(running.values());
    },
  };
}

type Figures = Pick<JobQueue, "lastRunAt" | "lastMs" | "succeeded" | "failed" | "failures">;

type JobRecord = ReturnType<typeof createJobRecord>;

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
