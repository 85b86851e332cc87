import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalMode } from "../../../lib/contract/approval";
import { type ApproverRule, findApproverRule, joinModes } from "../../../lib/contract/approver";
import type { Clock } from "../../engine/ports";
import { AppError } from "../../platform/shared/app-error";
import type { ApprovalDecisionRecord, ApprovalStore, StoredApproval } from "./approval-store";

export interface ApprovalRequestPorts {
  store: ApprovalStore;
  clock: Clock;
  /** The approval setting of a name, in the catalog or not. */
  getMode: (toolName: string) => ApprovalMode | null;
  /** Whether accounts are on. Without accounts there is one user, who may approve everything. */
  accounts: boolean;
  /** Called after a request arrived, was decided or ended. */
  onChange: () => void;
}

export type ApprovalRequests = ReturnType<typeof createApprovalRequests>;

/** The requests in the database. It alone writes them, so that every write reaches open pages. */
export function createApprovalRequests({ store, clock, getMode, accounts, onChange }: ApprovalRequestPorts) {
  async function announce(write: Promise<boolean>): Promise<boolean> {
    const changed = await write;
    if (changed) onChange();
    return changed;
  }
  const decide = (decision: Omit<ApprovalDecisionRecord, "decidedAt">): Promise<boolean> =>
    announce(store.decide({ ...decision, decidedAt: clock.now() }));
  const { open, adopt, countOpen, settled, capExpiry, nextExpiry, undone, openAlike, findAllowance, allowances } =
    store;

  return {
    open,
    adopt,
    countOpen,
    settled,
    capExpiry,
    nextExpiry,
    undone,
    openAlike,
    findAllowance,
    allowances,
    decide,
    list: store.list,
    findStored: store.find,
    /** @throws AppError for an execution without a request */
    async find(executionId: string): Promise<StoredApproval> {
      const stored = await store.find(executionId);
      if (stored === null) throw new AppError("NOT_FOUND", `No approval was requested for execution '${executionId}'`);
      return stored;
    },
    expired: (): Promise<string[]> => store.expired(clock.now()),
    /** Lets a request stay without its caller. False where it was decided before. */
    detach: (executionId: string): Promise<boolean> => announce(store.detach(executionId)),
    /** Closes an open request as withdrawn. False when it was decided before. */
    withdraw: (executionId: string, by: Actor | null = null): Promise<boolean> =>
      decide({ executionId, status: "withdrawn", by, reason: null }),
    /** Its MCP client asks its user too, or no longer. False when it is no longer open. */
    noteAsked: (executionId: string, client: string | null): Promise<boolean> =>
      announce(store.noteAsked(executionId, client)),
    withdrawEnded: (): Promise<boolean> => announce(store.withdrawEnded(clock.now())),
    allow: (executionId: string): Promise<boolean> => announce(store.allow(executionId)),
    revoke: (executionId: string, by: Actor): Promise<boolean> => announce(store.revoke(executionId, by, clock.now())),
    /** Marks requests of ended processes, whose callers no longer wait. @returns calls that have no request */
    async abandon(): Promise<string[]> {
      const unasked = await store.interruptUnasked(clock.now());
      const withdrawn = await store.withdrawEnded(clock.now());
      const detached = await store.detachLost();
      if (withdrawn || detached) onChange();
      return unasked;
    },
    /** The rule that says who may approve a call, from the setting when it was made and the current one; null for any operator. */
    findRule: ({ toolName, mode }: Pick<StoredApproval, "toolName" | "mode">): ApproverRule | null =>
      accounts ? findApproverRule(joinModes(mode, getMode(toolName))) : null,
  };
}
