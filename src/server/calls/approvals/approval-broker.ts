import type { ApprovalAsk, ApprovalBroker } from "../../engine/approvals/approval-ports";
import type { Clock, Logger } from "../../engine/ports";
import type { Jobs } from "../../platform/coordination/jobs";
import { createEvent } from "../../platform/shared/event";
import type { ApprovalRequests } from "./approval-requests";
import type { StoredApproval } from "./approval-store";
import { ApprovalWaiters } from "./approval-waiters";
import { ALLOWED_REASON } from "./approved-call";
import { HeldArguments } from "./held-arguments";

const RECHECK_MS = 2_000;
/** The factor by which rechecks are rarer while every decided call has continued. */
export const IDLE_FACTOR = 15;
export const RECHECK = { kind: "approvals.recheck", key: "all" };
export const EXPIRE = { kind: "approvals.expire", key: "all" };

export interface ApprovalBrokerPorts {
  requests: ApprovalRequests;
  clock: Clock;
  logger: Logger;
  jobs: Pick<Jobs, "schedule">;
  /** How long a request stays open, in milliseconds. */
  expiryMs: number;
  /** Whether a call requires approval, by the tool's definition, its setting and the policies. Read for every call. */
  required: ApprovalBroker["required"];
  /** The approval setting of a name, in the catalog or not. */
  getMode: NonNullable<ApprovalBroker["getMode"]>;
  /** Milliseconds between checks for decided calls that have not continued; 2 s when absent. */
  recheckMs?: number | undefined;
  /** Called after a request arrived. */
  onChange: () => void;
}

export type ApprovalDesk = ReturnType<typeof createApprovalBroker>;

/** The executor's side of approvals: the calls that wait in this process, their clear arguments, and their requests. */
export function createApprovalBroker(ports: ApprovalBrokerPorts) {
  const { requests, clock, logger, jobs, required, getMode, expiryMs, recheckMs = RECHECK_MS } = ports;
  const held = new HeldArguments();
  const unattended = createEvent<[executionId: string]>();
  const goOn = (executionId: string): void => void unattended.emit(executionId);
  const retries = new ApprovalRetries({
    everyMs: recheckMs,
    withdraw: requests.withdraw,
    detach: requests.detach,
    deliver: goOn,
    noteChanges,
    logger,
  });
  const waiters = new ApprovalWaiters({
    find: requests.findStored,
    held,
    withdraw: (executionId) => retries.withdraw(executionId),
    detach: (executionId) => retries.detach(executionId),
    goOn,
    onChange: ports.onChange,
    onError: (error, what) => logger.error({ err: error }, `${what} failed`),
  });

  /** Resolves waiting callers whose request was decided, and who have not been notified. */
  async function noteChanges(): Promise<void> {
    if (waiters.size === 0) return;
    for (const executionId of await requests.settled(waiters.ids)) await waiters.tell(executionId);
  }

  /** Schedules both jobs while requests are open; usually they are scheduled already. */
  async function schedule(): Promise<void> {
    const runAt = await requests.nextExpiry();
    if (runAt === null) return;
    await jobs.schedule({ ...EXPIRE, runAt });
    await jobs.schedule({ ...RECHECK, runAt: clock.now() + IDLE_FACTOR * recheckMs });
  }

  /** The request of a call that waits. Usually the journal has stored it together with the call's row. */
  async function open({ executionId, definition: { name: toolName } }: ApprovalAsk): Promise<StoredApproval> {
    let stored = await requests.findStored(executionId);
    if (stored === null) {
      const requestedAt = clock.now();
      const mode = getMode(toolName);
      await requests.open({ executionId, requestedAt, expiresAt: requestedAt + expiryMs, mode });
      stored = await requests.findStored(executionId);
    }
    if (stored === null) throw new Error(`execution ${executionId} is not stored`);
    stored = await applyAllowance(requests, stored);
    if (stored.status === "open") {
      if (stored.detached) await requests.adopt(executionId);
      schedule().catch((error: unknown) => {
        logger.error({ err: error }, "Scheduling the expiry of an approval failed");
      });
    }
    return stored;
  }

  const broker: ApprovalBroker = {
    required,
    getMode,
    expiryMs,
    ask: (request, signal) => waiters.wait(request, signal, () => open(request)),
  };
  return {
    broker,
    requests,
    held,
    waiters,
    retries,
    expiryMs,
    recheckMs,
    schedule,
    noteChanges,
    /** A request was decided, and its caller waits no longer. */
    unattended,
  };
}

