import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalItem, ApprovalPage, RunAllowance } from "../../../lib/contract/approval";
import { type ApprovalDecisionPorts, createApprovalDecisions } from "./approval-decisions";
import { type ApprovalLinkStore, createLinkUses } from "./approval-links";
import { type CatalogPorts, toItem, withCatalog } from "./approved-call";
import { createDecidedCalls, type DecidedCallPorts } from "./decided-calls";

export type ApprovalServicePorts = DecidedCallPorts &
  Omit<ApprovalDecisionPorts, "calls"> &
  CatalogPorts & { links: ApprovalLinkStore };

/** The inbox of calls that wait for a user. Requests live in the database; only waiting callers are in memory. */
export function createApprovalService(ports: ApprovalServicePorts) {
  const { requests } = ports.desk;
  const calls = createDecidedCalls(ports);
  return {
    ...createApprovalDecisions({ ...ports, calls }),
    ...createLinkUses({ store: ports.links, now: ports.clock.now }),
    load: calls.load,
    settleLost: calls.settleLost,
    followClock: calls.followClock,
    stop: calls.stop,

    async list(status: "open" | "decided", cursor: number | undefined, limit: number): Promise<ApprovalPage> {
      const { items, nextCursor } = await requests.list(status, cursor, limit);
      return { items: items.map((item) => withCatalog(item, ports)), nextCursor };
    },

    async get(executionId: string): Promise<ApprovalItem> {
      return toItem(await requests.find(executionId), ports);
    },

    count: async (): Promise<{ open: number }> => ({ open: await requests.countOpen() }),

    /** The tools that are always allowed in a run. */
    allowances: async (runId: string): Promise<{ items: RunAllowance[] }> => ({
      items: await requests.allowances(runId),
    }),

    /** Later calls need approval again. False where it was revoked before. */
    revokeAllowance: async ({ id, name }: Actor, executionId: string): Promise<{ revoked: boolean }> => ({
      revoked: await requests.revoke(executionId, { id, name }),
    }),
  };
}
