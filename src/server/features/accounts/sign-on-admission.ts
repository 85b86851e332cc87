import type { Role } from "../../../lib/contract/access";
import type { User } from "../../../lib/contract/account";
import type { RequestOrigin } from "../../../lib/contract/audit";
import type { ProvenIdentity } from "../../../lib/contract/proven-identity";
import type { SignOnProblem } from "../../../lib/contract/sign-on-problem";
import { AppError } from "../../platform/shared/app-error";
import type { AuditLog } from "../audit/audit-log";
import type { AccessEndings } from "./access-endings";
import type { AuthLibrary } from "./account-ports";
import type { AccountStore, UserByEmail } from "./account-store";

/** The rules for who may sign in with the identity provider, and with which role. */
export interface AdmissionRules {
  /** Roles by value of the claim; null where roles are given in Toolroom. */
  roleOf: ReadonlyMap<string, Role> | null;
  /** The role of users without one; null admits invited users only, or those whose claim gives a role. */
  defaultRole: Role | null;
  /** The allowed domains; empty for all. */
  emailDomains: readonly string[];
  /**
   * An account whose address someone else than its user vouches for is that user's: for a proxy, which decides alone who comes
   * in. One whose address was only typed is connected in a browser that is signed in to it.
   */
  linksByAddress?: boolean;
}

export interface SignOnPorts {
  rules: AdmissionRules;
  store: AccountStore;
  auth: Pick<AuthLibrary, "findIdentity" | "addIdentity" | "createUser">;
  audit: Pick<AuditLog, "record">;
  now(): number;
  endings: Pick<AccessEndings, "endAll" | "endGrants">;
}

export class SignOnRefusal extends AppError {
  constructor(
    readonly problem: SignOnProblem,
    message: string,
  ) {
    super("DENIED", message);
  }
}

const RANK: readonly Role[] = ["viewer", "operator", "editor", "admin"];

/** Null where the claim decides nothing. @throws SignOnRefusal where it has to and gives no role */
function claimedRole({ roleOf, defaultRole }: AdmissionRules, { roles }: ProvenIdentity): Role | null {
  if (roleOf === null) return null;
  const given = roles.flatMap((value) => roleOf.get(value) ?? []);
  const best = RANK.findLast((role) => given.includes(role)) ?? defaultRole;
  if (best !== null) return best;
  throw new SignOnRefusal("no-role", "The identity provider gives this user no role");
}

function checkAddress({ emailDomains }: AdmissionRules, { email, emailVerified }: ProvenIdentity): string {
  if (email === null) throw new SignOnRefusal("no-email", "The identity provider gave no e-mail address");
  if (!emailVerified)
    throw new SignOnRefusal("unverified", "The identity provider has not verified the e-mail address");
  if (emailDomains.length > 0 && !emailDomains.includes(email.slice(email.lastIndexOf("@") + 1))) {
    throw new SignOnRefusal("domain", "The domain of the e-mail address is not allowed");
  }
  return email;
}

/** Entries of the audit log about the user who signs in. */
function createRecorder({ audit }: Pick<SignOnPorts, "audit">) {
  return async (
    { id, name, email }: User,
    origin: RequestOrigin,
    action: string,
    after: object | undefined,
    more: { outcome?: "failed"; error?: string; before?: object } = {},
  ): Promise<void> => {
    const target = { kind: "person", name: `${name} <${email}>` };
    await audit.record({ by: { id, name, token: null, origin }, action, target, outcome: "done", after, ...more });
  };
}

/** The account whose session the request of a proven identity has; null for none. */
export type FindSignedIn = () => Promise<string | null>;

const NOT_SIGNED_IN: FindSignedIn = async () => null;

/**
 * Decides who a proven identity is here. An identity is linked to an account that it created, or that its signed-in owner
 * connected; never by an address that was only typed, since the user who created the account may have entered the address of another user.
 */
