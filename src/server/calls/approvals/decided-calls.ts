import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import { CallArguments } from "../../engine/executor/call-arguments";
import type { ExecuteOptions } from "../../engine/executor/tool-executor";
import type { Clock, Logger } from "../../engine/ports";
import type { Jobs } from "../../platform/coordination/jobs";
import { type ApprovalDesk, EXPIRE, IDLE_FACTOR, RECHECK } from "./approval-broker";
import type { ApprovalOwners } from "./approval-owners";
import type { StoredApproval } from "./approval-store";
import { toApprovalResult, toExecuteOptions, withdrawal } from "./approved-call";

export interface DecidedCallPorts {
  desk: ApprovalDesk;
  owners: ApprovalOwners;
  clock: Clock;
  logger: Logger;
  jobs: Pick<Jobs, "handle">;
  /** Finds what the call runs that is no tool of the catalog: a read of a resource or prompt, or one of Toolroom's own tools. */
  provide?: (stored: StoredApproval) => Pick<ExecuteOptions, "kind" | "provided">;
  /** Runs a call whose caller no longer listens. Never rejects. */
  execute: (name: string, args: unknown, options: ExecuteOptions) => Promise<ExecutionEnvelope>;
  /** Called when a decided call without a waiting caller has ended, so that its run can be resumed. */
  onDecided?: ((executionId: string, runId: string | null) => void) | undefined;
}

const UNASKED = "Calls without a stored approval request are interrupted";

export type DecidedCalls = ReturnType<typeof createDecidedCalls>;

/**
 * Continues calls once they are decided: through the caller that waits, or by running them. Expires requests, and finds
 * decided calls that nothing continues.
 */
export function createDecidedCalls(ports: DecidedCallPorts) {
  const { desk, owners, clock, logger, jobs, execute, onDecided } = ports;
  const { requests, held, waiters, retries } = desk;
  /** Calls that run here at the moment. */
  const running = new Set<string>();
  let isLoaded = false;
  let stopping = false;

  function deliverInBackground(executionId: string): void {
    deliver(executionId).catch((error: unknown) => {
      logger.error({ err: error }, "Running a decided call failed; retrying");
      retries.deliverLater(executionId);
    });
  }

  /** Resolves the caller that waits. Where none waits, runs the call: in the instance of the server that recorded it, while that one lives. */
  async function deliver(executionId: string): Promise<void> {
    if (waiters.has(executionId)) return await waiters.tell(executionId);
    if (retries.isWithdrawn(executionId) || running.has(executionId)) return;
    const stored = await requests.findStored(executionId);
    if (stored?.waits !== true) return;
    if (owners.isElsewhere(stored)) return await owners.deliver(stored);
    running.add(executionId);
    await run(stored).finally(() => running.delete(executionId));
    held.drop(executionId);
  }

  /** Runs an approved call, or ends one that was not, in its own row. No effect where that row no longer waits. */
  async function run(stored: StoredApproval): Promise<void> {
    const verdict = toApprovalResult(stored, held);
    const args = held.getArguments(stored.executionId) ?? CallArguments.parse(stored.argumentsText);
    const envelope = await execute(stored.toolName, args, {
      ...toExecuteOptions(stored),
      ...ports.provide?.(stored),
      ...(verdict === null ? { signal: AbortSignal.abort(withdrawal()) } : { approval: verdict }),
    });
    // The call still waits: the next start continues it.
    if (envelope.status === "interrupted" && stopping) return;
    onDecided?.(stored.executionId, stored.runId);
  }

  async function expireDue(): Promise<void> {
    if (stopping) return;
    for (const executionId of await requests.expired()) {
      const expired = await requests.decide({ executionId, status: "expired", by: null, reason: null });
      if (expired) deliverInBackground(executionId);
    }
  }

  async function settle(): Promise<void> {
    const unasked = await requests.abandon();
    if (unasked.length > 0) logger.warn({ executions: unasked }, UNASKED);
    for (const executionId of await requests.undone()) deliverInBackground(executionId);
    await expireDue();
    await desk.schedule();
  }

  desk.unattended.on(deliverInBackground);
  owners.onDeliver(async (executionId) => {
    if (waiters.has(executionId)) await waiters.tell(executionId);
    else if (!stopping) deliverInBackground(executionId);
  });
  handleJobs({ desk, owners, clock, jobs }, { deliverInBackground, expireDue });

  return {
    deliver,
    deliverInBackground,
    expireDue,
    isStopping: (): boolean => stopping,

    /** Called at start, before anything runs: continues the calls that an earlier process left. */
    load(): Promise<void> {
      isLoaded = true;
      return settle();
    },

    /**
     * Handles a clock that was put back: a request that was made while it was ahead expires as late as one that is made
     * now.
     */
    async followClock(now: number): Promise<void> {
      await requests.capExpiry(now + desk.expiryMs);
      await desk.schedule();
    },

    /** Settles the calls of instances that ended. */
    async settleLost(): Promise<void> {
      if (isLoaded && !stopping) await settle();
    },

    /** Stops deciding; open requests stay open. */
    stop(): void {
      stopping = true;
      retries.stop();
    },
  };
}

interface JobSteps {
  deliverInBackground: (executionId: string) => void;
  expireDue: () => Promise<void>;
}

/** Finds decided calls that nothing continues, and expires requests in time. */
function handleJobs(
  { desk, owners, clock, jobs }: Pick<DecidedCallPorts, "desk" | "owners" | "clock" | "jobs">,
  { deliverInBackground, expireDue }: JobSteps,
): void {
  const { requests, recheckMs } = desk;

  /** False for one that has just been decided, one whose caller waits, and one of another instance: they continue without help. */
  const isStuck = (stored: StoredApproval | null): boolean =>
    stored?.detached === true && !owners.isElsewhere(stored) && clock.now() - (stored.decidedAt ?? 0) >= recheckMs;

  async function recheck(): Promise<{ runAt: number } | undefined> {
    await desk.noteChanges();
    const undone = await requests.undone();
    for (const executionId of undone)
      if (isStuck(await requests.findStored(executionId))) deliverInBackground(executionId);
    await requests.withdrawEnded();
    if (undone.length > 0) return { runAt: clock.now() + recheckMs };
    return (await requests.countOpen()) === 0 ? undefined : { runAt: clock.now() + IDLE_FACTOR * recheckMs };
  }

  // Each instance checks the callers that wait in its own process.
  jobs.handle(RECHECK.kind, recheck, { perInstance: true });
  jobs.handle(EXPIRE.kind, async () => {
    await expireDue();
    const next = await requests.nextExpiry();
    return next === null ? undefined : { runAt: next };
  });
}
