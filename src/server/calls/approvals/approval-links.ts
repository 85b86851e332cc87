import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Principal } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalItem, ApprovalLinkUse, ApprovalOutcome } from "../../../lib/contract/approval";
import { findApproverRule } from "../../../lib/contract/approver";
import type { RequestOrigin } from "../../../lib/contract/audit";
import { AppError } from "../../platform/shared/app-error";

/** A phone in a pocket, and a meeting. */
const VALID_MS = 4 * 60 * 60_000;
const MAX_CHARS = 1_000;

/** A notice of a use is kept this long for the approver. */
const KEPT_MS = 30 * 24 * 60 * 60_000;
const MAX_SHOWN_USES = 20;

/** The claims of a link: the approver, the call and the webhook. */
interface LinkClaim {
  executionId: string;
  webhookId: string;
  userId: string;
  issuedAt: number;
}

export interface ApprovalLinkStore {
  /** @returns false where it was used before */
  use(id: string, usedAt: number, expiresAt: number): Promise<boolean>;
  /** Allows another use, after one that decided nothing. */
  release(id: string): Promise<void>;
  isUsed(id: string): Promise<boolean>;
  /** Stores the decision of a use, for the notice to the approver. */
  note(id: string, use: Omit<ApprovalLinkUse, "id" | "usedAt"> & { userId: string }, keptUntil: number): Promise<void>;
  /** The newest first, without those that the approver has dismissed. */
  listUnseen(userId: string, limit: number): Promise<ApprovalLinkUse[]>;
  markSeen(userId: string, seenAt: number): Promise<void>;
}

/** Signs links, and reads those that it signed. @param key of this installation */
export function createLinkSigner(key: string) {
  const sign = (payload: string): Buffer => createHmac("sha256", key).update(payload).digest();
  return {
    /** Signs a claim. The same claim gives the same link, so that the link need not be stored. */
    sign({ executionId, webhookId, userId, issuedAt }: LinkClaim): string {
      const claim = [executionId, webhookId, userId, issuedAt + VALID_MS];
      const payload = Buffer.from(JSON.stringify(claim)).toString("base64url");
      return `${payload}.${sign(payload).toString("base64url")}`;
    },
    /** Null for a text that this server did not sign. */
    read(token: string): LinkClaim | null {
      const [payload = "", signature = "", ...rest] = token.length > MAX_CHARS ? [] : token.split(".");
      const given = Buffer.from(signature, "base64url");
      const wanted = sign(payload);
      // Base64 has several spellings of the same bytes, of which each would be another link.
      const isExact = rest.length === 0 && signature === wanted.toString("base64url");
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted) || !isExact) return null;
      const [executionId, webhookId, userId, expiresAt] = JSON.parse(Buffer.from(payload, "base64url").toString());
      return { executionId, webhookId, userId, issuedAt: expiresAt - VALID_MS };
    },
  };
}

export type LinkSigner = ReturnType<typeof createLinkSigner>;

interface ApprovalLinkPorts {
  signer: LinkSigner;
  store: ApprovalLinkStore;
  now(): number;
  /**
   * The user in whose name links of a webhook decide, with current rights; null where they no longer decide.
   * @param issuedAt when the link was made: a link from before the approver confirmed the channel is void
   */
  findApprover(webhookId: string, userId: string, issuedAt: number): Promise<Principal | null>;
  /** Whether this server's database is a copy: the call may wait at the original too. */
  isPaused(): boolean;
  /** The approvals of this user: checks rights and writes entries in the audit log. */
  approvalsFor(reader: Principal): {
    get(executionId: string): Promise<ApprovalItem>;
    decide(
      by: Principal,
      executionId: string,
      decision: { approved: boolean; reason?: string | undefined; confirmed?: boolean | undefined },
    ): Promise<ApprovalOutcome>;
  };
  /** Called after a use: open pages of the approver show it, and the webhook's receiver gets an event. */
  onUsed(use: { webhookId: string; userId: string; use: Omit<ApprovalLinkUse, "id"> }): void;
}

