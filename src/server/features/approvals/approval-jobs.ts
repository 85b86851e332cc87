import type { ApprovalContext } from "./approval-context";
import type { DecidedCalls } from "./decided-calls";

/** How much rarer rechecks are while every decided call has continued. */
const IDLE_FACTOR = 15;
const RECHECK = { kind: "approvals.recheck", key: "all" };
const EXPIRE = { kind: "approvals.expire", key: "all" };

/** Expires requests, and continues decided calls that nothing continues. */
export function createApprovalJobs(context: ApprovalContext, calls: DecidedCalls) {
  const { store, clock, jobs, recheckMs } = context;

  jobs.handle(EXPIRE.kind, async () => {
    await expireDue();
    const next = await store.nextExpiry();
    return next === null ? undefined : { runAt: next };
  });
  jobs.handle(RECHECK.kind, recheck);

  async function expireDue(): Promise<void> {
    if (context.isStopping) return;
    for (const executionId of await store.expired(clock.now())) {
      const decidedAt = clock.now();
      if (!(await store.decide({ executionId, status: "expired", decidedAt, by: null, reason: null }))) continue;
      context.onChange();
      calls.deliverInBackground(executionId);
    }
  }

  async function recheck(): Promise<{ runAt: number } | undefined> {
    await calls.noteChanges();
    const undone = await store.undone();
    for (const executionId of undone) if (await isStuck(executionId)) calls.deliverInBackground(executionId);
    if (await store.withdrawEnded(clock.now())) context.onChange();
    if (undone.length > 0) return { runAt: clock.now() + recheckMs };
    return (await store.countOpen()) === 0 ? undefined : { runAt: clock.now() + IDLE_FACTOR * recheckMs };
  }

  /** False for one that has just been decided, and for one whose caller waits here: both continue without help. */
  async function isStuck(executionId: string): Promise<boolean> {
    const stored = await store.find(executionId);
    if (stored?.detached !== true) return false;
    return clock.now() - (stored.decidedAt ?? 0) >= recheckMs;
  }

  return {
    expireDue,

    /** Schedules both jobs while requests are open; usually they are scheduled already. */
    async schedule(): Promise<void> {
      const runAt = await store.nextExpiry();
      if (runAt === null) return;
      await jobs.schedule({ ...EXPIRE, runAt });
      await jobs.schedule({ ...RECHECK, runAt: clock.now() + IDLE_FACTOR * recheckMs });
    },
  };
}
