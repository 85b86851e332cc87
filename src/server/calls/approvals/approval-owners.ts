import type { Role } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalDecision, ApprovalOutcome } from "../../../lib/contract/approval";
import type { Problem } from "../../../lib/contract/problem";
import { createTopic } from "../../platform/coordination/bulletin";
import type { Instances } from "../../platform/coordination/instances";
import type { SealedBulletin } from "../../platform/coordination/sealed-bulletin";
import { AppError, type AppErrorCode, isAppError } from "../../platform/shared/app-error";
import type { StoredApproval } from "./approval-store";

/** Without a role: an operator, whose rights were checked. `client` is the MCP client that asked. */
export type Decider = Actor & { role?: Role; client?: string };

export interface OwnDecision {
  executionId: string;
  decider: Decider;
  decision: ApprovalDecision;
}

interface Addressed {
  /** The instance of the server that handles it. */
  owner: string;
}

type Decided = { outcome: ApprovalOutcome } | { code: AppErrorCode; message: string; problems: readonly Problem[] };

const DECIDE = createTopic<OwnDecision & Addressed, Decided | undefined>("approvals.decide");
const DELIVER = createTopic<{ executionId: string } & Addressed, true | undefined>("approvals.deliver");
/** An instance that stands still for longer is soon lost. */
const LIMIT_MS = 5_000;

export interface ApprovalOwnerPorts {
  copies: Pick<Instances, "self" | "isLiving">;
  bulletin: SealedBulletin;
}

export type ApprovalOwners = ReturnType<typeof createApprovalOwners>;

/** Reaches the instances of the server in which calls wait: they have the callers and the arguments without masks. */
export function createApprovalOwners({ copies, bulletin }: ApprovalOwnerPorts) {
  const { self } = copies;
  /** Another instance that lives has the call. */
  const isElsewhere = ({ owner }: Pick<StoredApproval, "owner">): boolean =>
    owner !== self.id && copies.isLiving(owner);

  return {
    isElsewhere,

    /** Null where this instance has to decide: it has the call, or the other one does not answer. @throws AppError as the decision there */
    async decide(
      stored: StoredApproval,
      { executionId, decider, decision }: OwnDecision,
    ): Promise<ApprovalOutcome | null> {
      if (!isElsewhere(stored)) return null;
      const { id, name, role, client } = decider;
      const by = { id, name, ...(role === undefined ? {} : { role }), ...(client === undefined ? {} : { client }) };
      const sent = { owner: stored.owner, executionId, decider: by, decision };
      const isEnough = (): boolean => true;
      const [decided] = await bulletin.ask(DECIDE, sent, { limitMs: LIMIT_MS, isEnough });
      if (decided === undefined) return null;
      if ("outcome" in decided) return decided.outcome;
      throw new AppError(decided.code, decided.message, decided.problems);
    },

    /**
     * Lets the owning instance continue a decided call. An instance that does not answer continues the call when it looks
     * again, or leaves it to others when it ends.
     */
    async deliver({ owner, executionId }: StoredApproval): Promise<void> {
      await bulletin.ask(DELIVER, { owner, executionId }, { limitMs: LIMIT_MS, isEnough: () => true });
    },

    onDecide(decide: (decision: OwnDecision) => Promise<ApprovalOutcome | null>): void {
      bulletin.on(DECIDE, async ({ owner, ...decision }) => {
        if (owner !== self.id) return undefined;
        try {
          const outcome = await decide(decision);
          return outcome === null ? undefined : { outcome };
        } catch (error) {
          if (!isAppError(error)) throw error;
          const { code, message, problems } = error;
          return { code, message, problems };
        }
      });
    },

    onDeliver(deliver: (executionId: string) => Promise<void>): void {
      bulletin.on(DELIVER, async ({ owner, executionId }) => {
        if (owner !== self.id) return undefined;
        await deliver(executionId);
        return true;
      });
    },
  };
}