export interface LinkDecision {
  approved: boolean;
  reason?: string | undefined;
  confirmed?: boolean | undefined;
}

/** The user who opens a link. */
export interface LinkVisitor {
  /** The user who is signed in in this browser; null for a visitor without a session. */
  userId: string | null;
  origin: RequestOrigin;
}

export interface LinkView {
  item: ApprovalItem;
  /** The name of the user whose decision it will be. */
  approver: string;
}

/** Decisions by links that webhooks bring: each is for one call and one user, ends, and is used once. */
export function createApprovalLinks(ports: ApprovalLinkPorts) {
  const { signer, store, now, findApprover, isPaused, approvalsFor } = ports;

  /** @throws AppError that says why the link has no effect */
  async function open(token: string, { userId, origin }: LinkVisitor) {
    const claim = signer.read(token);
    if (claim === null) throw new AppError("NOT_FOUND", "This link is not valid: open it again as it was sent");
    if (isPaused()) {
      throw new AppError(
        "CONFLICT",
        "This Toolroom is a paused copy: decide where the link was sent from, or in its console",
      );
    }
    if (claim.issuedAt + VALID_MS <= now())
      throw new AppError("NOT_FOUND", "This link has expired: decide in the console");
    const found = await findApprover(claim.webhookId, claim.userId, claim.issuedAt);
    if (found === null)
      throw new AppError("DENIED", "This link was withdrawn: its user may not approve by links any more");
    const approver: Principal = { ...found, origin };
    const id = createHash("sha256").update(token).digest("base64url");
    const item = await approvalsFor(approver).get(claim.executionId);
    // The rule asks for another user than the requester: a link that was passed on does not prove who opens it.
    const needsSignIn = findApproverRule(item.mode)?.notRequester === true;
    if (needsSignIn && userId !== approver.id) {
      throw new AppError(
        "UNAUTHENTICATED",
        `The rule of this call is about another user: sign in as ${approver.name} to decide`,
      );
    }
    return { claim, approver, id, item };
  }

  const tooLate = (): AppError => new AppError("CONFLICT", "This link was used before: its decision is recorded");

  async function noteUse(
    { claim, id, item }: Awaited<ReturnType<typeof open>>,
    { origin }: LinkVisitor,
    status: ApprovalOutcome["status"],
  ): Promise<void> {
    const { executionId, webhookId, userId } = claim;
    const use = { executionId, toolName: item.toolName, status, address: origin.address };
    await store.note(id, { ...use, userId }, now() + KEPT_MS);
    ports.onUsed({ webhookId, userId, use: { ...use, usedAt: now() } });
  }

  return {
    /** Changes nothing: programs that preview addresses may read it. */
    async view(token: string, visitor: LinkVisitor): Promise<LinkView> {
      const { approver, id, item } = await open(token, visitor);
      if (await store.isUsed(id)) throw tooLate();
      return { item, approver: approver.name };
    },

    async decide(token: string, decision: LinkDecision, visitor: LinkVisitor): Promise<ApprovalOutcome> {
      const link = await open(token, visitor);
      const { claim, approver, id } = link;
      if (!(await store.use(id, now(), claim.issuedAt + VALID_MS))) throw tooLate();
      let outcome: ApprovalOutcome;
      try {
        outcome = await approvalsFor(approver).decide(approver, claim.executionId, decision);
      } catch (error) {
        await store.release(id);
        throw error;
      }
      // The link stays usable where nothing is decided: the decision needs a confirmation, or another user.
      if (!outcome.decided && outcome.status === "open") await store.release(id);
      if (outcome.decided) await noteUse(link, visitor, outcome.status);
      return outcome;
    },
  };
}

/** The notices of decisions by links, for the user in whose name they were made. */
export function createLinkUses({ store, now }: Pick<ApprovalLinkPorts, "store" | "now">) {
  return {
    linkUses: (actor: Actor): Promise<ApprovalLinkUse[]> => store.listUnseen(actor.id, MAX_SHOWN_USES),
    dismissLinkUses: (actor: Actor): Promise<void> => store.markSeen(actor.id, now()),
  };
}
