import type {
  Actor,
  ApprovalDecision,
  ApprovalItem,
  ApprovalOutcome,
  ApprovalPage,
  ExecutionEnvelope,
  Fault,
  ToolDefinition,
} from "../../../lib/contract";
import { AppError } from "../../app-error";
import type { ApprovalDesk } from "../../engine/approval-ports";
import type { Clock, Logger } from "../../engine/ports";
import type { ExecuteOptions } from "../../engine/tool-executor";
import { parseJsonText } from "../../parse-json-text";
import type { ApprovalStore, StoredApproval } from "./approval-store";
import { ApprovalWaiters } from "./approval-waiters";
import { callOf, itemOf, tooLate, verdictOf, withdrawal } from "./approved-call";
import { ExpiryTimer } from "./expiry-timer";
import { RecheckTimer } from "./recheck-timer";

const RETRY_MS = 5_000;
const RECHECK_MS = 2_000;

export interface ApprovalServicePorts {
  store: ApprovalStore;
  clock: Clock;
  logger: Logger;
  /** How long a request stays open, in milliseconds. */
  expiryMs: number;
  /** Whether a tool asks, by its definition, its person's setting and the policy. Asked for every call. */
  required: (definition: ToolDefinition) => boolean;
  /** What is wrong with arguments for a tool as it is now. @throws AppError where there is no such tool */
  faultsOf: (toolName: string, args: unknown) => Promise<Fault[]>;
  /** Runs a call whose caller no longer listens. Never rejects. */
  execute: (name: string, args: unknown, options: ExecuteOptions) => Promise<ExecutionEnvelope>;
  /** Whether another process on this database still runs; absent where there can be none. */
  isAlive?: ((instanceId: string) => Promise<boolean>) | undefined;
  /** How often it is looked whether another process decided what waits here, in milliseconds; 2 s when absent. */
  recheckMs?: number | undefined;
  /** Called after a request came, was decided or ended. */
  onChange: () => void;
  /** Called when a call that nobody listened to any more has ended, so that its run can go on. */
  onDecided?: ((executionId: string, runId: string | null) => void) | undefined;
}

export type ApprovalService = ReturnType<typeof createApprovalService>;

/**
 * The inbox of calls that wait for a person. Requests live in the database; in memory is only who listens. What is decided
 * goes to the caller that waits, or, where that has left, the call is run here.
 */