export function createAdmission(ports: SignOnPorts) {
  const { rules, store, auth, now } = ports;
  const record = createRecorder(ports);

  /** The connected user keeps the password, and gets no role by the claim until the next sign-in. */
  async function connect(identity: ProvenIdentity, user: User, origin: RequestOrigin): Promise<User> {
    checkAddress(rules, identity);
    const owner = await auth.findIdentity(identity.subject);
    if (owner !== null && owner !== user.id) {
      throw new SignOnRefusal("taken", "This identity belongs to another account");
    }
    if (owner === null) await auth.addIdentity(user.id, identity.subject);
    await record(user, origin, "signOn.connect", { identity: identity.email });
    return user;
  }

  async function link(user: User, identity: ProvenIdentity, origin: RequestOrigin): Promise<User> {
    assertActive(user);
    const admitted = await applyClaim(user, identity, origin);
    await auth.addIdentity(user.id, identity.subject);
    await record(user, origin, "signOn.connect", { identity: identity.email });
    return admitted;
  }

  function assertActive({ disabledAt }: User): void {
    if (disabledAt === null || disabledAt > now()) return;
    throw new SignOnRefusal("disabled", "The account is switched off");
  }

  async function linkByAddress(
    { emailVerified, provisioned: _provisioned, ...person }: UserByEmail,
    identity: ProvenIdentity,
    origin: RequestOrigin,
    findSignedIn: FindSignedIn,
  ): Promise<User> {
    if (emailVerified || (await findSignedIn()) === person.id) return link(person, identity, origin);
    const reason = "The address of this account was only typed when it was created";
    throw new SignOnRefusal("has-account", `${reason}: its owner signs in to it once in the same browser`);
  }

  async function join(identity: ProvenIdentity, origin: RequestOrigin, findSignedIn: FindSignedIn): Promise<User> {
    const email = checkAddress(rules, identity);
    const known = await store.findUserByEmail(email);
    // The provider created the account itself, for this address.
    if (known !== null && (rules.linksByAddress === true || known.provisioned)) {
      return linkByAddress(known, identity, origin, findSignedIn);
    }
    if (known !== null) {
      throw new SignOnRefusal("has-account", "The address has an account that is not connected to single sign-on");
    }
    const claimed = claimedRole(rules, identity);
    const invitation = (await store.links("invitation")).find((link) => link.email === email);
    const role = claimed ?? invitation?.role ?? rules.defaultRole;
    if (role === null) throw new SignOnRefusal("not-invited", "This user was not invited");
    if (invitation !== undefined && !(await store.takeLink(invitation.id))) {
      throw new SignOnRefusal("expired", "The invitation was used or withdrawn at the same time");
    }
    const name = identity.name ?? email.slice(0, email.indexOf("@"));
    const created = await auth.createUser({ email, name, role, password: null, emailVerified: true });
    if (created === null) throw new SignOnRefusal("has-account", "The address has an account");
    await auth.addIdentity(created.id, identity.subject);
    const user = await store.findUser(created.id);
    if (user === null) throw new SignOnRefusal("failed", "The new account was removed at the same time");
    const invitedBy = invitation?.creatorName ?? null;
    await record(user, origin, "signOn.join", { name, email, role, invitedBy });
    return user;
  }

  async function applyClaim(user: User, identity: ProvenIdentity, origin: RequestOrigin): Promise<User> {
    const role = claimedRole(rules, identity);
    if (role === null || role === user.role) return user;
    const before = { role: user.role };
    if (!(await store.updateUser(user.id, { role }))) {
      const error = "The claim would demote the last admin: the role stays";
      await record(user, origin, "signOn.setRole", undefined, { outcome: "failed", error, before });
      return user;
    }
    await ports.endings.endGrants(user.id, { links: role !== "admin" });
    await record(user, origin, "signOn.setRole", { role }, { before });
    return { ...user, role };
  }

  /** Ends what an earlier sign-in gave a user who may no longer sign in: the provider would not be asked again. */
  async function endAccess(user: User, origin: RequestOrigin, refusal: SignOnRefusal): Promise<void> {
    const ended = await ports.endings.endAll(user.id);
    await record(user, origin, "signOn.endAccess", { reason: refusal.message, ...ended });
  }

  async function admit(
    identity: ProvenIdentity,
    connectTo: string | null,
    origin: RequestOrigin,
    findSignedIn: FindSignedIn,
  ): Promise<User> {
    if (connectTo !== null) {
      const user = await store.findUser(connectTo);
      if (user === null) throw new SignOnRefusal("expired", "The account to connect was removed");
      return connect(identity, user, origin);
    }
    const owner = await auth.findIdentity(identity.subject);
    if (owner === null) return join(identity, origin, findSignedIn);
    const user = await store.findUser(owner);
    if (user === null) throw new SignOnRefusal("failed", "The account was removed at the same time");
    assertActive(user);
    try {
      checkAddress(rules, identity);
      return await applyClaim(user, identity, origin);
    } catch (error) {
      if (error instanceof Error && "problem" in error) await endAccess(user, origin, error as SignOnRefusal);
      throw error;
    }
  }

  return {
    /** @param connectTo the signed-in user who connects the identity; null to sign in @throws SignOnRefusal */
    async admit(
      identity: ProvenIdentity,
      connectTo: string | null,
      origin: RequestOrigin,
      findSignedIn: FindSignedIn = NOT_SIGNED_IN,
    ): Promise<User> {
      const user = await admit(identity, connectTo, origin, findSignedIn);
      await store.markSeenAtProvider(user.id, now());
      return user;
    },
  };
}

export type Admission = ReturnType<typeof createAdmission>;
