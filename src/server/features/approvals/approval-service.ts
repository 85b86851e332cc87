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
import type { ApprovalAsk, ApprovalDesk, ApprovalVerdict } from "../../engine/approval-ports";
import { isCallerLeft, isServerStopping } from "../../engine/failures";
import type { Clock, Logger } from "../../engine/ports";
import type { ExecuteOptions } from "../../engine/tool-executor";
import { parseJsonText } from "../../parse-json-text";
import type { ApprovalStore, StoredApproval } from "./approval-store";
import { callOf, itemOf, tooLate, verdictOf, withdrawal } from "./approved-call";
import { ExpiryTimer } from "./expiry-timer";

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
  /** Called after a request came, was decided or ended. */
  onChange: () => void;
  /** Called when a call that nobody listened to any more has ended, so that its run can go on. */
  onDecided?: ((executionId: string, runId: string | null) => void) | undefined;
}

interface Waiter {
  decided(verdict: ApprovalVerdict): void;
  withdrawn(): void;
}

export type ApprovalService = ReturnType<typeof createApprovalService>;

/**
 * The inbox of calls that wait for a person. Requests live in the database; in memory is only who listens. What is decided
 * goes to the caller that waits, or, where that has left, the call is run here.
 */
export function createApprovalService(ports: ApprovalServicePorts) {
  const { store, clock, logger } = ports;
  const waiters = new Map<string, Waiter>();
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
    async ask(request, signal) {
      const requestedAt = clock.now();
      const { executionId } = request;
      await store.open({ executionId, requestedAt, expiresAt: requestedAt + ports.expiryMs });
      const stored = await store.find(executionId);
      if (stored === null) throw new Error(`the logbook has no execution ${executionId} that could wait`);
      const verdict = verdictOf(stored);
      if (verdict !== null) return verdict;
      if (stored.status === "withdrawn") throw withdrawal();
      if (stored.detached) await store.setDetached(executionId, false);
      await rearm();
      return await listen(request, stored.expiresAt, signal);
    },
  };

  function listen({ executionId, opened }: ApprovalAsk, expiresAt: number, signal: AbortSignal) {
    return new Promise<ApprovalVerdict>((resolve, reject) => {
      const end = (): void => {
        signal.removeEventListener("abort", onAbort);
        // A later caller may have taken this one's place.
        if (waiters.get(executionId) === waiter) waiters.delete(executionId);
      };
      const waiter: Waiter = {
        decided(verdict) {
          end();
          resolve(verdict);
        },
        withdrawn() {
          end();
          reject(withdrawal());
        },
      };
      const onAbort = (): void => {
        const reason: unknown = signal.reason;
        if (isServerStopping(reason)) {
          end();
          reject(reason);
        } else if (isCallerLeft(reason)) {
          end();
          store.setDetached(executionId, true).then(
            () => {
              ports.onChange();
              reject(reason);
            },
            () => reject(reason),
          );
        } else {
          // Until that is durable it may still be decided, and then that holds.
          withdrawWaiting(executionId).then(
            (withdrawn) => (withdrawn ? waiter.withdrawn() : tell(executionId, waiter)),
            reject,
          );
        }
      };
      waiters.set(executionId, waiter);
      signal.addEventListener("abort", onAbort, { once: true });
      ports.onChange();
      opened(expiresAt);
      if (signal.aborted) onAbort();
    });
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

  /** Tells whoever waits; where nobody does, goes on with the call here. */
  async function deliver(executionId: string): Promise<void> {
    const waiter = waiters.get(executionId);
    if (waiter !== undefined) return await tell(executionId, waiter);
    const stored = await store.find(executionId);
    if (stored !== null) await carryOut(stored);
  }

  async function tell(executionId: string, waiter: Waiter): Promise<void> {
    const stored = await store.find(executionId);
    const verdict = stored === null ? null : verdictOf(stored);
    if (verdict === null) waiter.withdrawn();
    else waiter.decided(verdict);
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

  async function decide(actor: Actor, executionId: string, decision: ApprovalDecision): Promise<ApprovalOutcome> {
    if (stopping) throw new AppError("UNAVAILABLE", "The server is stopping: decide again once it is back");
    if (!decision.approved && decision.argumentsText !== undefined) {
      throw new AppError("INVALID", "argumentsText goes only with an approval: leave it out to reject the call");
    }
    const stored = await find(executionId);
    if (stored.status !== "open") return tooLate(stored);
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
      return tooLate(await find(executionId));
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

    /** At start, before anything runs: what earlier processes left is taken up again; nothing of it is lost. */
    async load(): Promise<void> {
      const unasked = await store.interruptUnasked(clock.now());
      if (unasked.length > 0) logger.warn({ executions: unasked }, "Calls that nobody was asked for are interrupted");
      await store.withdrawEnded(clock.now());
      await store.detachAll();
      for (const executionId of await store.undone()) {
        inBackground(deliver(executionId), "Going on with a decided call");
      }
      await sweep();
    },

    /** Decides nothing any more; what is open stays so. */
    stop(): void {
      stopping = true;
      timer.clear();
    },
  };
}

const RETRY_MS = 5_000;
