import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Principal } from "../../../lib/contract/access";
import type { ApprovalItem, ApprovalOutcome } from "../../../lib/contract/approval";
import { AppError } from "../../platform/shared/app-error";

/** A phone in a pocket, and a meeting. */
const VALID_MS = 4 * 60 * 60_000;
const MAX_CHARS = 1_000;

/** The claims of a link: the approver, the call and the webhook. */
interface LinkClaim {
  executionId: string;
  webhookId: string;
  userId: string;
  expiresAt: number;
}

export interface ApprovalLinkStore {
  /** @returns false where it was used before */
  use(id: string, usedAt: number, expiresAt: number): Promise<boolean>;
  /** For a use that decided nothing. */
  release(id: string): Promise<void>;
  isUsed(id: string): Promise<boolean>;
}

/** Signs links, and reads those that it signed. @param key of this installation */
export function createLinkSigner(key: string, now: () => number) {
  const sign = (payload: string): Buffer => createHmac("sha256", key).update(payload).digest();
  return {
    sign({ executionId, webhookId, userId }: Omit<LinkClaim, "expiresAt">): string {
      const claim = [executionId, webhookId, userId, now() + VALID_MS];
      const payload = Buffer.from(JSON.stringify(claim)).toString("base64url");
      return `${payload}.${sign(payload).toString("base64url")}`;
    },
    /** Null for anything that was not signed here. */
    read(token: string): LinkClaim | null {
      const [payload = "", signature = "", ...rest] = token.length > MAX_CHARS ? [] : token.split(".");
      const given = Buffer.from(signature, "base64url");
      const wanted = sign(payload);
      // Base64 has several spellings of the same bytes, of which each would be another link.
      const isExact = rest.length === 0 && signature === wanted.toString("base64url");
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted) || !isExact) return null;
      const [executionId, webhookId, userId, expiresAt] = JSON.parse(Buffer.from(payload, "base64url").toString());
      return { executionId, webhookId, userId, expiresAt };
    },
  };
}

export type LinkSigner = ReturnType<typeof createLinkSigner>;

interface ApprovalLinkPorts {
  signer: LinkSigner;
  store: ApprovalLinkStore;
  now(): number;
  /** The user in whose name links of a webhook decide, with the rights of now; null where they decide no more. */
  findApprover(webhookId: string, userId: string): Promise<Principal | null>;
  /** As this user gets them: with rights checked, and entries in the audit log. */
  approvalsFor(reader: Principal): {
    get(executionId: string): Promise<ApprovalItem>;
    decide(
      by: Principal,
      executionId: string,
      decision: { approved: boolean; reason?: string | undefined; confirmed?: boolean | undefined },
    ): Promise<ApprovalOutcome>;
  };
}

export interface LinkDecision {
  approved: boolean;
  reason?: string | undefined;
  confirmed?: boolean | undefined;
}

export interface LinkView {
  item: ApprovalItem;
  /** The name of the user whose decision it will be. */
  approver: string;
}

/** Decisions by links that webhooks bring: each is for one call and one user, ends, and is used once. */
export function createApprovalLinks({ signer, store, now, findApprover, approvalsFor }: ApprovalLinkPorts) {
  /** @throws AppError that says why the link does nothing */
  async function open(token: string) {
    const claim = signer.read(token);
    if (claim === null) throw new AppError("NOT_FOUND", "This link is not valid: open it again as it was sent");
    if (claim.expiresAt <= now()) throw new AppError("NOT_FOUND", "This link has expired: decide in the console");
    const approver = await findApprover(claim.webhookId, claim.userId);
    if (approver === null)
      throw new AppError("DENIED", "This link was withdrawn: its user may not approve by links any more");
    return { claim, approver, id: createHash("sha256").update(token).digest("base64url") };
  }

  const tooLate = (): AppError => new AppError("CONFLICT", "This link was used before: its decision is recorded");

  return {
    /** Changes nothing: programs that preview addresses may read it. */
    async view(token: string): Promise<LinkView> {
      const { claim, approver, id } = await open(token);
      if (await store.isUsed(id)) throw tooLate();
      return { item: await approvalsFor(approver).get(claim.executionId), approver: approver.name };
    },

    async decide(token: string, decision: LinkDecision): Promise<ApprovalOutcome> {
      const { claim, approver, id } = await open(token);
      if (!(await store.use(id, now(), claim.expiresAt))) throw tooLate();
      let outcome: ApprovalOutcome;
      try {
        outcome = await approvalsFor(approver).decide(approver, claim.executionId, decision);
      } catch (error) {
        await store.release(id);
        throw error;
      }
      // Nothing is decided: it asks for a confirmation, or another user has to decide.
      if (!outcome.decided && outcome.status === "open") await store.release(id);
      return outcome;
    },
  };
}
