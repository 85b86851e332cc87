import { randomUUID } from "node:crypto";
import { hasRole, type Principal, REQUIREMENTS } from "../../../lib/contract/access";
import type { ApiToken, ApiTokenInput } from "../../../lib/contract/account";
import type { Actor } from "../../../lib/contract/actor";
import { AppError } from "../../platform/shared/app-error";
import { createSecretToken, hashToken } from "./one-time-token";
import type { TokenStore } from "./token-store";

/** Lets secret scanners and our own masking find tokens. */
const TOKEN_PREFIX = "trm_";
const START_CHARS = TOKEN_PREFIX.length + 6;
const DAY_MS = 24 * 60 * 60_000;

export interface TokenServicePorts {
  /** Whether accounts are on. Without accounts no user could own a token. */
  accounts: boolean;
  store: TokenStore;
  /** The greatest age of a new token in days; null for no limit. */
  readMaxDays(): Promise<number | null>;
  now(): number;
  publishChange(userId: string): Promise<void>;
}

const isAdmin = ({ role }: Principal): boolean => hasRole(role, REQUIREMENTS.administer.role);

/** Tokens with which programs act in the name of a user. */
export function createTokenService({ accounts, store, readMaxDays, now, publishChange }: TokenServicePorts) {
  return {
    /** Lists the actor's tokens; an admin sees everyone's. */
    list: (actor: Principal): Promise<ApiToken[]> => store.list(isAdmin(actor) ? null : actor.id),

    /** Null for one that the actor does not see. */
    async find(actor: Principal, id: string): Promise<ApiToken | null> {
      return (await store.list(isAdmin(actor) ? null : actor.id)).find((token) => token.id === id) ?? null;
    },

    /** @param owner the service account that an admin creates it for @returns the token's text, which is shown once */
    async create(
      actor: Principal,
      input: ApiTokenInput,
      owner: Actor = actor,
    ): Promise<{ token: ApiToken; text: string }> {
      if (actor.token !== null) throw new AppError("DENIED", "A token cannot create tokens: sign in as a user");
      if (!accounts) throw new AppError("CONFLICT", "API tokens need accounts: switch them on first");
      const maxDays = await readMaxDays();
      if (maxDays !== null && (input.validDays === null || input.validDays > maxDays)) throw tooOld(maxDays);
      const text = createSecretToken(TOKEN_PREFIX);
      const { validDays, ...chosen } = input;
      const token: ApiToken = {
        ...chosen,
        id: `token_${randomUUID()}`,
        ownerId: owner.id,
        ownerName: owner.name,
        start: text.slice(0, START_CHARS),
        createdAt: now(),
        expiresAt: validDays === null ? null : now() + validDays * DAY_MS,
        lastUsedAt: null,
      };
      await store.create(token, hashToken(text));
      return { token, text };
    },

    async revoke(actor: Principal, id: string): Promise<void> {
      const ownerId = await store.revoke(id, isAdmin(actor) ? null : actor.id, now());
      if (ownerId === null) throw new AppError("NOT_FOUND", "This token was revoked already");
      await publishChange(ownerId);
    },
  };
}

function tooOld(maxDays: number): AppError {
  const message = `must be at most ${maxDays}, the greatest age of API tokens here`;
  return new AppError("INVALID", `validDays ${message}. An admin can change it in Settings → People`, [
    { path: "validDays", message },
  ]);
}