/**
 * Approves a request that an "Always allow in this run" covers, in the name of who granted it. It is kept with the approval
 * that granted it, so it holds after a restart. @returns the request as it is then
 */
async function applyAllowance(requests: ApprovalRequests, stored: StoredApproval): Promise<StoredApproval> {
  const { executionId } = stored;
  if (stored.runId === null || stored.status !== "open") return stored;
  // The user who granted the allowance may no longer be an allowed approver.
  if (requests.findRule(stored) !== null) return stored;
  const allowance = await requests.findAllowance(executionId);
  if (allowance === null) return stored;
  await requests.decide({ executionId, status: "approved", by: allowance.grantedBy, reason: ALLOWED_REASON });
  return (await requests.findStored(executionId)) ?? stored;
}

interface ApprovalRetriesPorts {
  everyMs: number;
  withdraw: (executionId: string) => Promise<boolean>;
  detach: (executionId: string) => Promise<boolean>;
  /** Continues a decided call in the background. */
  deliver: (executionId: string) => void;
  /** Resolves the callers that wait here. */
  noteChanges: () => Promise<void>;
  logger: Logger;
}

/** Repeats what failed to persist about approvals, for as long as this process lives. */
class ApprovalRetries {
  readonly #unwithdrawn = new Set<string>();
  readonly #undetached = new Set<string>();
  readonly #undelivered = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #isWorking = false;
  #isStopped = false;

  constructor(private readonly ports: ApprovalRetriesPorts) {}

  /** The caller withdrew the request; the database does not know it yet. */
  isWithdrawn(executionId: string): boolean {
    return this.#unwithdrawn.has(executionId);
  }

  /** The withdrawal was written another way. */
  forgetWithdrawal(executionId: string): void {
    this.#unwithdrawn.delete(executionId);
  }

  withdraw(executionId: string): Promise<boolean> {
    return this.#tryOrRepeat(this.#unwithdrawn, executionId, this.ports.withdraw);
  }

  detach(executionId: string): Promise<boolean> {
    return this.#tryOrRepeat(this.#undetached, executionId, this.ports.detach);
  }

  deliverLater(executionId: string): void {
    this.#undelivered.add(executionId);
    this.#start();
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #tryOrRepeat(
    failed: Set<string>,
    executionId: string,
    write: (executionId: string) => Promise<boolean>,
  ): Promise<boolean> {
    try {
      return await write(executionId);
    } catch (error) {
      failed.add(executionId);
      this.#start();
      throw error;
    }
  }

  #start(): void {
    const failures = this.#unwithdrawn.size + this.#undetached.size + this.#undelivered.size;
    if (failures === 0 || this.#timer !== null || this.#isWorking || this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#repeat(), this.ports.everyMs).unref();
  }

  async #repeat(): Promise<void> {
    const { withdraw, detach, deliver, noteChanges, logger } = this.ports;
    this.#timer = null;
    this.#isWorking = true;
    try {
      for (const executionId of [...this.#unwithdrawn]) {
        await withdraw(executionId);
        this.#unwithdrawn.delete(executionId);
      }
      for (const executionId of [...this.#undetached]) {
        if (!(await detach(executionId))) this.#undelivered.add(executionId);
        this.#undetached.delete(executionId);
      }
      await noteChanges();
    } catch (error) {
      logger.warn({ err: error }, "Changes of approvals could not be written; retrying");
    }
    for (const executionId of [...this.#undelivered]) {
      this.#undelivered.delete(executionId);
      deliver(executionId);
    }
    this.#isWorking = false;
    this.#start();
  }
}
