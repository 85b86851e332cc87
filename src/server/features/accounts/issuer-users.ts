import type { Scope } from "../../../lib/contract/access";
import type { User } from "../../../lib/contract/account";
import type { RequestOrigin } from "../../../lib/contract/audit";
import { readMcpScopes } from "../../../lib/contract/connected-client";
import type { ProvenToken } from "../../../lib/contract/proven-identity";
import type { AuditLog } from "../audit/audit-log";
import type { AuthLibrary } from "./account-ports";
import type { AccountStore } from "./account-store";
import type { Admission } from "./sign-on-admission";

export interface IssuerUserPorts {
  /** @throws Error that says what is wrong with the token */
  check(token: string): Promise<ProvenToken>;
  /** By issuer: which users may sign in, and with which role. */
  admissions: ReadonlyMap<string, Admission>;
  auth: Pick<AuthLibrary, "findIdentity">;
  store: Pick<AccountStore, "findUser">;
  audit: Pick<AuditLog, "record">;
  /** Called with each token that lets its user in. */
  onAdmitted?: (user: string, token: string, proven: ProvenToken) => void;
  now(): number;
}

/** The user of a JWT, and what the token allows. */
export interface IssuerUser {
  user: User;
  issuer: string;
  audiences: readonly string[];
  scopes: Scope[];
  endsAt: number;
}

export type FindIssuerUser = (token: string, origin: RequestOrigin) => Promise<IssuerUser>;

export interface IssuerUsers {
  find: FindIssuerUser;
  /** The account of the user whom a checked token names. @throws Error for one who may not come in */
  admit(proven: ProvenToken, origin: RequestOrigin): Promise<User>;
}

/** A compact JWS; requests with longer ones do not get through common proxies. */
const COMPACT = /^[\w-]{10,4000}\.[\w-]{2,8000}\.[\w-]{10,2000}$/;

export const isCompactToken = (text: string): boolean => COMPACT.test(text);

/** The prefix of token ids in principals. */
export const ISSUER_TOKEN = "issuer ";
/** What a JWT allows that names no scope of ours: what an MCP client may be granted. */
const USUAL_SCOPES: Scope[] = ["read", "run"];
const SIGNED_IN_FOR_MS = 12 * 3_600_000;
const MAX_REMEMBERED = 10_000;

/** Finds and creates accounts by the JWTs of trusted issuers, with the rules of single sign-on. */
export function createIssuerUsers(ports: IssuerUserPorts): IssuerUsers {
  const { check, admissions, auth, store, audit, onAdmitted, now } = ports;
  /** By user: when the newest token that was seen was issued. Its claims decide the role, not those of one before it. */
  const newest = new Map<string, number>();
  const signedIn = new Map<string, number>();
  /** Parallel requests share the promise, since the first of them creates the account. */
  const pending = new Map<string, Promise<User>>();

  async function admit({ issuer, identity, issuedAt }: ProvenToken, origin: RequestOrigin): Promise<User> {
    const admission = admissions.get(issuer);
    if (admission === undefined) throw new Error("This token is not accepted: its issuer is not trusted here");
    const owner = await auth.findIdentity(identity.subject);
    const known = owner !== null && issuedAt < (newest.get(owner) ?? 0) ? await store.findUser(owner) : null;
    const user = known ?? (await admission.admit(identity, null, origin));
    if (known === null) remember(newest, user.id, issuedAt);
    if (user.disabledAt !== null) throw new Error("The account is switched off");
    const age = now() - (signedIn.get(user.id) ?? Number.NEGATIVE_INFINITY);
    if (age >= 0 && age < SIGNED_IN_FOR_MS) return user;
    const by = { id: user.id, name: user.name, token: null, origin };
    const target = { kind: "account", name: user.email };
    await audit.record({ by, action: "signIn", target, outcome: "done", after: { with: formatIssuer(issuer) } });
    remember(signedIn, user.id, now());
    return user;
  }

  async function admitInTurn(proven: ProvenToken, origin: RequestOrigin): Promise<User> {
    const { subject } = proven.identity;
    const before = pending.get(subject) ?? Promise.resolve();
    const own = before.catch(() => undefined).then(() => admit(proven, origin));
    pending.set(subject, own);
    try {
      return await own;
    } finally {
      if (pending.get(subject) === own) pending.delete(subject);
    }
  }

  async function find(token: string, origin: RequestOrigin): Promise<IssuerUser> {
    const proven = await check(token);
    const user = await admitInTurn(proven, origin);
    onAdmitted?.(user.id, token, proven);
    const scopes = readMcpScopes(proven.scopes);
    return {
      user,
      issuer: proven.issuer,
      audiences: proven.audiences,
      scopes: scopes.length === 0 ? USUAL_SCOPES : scopes,
      endsAt: proven.expiresAt,
    };
  }

  return { find, admit: admitInTurn };
}

/** The issuer as users read it. */
export const formatIssuer = (issuer: string): string => new URL(issuer).host;

function remember(times: Map<string, number>, key: string, at: number): void {
  if (times.size >= MAX_REMEMBERED) times.clear();
  times.set(key, at);
}
