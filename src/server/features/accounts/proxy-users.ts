import type { User } from "../../../lib/contract/account";
import { type RequestOrigin, UNKNOWN_ACTOR } from "../../../lib/contract/audit";
import { getMessage } from "../../../lib/get-message";
import type { ProxyUser } from "../../../lib/http-guard/request-headers";
import type { AuditLog } from "../audit/audit-log";
import type { Admission, FindSignedIn } from "./sign-on-admission";

export interface ProxyUserPorts {
  admission: Admission;
  audit: Pick<AuditLog, "record">;
  /** Makes an e-mail address of a name without one; null where the proxy sends addresses. */
  emailDomain: string | null;
  now(): number;
}

/** The account of a user whom a trusted proxy names; null for one who may not sign in. */
export type FindProxyUser = (
  user: ProxyUser,
  origin: RequestOrigin,
  findSignedIn: FindSignedIn,
) => Promise<User | null>;

/** A single name: a header that was sent twice, or holds two names, does not match. */
const NAME = /^[^\s,;@<>"\p{Cc}]{1,120}(?:@[^\s,;@<>"\p{Cc}]{1,120})?$/u;
const REFUSED_FOR_MS = 60_000;
const SIGNED_IN_FOR_MS = 12 * 3_600_000;
const MAX_REMEMBERED = 10_000;

/** Finds and creates accounts by the rules of single sign-on, with an entry in the audit log for each sign-in and refusal. */
export function createProxyUsers({ admission, audit, emailDomain, now }: ProxyUserPorts): FindProxyUser {
  const refused = new Map<string, number>();
  const signedIn = new Map<string, number>();
  /** Requests of a page come together, and the first of them creates the account. */
  const pending = new Map<string, Promise<User | null>>();

  const isWithin = (times: ReadonlyMap<string, number>, key: string, ms: number): boolean => {
    const age = now() - (times.get(key) ?? Number.NEGATIVE_INFINITY);
    return age >= 0 && age < ms;
  };
  const note = (times: Map<string, number>, key: string): void => {
    if (times.size >= MAX_REMEMBERED) times.clear();
    times.set(key, now());
  };

  async function admit({ name, groups }: ProxyUser, origin: RequestOrigin, findSignedIn: FindSignedIn): Promise<User> {
    if (!NAME.test(name)) throw new Error("The proxy's header names no user, or more than one");
    const written = name.includes("@") || emailDomain === null ? name : `${name}@${emailDomain}`;
    const email = written.includes("@") ? written.toLowerCase() : null;
    const subject = `proxy:${email ?? name}`;
    const identity = { subject, email, emailVerified: true, name: null, roles: groups };
    const user = await admission.admit(identity, null, origin, findSignedIn);
    if (!isWithin(signedIn, user.id, SIGNED_IN_FOR_MS)) {
      const by = { id: user.id, name: user.name, token: null, origin };
      const target = { kind: "account", name: user.email };
      await audit.record({ by, action: "signIn", target, outcome: "done", after: { with: "proxy" } });
      note(signedIn, user.id);
    }
    return user;
  }

  async function find(
    user: ProxyUser,
    key: string,
    origin: RequestOrigin,
    findSignedIn: FindSignedIn,
  ): Promise<User | null> {
    try {
      return await admit(user, origin, findSignedIn);
    } catch (error) {
      const by = { ...UNKNOWN_ACTOR, token: null, origin };
      const target = { kind: "account", name: user.name.slice(0, 250) };
      const reason = `A trusted proxy named this user: ${getMessage(error)}`;
      await audit.record({ by, action: "signIn", target, outcome: "denied", error: reason }).catch(() => undefined);
      note(refused, key);
      return null;
    }
  }

  return async (user, origin, findSignedIn) => {
    const key = JSON.stringify(user);
    if (isWithin(refused, key, REFUSED_FOR_MS)) return null;
    const known = pending.get(key);
    if (known !== undefined) return known;
    const finding = find(user, key, origin, findSignedIn).finally(() => pending.delete(key));
    pending.set(key, finding);
    return finding;
  };
}
