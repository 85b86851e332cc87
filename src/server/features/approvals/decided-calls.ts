import { CallArguments } from "../../engine/executor/call-arguments";
import type { ApprovalContext } from "./approval-context";
import { ApprovalRetries } from "./approval-retries";
import type { StoredApproval } from "./approval-store";
import { ApprovalWaiters } from "./approval-waiters";
import { callOf, toApprovalResult, withdrawal } from "./approved-call";

export type DecidedCalls = ReturnType<typeof createDecidedCalls>;

/** Continues calls once they are decided: through the caller that waits, or by running them. */
export function createDecidedCalls(context: ApprovalContext) {
  const { store, logger } = context;
  /** Calls that run here at the moment. */
  const running = new Set<string>();
  const retries = new ApprovalRetries({
    everyMs: context.recheckMs,
    withdraw: context.withdraw,
    detach: store.detach,
    deliver: deliverInBackground,
    noteChanges,
    logger,
  });
  const waiters = new ApprovalWaiters({
    store,
    held: context.held,
    withdraw: (executionId) => retries.withdraw(executionId),
    detach: (executionId) => retries.detach(executionId),
    goOn: deliverInBackground,
    onChange: context.onChange,
    onError: (error, what) => logger.error({ err: error }, `${what} failed`),
  });

  function deliverInBackground(executionId: string): void {
    deliver(executionId).catch((error: unknown) => {
      logger.error({ err: error }, "Running a decided call failed; retrying");
      retries.deliverLater(executionId);
    });
  }

  /** Resolves the caller that waits. Where none waits, runs the call. */
  async function deliver(executionId: string): Promise<void> {
    if (waiters.has(executionId)) return await waiters.tell(executionId);
    if (retries.isWithdrawn(executionId) || running.has(executionId)) return;
    const stored = await store.find(executionId);
    if (stored?.waits !== true) return;
    running.add(executionId);
    await run(stored).finally(() => running.delete(executionId));
    context.held.drop(executionId);
  }

  /** Runs an approved call, or ends one that was not, in its own row. No effect where that row no longer waits. */
  async function run(stored: StoredApproval): Promise<void> {
    const verdict = toApprovalResult(stored, context.held);
    const args = context.held.argumentsOf(stored.executionId) ?? CallArguments.parse(stored.argumentsText);
    const envelope = await context.execute(stored.toolName, args, {
      ...callOf(stored),
      ...(verdict === null ? { signal: AbortSignal.abort(withdrawal()) } : { approval: verdict }),
    });
    // Still waiting: the next start continues it.
    if (envelope.status === "interrupted" && context.isStopping) return;
    context.onDecided?.(stored.executionId, stored.runId);
  }

  /** Resolves the callers that wait for what is decided, and could not be told. */
  async function noteChanges(): Promise<void> {
    if (waiters.size === 0) return;
    for (const executionId of await store.settled(waiters.ids)) await waiters.tell(executionId);
  }

  return { retries, waiters, deliver, deliverInBackground, noteChanges };
}
