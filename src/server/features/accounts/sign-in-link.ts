import type { User } from "../../../lib/contract/account";
import { SYSTEM_ACTOR } from "../../../lib/contract/audit";
import type { AuditLog } from "../audit/audit-log";
import type { AccountStore } from "./account-store";
import { createSecretToken, hashToken } from "./one-time-token";

const VALID_MS = 30 * 60_000;

export interface SignInLinkPorts {
  store: Pick<AccountStore, "createLink" | "deleteLinks">;
  audit: Pick<AuditLog, "record">;
  now(): number;
}

/** The secret of a link that signs an admin in without a password; earlier ones of the user end. */
export async function createSignInLink(
  { store, audit, now }: SignInLinkPorts,
  { id: userId, name, email }: User,
): Promise<string> {
  const token = createSecretToken();
  const createdAt = now();
  const creator = { id: SYSTEM_ACTOR.id, name: SYSTEM_ACTOR.name };
  await store.deleteLinks({ kind: "signIn", userId });
  const times = { createdAt, expiresAt: createdAt + VALID_MS };
  await store.createLink({ kind: "signIn", email, role: null, userId, creator, tokenHash: hashToken(token), ...times });
  const target = { kind: "person", name: `${name} <${email}>` };
  const by = { ...SYSTEM_ACTOR, token: null };
  await audit.record({ by, action: "signInLink.create", target, outcome: "done" });
  return token;
}
