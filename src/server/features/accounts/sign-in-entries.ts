import type { Principal } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import { type AuditTarget, UNKNOWN_ACTOR } from "../../../lib/contract/audit";
import type { AuditLog } from "../audit/audit-log";
import { getOrigin } from "./access";

export interface SignInEntryPorts {
  audit: AuditLog;
  findUser(email: string): Promise<Actor | null>;
}

export type SignInEntries = ReturnType<typeof createSignInEntries>;

/** Entries of the audit log. */
export function createSignInEntries({ audit, findUser }: SignInEntryPorts) {
  return {
    /** The refusal is the answer, also where this cannot be written. */
    async failure(request: Request, action: string, email: string, error: string): Promise<void> {
      const by = { ...UNKNOWN_ACTOR, token: null, origin: getOrigin(request.headers, "console") };
      await audit
        .record({ by, action, target: email === "" ? null : nameAccount(email), outcome: "denied", error })
        .catch(() => undefined);
    },
    async signIn(request: Request, email: string): Promise<void> {
      const { id, name } = (await findUser(email.trim().toLowerCase())) ?? UNKNOWN_ACTOR;
      const by = { id, name, token: null, origin: getOrigin(request.headers, "console") };
      await audit.record({ by, action: "signIn", target: nameAccount(email), outcome: "done" });
    },
    signOut: (by: Principal): Promise<void> => audit.record({ by, action: "signOut", target: null, outcome: "done" }),
  };
}

/** Users may type their password into the wrong field: a text that is not an address is not kept. */
function nameAccount(email: string): AuditTarget {
  return { kind: "account", name: email.includes("@") ? email.trim().toLowerCase() : "(no e-mail address)" };
}