export function createApprovalService(ports: ApprovalServicePorts) {
  const { store, clock, logger } = ports;
  /** Decided, and their calls have not gone on yet. */
  const undelivered = new Set<string>();
  /** Given up by their callers, and left by them, which could not be written. */
  const unwithdrawn = new Set<string>();
  const undetached = new Set<string>();
  const waiters = new ApprovalWaiters({
    store,
    withdraw: (executionId) => orLater(unwithdrawn, executionId, withdrawWaiting),
    detach: (executionId) => orLater(undetached, executionId, store.detach),
    goOn: (executionId) => inBackground(deliver(executionId), "Going on with a decided call"),
    onChange: ports.onChange,
    onError: (error, what) => logger.error({ err: error }, `${what} failed`),
  });
  const isLookedAfter = (): boolean => waiters.size + undelivered.size + unwithdrawn.size + undetached.size > 0;
  const recheck = new RecheckTimer(ports.recheckMs ?? RECHECK_MS, lookAgain, isLookedAfter);
  const timer = new ExpiryTimer(clock.now, () => inBackground(sweep(), "Looking for expired approvals"));
  let stopping = false;

  function inBackground(work: Promise<unknown>, what: string): void {
    work.catch((error: unknown) => {
      logger.error({ err: error }, `${what} failed`);
      // A lock or a full disk passes.
      if (!stopping) timer.set(clock.now() + RETRY_MS);
    });
  }

  async function rearm(): Promise<void> {
    const next = await store.nextExpiry();
    if (!stopping) timer.set(next);
  }

  const desk: ApprovalDesk = {
    required: ports.required,
    expiryMs: ports.expiryMs,
    ask(request, signal) {
      const waiting = waiters.wait(request, signal, () => open(request.executionId));
      recheck.start();
      return waiting;
    },
  };

  /** The request of a call that waits. Mostly the journal has made it together with the call's row. */
  async function open(executionId: string): Promise<StoredApproval> {
    let stored = await store.find(executionId);
    if (stored === null) {
      const requestedAt = clock.now();
      await store.open({ executionId, requestedAt, expiresAt: requestedAt + ports.expiryMs });
      stored = await store.find(executionId);
    }
    if (stored === null) throw new Error(`the logbook has no execution ${executionId} that could wait`);
    if (stored.status === "open") {
      if (stored.detached || !stored.own) await store.adopt(executionId);
      inBackground(rearm(), "Looking for the next expiry");
    }
    return stored;
  }

  async function withdrawWaiting(executionId: string): Promise<boolean> {
    const withdrawn = await store.decide({
      executionId,
      status: "withdrawn",
      decidedAt: clock.now(),
      by: null,
      reason: null,
    });
    if (withdrawn) ports.onChange();
    return withdrawn;
  }

  /** A write that is tried again where it fails. */
  async function orLater(
    later: Set<string>,
    executionId: string,
    write: (executionId: string) => Promise<boolean>,
  ): Promise<boolean> {
    try {
      return await write(executionId);
    } catch (error) {
      later.add(executionId);
      recheck.start();
      throw error;
    }
  }

  /** Tells whoever waits; where nobody does, and no other process will, goes on with the call here. */
  async function deliver(executionId: string): Promise<void> {
    if (waiters.has(executionId)) return await waiters.tell(executionId);
    if (unwithdrawn.has(executionId)) return;
    undelivered.add(executionId);
    recheck.start();
    const stored = await store.find(executionId);
    // That process tells its caller. It may end before it does, so this is looked at again until the call waits no more.
    if (stored?.waits === true && (await isElsewhere(stored))) return;
    if (undelivered.delete(executionId) && stored !== null) await carryOut(stored);
  }

  /** Whether a caller waits for it in another process that still runs. */
  async function isElsewhere({ detached, own, instanceId }: StoredApproval): Promise<boolean> {
    return !detached && !own && (await ports.isAlive?.(instanceId)) === true;
  }

  /** What another process has decided, and what failed before. Never rejects: the next round tries again. */
  async function lookAgain(): Promise<void> {
    try {
      const settled = await store.settled(waiters.ids);
      for (const executionId of settled) await waiters.tell(executionId);
      for (const executionId of [...unwithdrawn]) {
        await withdrawWaiting(executionId);
        unwithdrawn.delete(executionId);
      }
      for (const executionId of [...undetached]) {
        if (!(await store.detach(executionId))) undelivered.add(executionId);
        undetached.delete(executionId);
      }
      if ((await store.withdrawEnded(clock.now())) || settled.length > 0) ports.onChange();
    } catch (error) {
      logger.warn({ err: error }, "Looking after calls that wait for approval failed; it is tried again");
    }
    for (const executionId of [...undelivered]) {
      inBackground(deliver(executionId), "Going on with a decided call");
    }
  }

  /** Runs an approved call, or ends one that was not, in its own row. Harmless where that row no longer waits. */
  async function carryOut(stored: StoredApproval): Promise<void> {
    if (!stored.waits) return;
    const { executionId, runId } = stored;
    const verdict = verdictOf(stored);
    const envelope = await ports.execute(stored.toolName, JSON.parse(stored.argumentsText), {
      ...callOf(stored),
      ...(verdict === null ? { signal: AbortSignal.abort(withdrawal()) } : { approval: verdict }),
    });
    // It was left waiting for the next start.
    if (envelope.status === "interrupted" && stopping) return;
    ports.onDecided?.(executionId, runId);
  }

  async function expire(executionId: string): Promise<void> {
    const decidedAt = clock.now();
    if (!(await store.decide({ executionId, status: "expired", decidedAt, by: null, reason: null }))) return;
    ports.onChange();
    inBackground(deliver(executionId), "Ending an expired call");
  }

  async function sweep(): Promise<void> {
    if (stopping) return;
    for (const executionId of await store.expired(clock.now())) await expire(executionId);
    await rearm();
  }

  /** What a person made of the arguments; null where they left them. @throws AppError for a text that is not JSON */
  function editOf(stored: StoredApproval, argumentsText: string | undefined): { args: unknown; text: string } | null {
    if (argumentsText === undefined) return null;
    const args = parseJsonText(argumentsText, "arguments");
    const text = JSON.stringify(args);
    return text === stored.argumentsText ? null : { args, text };
  }

  async function find(executionId: string): Promise<StoredApproval> {
    const stored = await store.find(executionId);
    if (stored === null) throw new AppError("NOT_FOUND", `No approval was asked for execution '${executionId}'`);
    return stored;
  }

  /** Its call ended without a word: nobody is asked for it any more. */
  async function closeEnded(executionId: string): Promise<ApprovalOutcome> {
    await withdrawWaiting(executionId);
    unwithdrawn.delete(executionId);
    return tooLate(await find(executionId));
  }

  async function decide(actor: Actor, executionId: string, decision: ApprovalDecision): Promise<ApprovalOutcome> {
    if (stopping) throw new AppError("UNAVAILABLE", "The server is stopping: decide again once it is back");
    if (!decision.approved && decision.argumentsText !== undefined) {
      throw new AppError("INVALID", "argumentsText goes only with an approval: leave it out to reject the call");
    }
    const stored = await find(executionId);
    if (stored.status !== "open") return tooLate(stored);
    if (!stored.waits || unwithdrawn.has(executionId)) return await closeEnded(executionId);
    const edit = editOf(stored, decision.argumentsText);
    if (edit !== null) {
      const faults = await ports.faultsOf(stored.toolName, edit.args);
      if (faults.length > 0 && !stored.validationSkipped) return { decided: false, status: "open", faults };
    }
    const won = await store.decide({
      executionId,
      status: decision.approved ? "approved" : "rejected",
      decidedAt: clock.now(),
      by: actor,
      reason: decision.reason || null,
      editedText: edit?.text,
    });
    if (!won) {
      // Its time may have run out a moment ago.
      await sweep();
      const now = await find(executionId);
      return now.status === "open" && !now.waits ? await closeEnded(executionId) : tooLate(now);
    }
    ports.onChange();
    inBackground(deliver(executionId), "Going on with a decided call");
    inBackground(rearm(), "Looking for the next expiry");
    return { decided: true, status: decision.approved ? "approved" : "rejected", faults: [] };
  }

  return {
    desk,
    list: (status: "open" | "decided", cursor: number | undefined, limit: number): Promise<ApprovalPage> =>
      store.list(status, cursor, limit),
    get: async (executionId: string): Promise<ApprovalItem> => itemOf(await find(executionId)),
    count: async (): Promise<{ open: number }> => ({ open: await store.countOpen() }),
    decide,

    /** Takes a request back and ends its call as cancelled. False when it was decided already, or there is none. */
    async withdraw(executionId: string): Promise<boolean> {
      if (!(await withdrawWaiting(executionId))) return false;
      await deliver(executionId);
      return true;
    },

    /**
     * At start, before anything runs: what ended processes left is taken up again; nothing of it is lost. What waits in
     * another process that still runs is left to that one.
     */
    async load(): Promise<void> {
      const dead: string[] = [];
      for (const instanceId of await store.waitingInstances()) {
        if ((await ports.isAlive?.(instanceId)) !== true) dead.push(instanceId);
      }
      const unasked = await store.interruptUnasked(clock.now(), dead);
      if (unasked.length > 0) logger.warn({ executions: unasked }, "Calls that nobody was asked for are interrupted");
      await store.withdrawEnded(clock.now());
      await store.detachAll(dead);
      for (const executionId of await store.undone()) {
        inBackground(deliver(executionId), "Going on with a decided call");
      }
      await sweep();
    },

    /** Decides nothing any more; what is open stays so. */
    stop(): void {
      stopping = true;
      timer.clear();
      recheck.stop();
    },
  };
}
