import type { Clock, Logger } from "../engine/ports";
import type { InstanceDirectory } from "./instance-directory";
import type { JobHandler, Jobs } from "./jobs";
import { FIRST_RETRY_MS, type JobContext, LEASE_MS, runJob } from "./run-job";
import { createSerialTask } from "./serial-task";
import type { ClaimedJob, JobStorage } from "./storage";
import type { WriteNotices } from "./write-notices";

/** Per process. */
const MAX_RUNNING = 16;
/** Node's timers fire immediately past 24.8 days, and a machine that slept must not be late by much. */
const LONGEST_TIMER_MS = 60_000;

export interface JobsPorts {
  storage: JobStorage;
  notices: WriteNotices;
  instances: Pick<InstanceDirectory, "id" | "findGone">;
  clock: Clock;
  logger: Logger;
}

export function createJobs({ storage, notices, instances, clock, logger }: JobsPorts): Jobs {
  const ownerId = instances.id;
  const handlers = new Map<string, JobHandler>();
  const repeated = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const context: JobContext = { storage, ownerId, clock, logger, stopping: stopping.signal };
  let timer: NodeJS.Timeout | undefined;
  let unsubscribe = (): void => {};

  function start(job: ClaimedJob): void {
    const handler = handlers.get(job.kind);
    if (handler === undefined) return;
    const work: Promise<void> = runJob(job, handler, context)
      .catch((error: unknown) => logger.error({ err: error, kind: job.kind }, "A job's end could not be stored"))
      .finally(() => {
        running.delete(work);
        claimDue();
      });
    running.add(work);
  }

  const claiming = createSerialTask(async () => {
    clearTimeout(timer);
    const kinds = [...handlers.keys()];
    const next = await storage.findNext(kinds);
    if (next === null) return;
    const waitMs = next - clock.now();
    if (waitMs > 0) return arm(waitMs);
    // Checked again when a running job ends.
    if (running.size >= MAX_RUNNING) return;
    const claimed = await storage.claim(kinds, ownerId, LEASE_MS, MAX_RUNNING - running.size);
    for (const job of claimed) start(job);
    // Another copy may have claimed what was due.
    arm(claimed.length === 0 ? FIRST_RETRY_MS : 1);
  });

  function arm(waitMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(claimDue, Math.min(Math.max(1, waitMs), LONGEST_TIMER_MS)).unref();
  }

  function claimDue(): void {
    if (stopping.signal.aborted) return;
    claiming.run().catch((error: unknown) => {
      logger.warn({ err: error }, "Jobs could not be claimed; retrying");
      arm(FIRST_RETRY_MS);
    });
  }

  async function releaseAbandoned(): Promise<void> {
    const gone = await instances.findGone(await storage.listOwners());
    if (gone.length > 0) await storage.releaseAll(gone.map(({ id }) => id));
  }

  return {
    handle: (kind, handler) => void handlers.set(kind, handler),
    repeat(kind, everyMs, work) {
      repeated.set(kind, everyMs);
      handlers.set(kind, async () => {
        await work();
        return { runAt: clock.now() + everyMs };
      });
    },
    async schedule(job) {
      await storage.schedule(job);
      claimDue();
    },
    async start() {
      await releaseAbandoned();
      for (const [kind, everyMs] of repeated)
        await storage.schedule({ kind, key: "all", runAt: clock.now() + everyMs });
      unsubscribe = notices.subscribe(claimDue);
      claimDue();
    },
    async stop() {
      unsubscribe();
      stopping.abort(new Error("The server is stopping"));
      await claiming.stop();
      clearTimeout(timer);
      await Promise.all(running);
    },
  };
}
