import type { ApprovalItem, ApprovalPage } from "../../../lib/contract/approval";
import type { ApprovalAsk, ApprovalBroker } from "../../engine/approvals/approval-ports";
import { type ApprovalServicePorts, createApprovalContext } from "./approval-context";
import { createApprovalDecisions } from "./approval-decisions";
import { createApprovalJobs } from "./approval-jobs";
import type { StoredApproval } from "./approval-store";
import { itemOf, withCatalogue } from "./approved-call";
import { createDecidedCalls } from "./decided-calls";
import { createRunAllowances } from "./run-allowances";

export type ApprovalService = ReturnType<typeof createApprovalService>;

/** The inbox of calls that wait for a person. Requests live in the database; only waiting callers are in memory. */
export function createApprovalService(ports: ApprovalServicePorts) {
  const { store, clock, logger } = ports;
  const context = createApprovalContext(ports);
  const calls = createDecidedCalls(context);
  const jobs = createApprovalJobs(context, calls);
  const { apply, ...allowances } = createRunAllowances(context);

  /** The request of a call that waits. Usually the journal has stored it together with the call's row. */
  async function open({ executionId, definition: { name: toolName } }: ApprovalAsk): Promise<StoredApproval> {
    let stored = await store.find(executionId);
    if (stored === null) {
      const requestedAt = clock.now();
      const mode = ports.modeOf(toolName);
      await store.open({ executionId, requestedAt, expiresAt: requestedAt + ports.expiryMs, mode });
      stored = await store.find(executionId);
    }
    if (stored === null) throw new Error(`execution ${executionId} is not stored`);
    stored = await apply(stored);
    if (stored.status === "open") {
      if (stored.detached) await store.adopt(executionId);
      jobs.schedule().catch((error: unknown) => {
        logger.error({ err: error }, "Scheduling the expiry of an approval failed");
      });
    }
    return stored;
  }

  const broker: ApprovalBroker = {
    required: ports.required,
    modeOf: ports.modeOf,
    expiryMs: ports.expiryMs,
    ask: (request, signal) => calls.waiters.wait(request, signal, () => open(request)),
  };

  return {
    broker,
    ...createApprovalDecisions(context, calls, jobs.expireDue),
    ...allowances,

    async list(status: "open" | "decided", cursor: number | undefined, limit: number): Promise<ApprovalPage> {
      const { items, nextCursor } = await store.list(status, cursor, limit);
      return { items: items.map((item) => withCatalogue(item, ports)), nextCursor };
    },

    async get(executionId: string): Promise<ApprovalItem> {
      const stored = await context.find(executionId);
      return itemOf(stored, ports);
    },

    count: async (): Promise<{ open: number }> => ({ open: await store.countOpen() }),

    /** At start, before anything runs: continues what an earlier process left. */
    async load(): Promise<void> {
      const unasked = await store.interruptUnasked(clock.now());
      if (unasked.length > 0)
        logger.warn({ executions: unasked }, "Calls without a stored approval request are interrupted");
      await store.withdrawEnded(clock.now());
      await store.detachAll();
      for (const executionId of await store.undone()) calls.deliverInBackground(executionId);
      await jobs.expireDue();
      await jobs.schedule();
    },

    /** Stops deciding; open requests stay open. */
    stop(): void {
      context.isStopping = true;
      calls.retries.stop();
    },
  };
}
