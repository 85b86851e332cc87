import type { Role } from "../../../lib/contract/access";
import type { InvitationInput, LinkKind, LinkPreview, LinkUse, OpenLink } from "../../../lib/contract/account";
import { type Actor, isServiceAccount } from "../../../lib/contract/actor";
import { type RequestOrigin, SYSTEM_ACTOR } from "../../../lib/contract/audit";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import type { AuditLog } from "../audit/audit-log";
import type { AccessEndings } from "./access-endings";
import type { AuthLibrary } from "./account-ports";
import type { AccountStore, StoredLink } from "./account-store";
import type { ClientGrantStore } from "./client-grant-store";
import { createSecretToken, hashToken } from "./one-time-token";
import type { TokenStore } from "./token-store";

const DAY_MS = 24 * 60 * 60_000;
const SETUP_DAYS = 1;
const RESET_DAYS = 1;

export interface LinkPorts {
  store: AccountStore;
  /** Null while accounts are off. */
  auth: AuthLibrary | null;
  audit: AuditLog;
  grants: Pick<ClientGrantStore, "revoke">;
  tokens: Pick<TokenStore, "list">;
  /** The provider's name when passwords are switched off; null when passwords may be used. */
  onlySignOn: string | null;
  now(): number;
  endings: Pick<AccessEndings, "endTokens" | "endSessions">;
  /** True where other instances of the server run, which may have created setup links at the same time; absent: there is one process. */
  hasOthers?(): boolean;
  /** Wrong passwords of this account no longer slow down its sign-in. */
  liftThrottle(email: string): Promise<void>;
}

/** Names of the use of a link in the audit log. */
const USES: Record<LinkKind, string> = {
  setup: "firstAccount.create",
  invitation: "invitation.accept",
  reset: "password.reset",
  signIn: "signIn",
};

/** One-time links: to create the first account, to join, and to set a new password. */
export class AccountLinks {
  constructor(private readonly ports: LinkPorts) {}

  /** The secret of a link that creates the first admin; null once there is one. Earlier setup links end. */
  async createSetup(creator: Actor): Promise<string | null> {
    const { store } = this.ports;
    if ((await store.countAdmins()) > 0) return null;
    if (this.ports.hasOthers?.() !== true) await store.deleteLinks({ kind: "setup" });
    const link = { kind: "setup", email: null, role: "admin", userId: null } as const;
    const token = await this.#create(creator, link, SETUP_DAYS);
    const target = { kind: "invitation", name: "first account" };
    const by = { ...SYSTEM_ACTOR, token: null };
    await this.ports.audit.record({ by, action: "setupLink.create", target, outcome: "done" });
    return token;
  }

  async invite(actor: Actor, { email, role, validDays }: InvitationInput): Promise<string> {
    if (email === null && this.ports.onlySignOn !== null) {
      const message = "name the address: it is how the identity provider's people are recognized";
      throw new AppError("INVALID", `E-mail: ${message}`, [{ path: "email", message }]);
    }
    if (email !== null && (await this.ports.store.findUserByEmail(email)) !== null) {
      throw new AppError("CONFLICT", `${email} has an account already`, [{ path: "email", message: "has an account" }]);
    }
    return this.#create(actor, { kind: "invitation", email, role, userId: null }, validDays);
  }

  async createReset(actor: Actor, userId: string): Promise<string> {
    const { store, onlySignOn } = this.ports;
    if (onlySignOn !== null) throw passwordsOff(onlySignOn);
    const user = await store.findUser(userId);
    if (user === null || isServiceAccount(user)) throw new AppError("NOT_FOUND", `There is no user '${userId}'`);
    await store.deleteLinks({ kind: "reset", userId });
    return this.#create(actor, { kind: "reset", email: user.email, role: null, userId }, RESET_DAYS);
  }

  async #create(
    creator: Actor,
    link: Pick<StoredLink, "kind" | "email" | "role" | "userId">,
    days: number,
  ): Promise<string> {
    const { store, now } = this.ports;
    const token = createSecretToken();
    const createdAt = now();
    const expiresAt = createdAt + days * DAY_MS;
    const { id, name } = creator;
    await store.createLink({ ...link, tokenHash: hashToken(token), creator: { id, name }, createdAt, expiresAt });
    return token;
  }

  open(): Promise<OpenLink[]> {
    return this.ports.store.links("invitation");
  }

  async revoke(id: string): Promise<void> {
    if (!(await this.ports.store.takeLink(id))) throw new AppError("NOT_FOUND", "This invitation is no longer open");
  }

  /** @throws AppError with the code NOT_FOUND for a link that was used, has expired or never existed */
  async preview(token: string): Promise<LinkPreview> {
    const link = await this.#find(token);
    const { store, tokens, onlySignOn } = this.ports;
    const { kind, role, expiresAt, email, userId } = link;
    const user = userId === null ? null : await store.findUser(userId);
    const apiTokens = kind === "reset" && userId !== null ? (await tokens.list(userId)).length : 0;
    const password = kind !== "signIn" && onlySignOn === null;
    return { kind, role, expiresAt, email, name: user?.name ?? null, password, apiTokens };
  }

  async #find(token: string): Promise<StoredLink> {
    const link = await this.ports.store.findLink(hashToken(token));
    if (link !== null && link.expiresAt > this.ports.now()) return link;
    throw new AppError("NOT_FOUND", "This link was used, has expired or was withdrawn: ask for a new one");
  }

  /**
   * Creates the account, or sets the password and ends the user's sessions, or says who is to be signed in.
   */
  async use(token: string, input: LinkUse, origin: RequestOrigin): Promise<LinkOutcome> {
    const { store, auth, audit, onlySignOn } = this.ports;
    if (auth === null) throw new AppError("INVALID", "Accounts are switched off on this server");
    const link = await this.#find(token);
    const { id, email } = await this.#apply(auth, token, link, input);
    const user = await store.findUser(id);
    const name = user?.name ?? email;
    await audit.record({
      by: { id, name, token: null, origin },
      action: USES[link.kind],
      outcome: "done",
      target: { kind: "person", name: `${name} <${email}>` },
      after: {
        setup: { name, email, role: user?.role, invitedBy: link.creator.name },
        invitation: { name, email, role: user?.role, invitedBy: link.creator.name },
        reset: { revokedTokens: input.revokeTokens === true },
        signIn: { with: "one-time link" },
      }[link.kind],
    });
    const signsIn = link.kind === "signIn" || (link.kind === "setup" && onlySignOn !== null);
    return { id, email, kind: link.kind, signsIn };
  }

  async #apply(auth: AuthLibrary, token: string, link: StoredLink, input: LinkUse): Promise<Joined> {
    const { onlySignOn } = this.ports;
    if (link.kind === "signIn") return this.#signIn(token, link);
    if (onlySignOn !== null && link.kind !== "setup") throw passwordsOff(onlySignOn);
    if (onlySignOn === null && input.password === undefined) {
      throw invalidInput("", [{ path: "password", message: "is required" }]);
    }
    return link.kind === "reset" ? this.#resetPassword(auth, token, link, input) : this.#join(auth, token, link, input);
  }

  async #signIn(token: string, { userId, email }: StoredLink): Promise<Joined> {
    const user = userId === null ? null : await this.ports.store.findUser(userId);
    if (user === null || email === null) throw new AppError("NOT_FOUND", "This account was deleted");
    await this.#take(token);
    if (user.role === "admin" && user.disabledAt === null) return { id: user.id, email };
    throw new AppError("DENIED", "This link is for admins, and the account is none any more");
  }

  async #resetPassword(auth: AuthLibrary, token: string, link: StoredLink, input: LinkUse): Promise<Joined> {
    const { store, grants, endings, liftThrottle } = this.ports;
    const { userId, email } = link;
    if (userId === null || email === null) throw new AppError("NOT_FOUND", "This account was deleted");
    await this.#take(token);
    // Any other open link could set the password again.
    await store.deleteLinks({ kind: "reset", userId });
    await auth.setPassword(userId, input.password ?? "");
    await grants.revoke(userId, null);
    if (input.revokeTokens === true) await endings.endTokens(userId);
    await endings.endSessions(userId);
    await liftThrottle(email);
    return { id: userId, email };
  }

  async #join(auth: AuthLibrary, token: string, link: StoredLink, { name, email, password }: LinkUse): Promise<Joined> {
    const { store } = this.ports;
    const address = link.email ?? email;
    const missing = [
      ...(name === undefined ? [{ path: "name", message: "is required" }] : []),
      ...(address === undefined ? [{ path: "email", message: "is required" }] : []),
    ];
    if (name === undefined || address === undefined) throw invalidInput("", missing);
    if ((await store.findUserByEmail(address)) !== null) throw hasAccount(address);
    await this.#take(token);
    if (link.kind === "setup" && (await store.countAdmins()) > 0) {
      throw new AppError("CONFLICT", "The first admin exists already: ask for an invitation");
    }
    const role: Role = link.role ?? "viewer";
    const user = await auth.createUser({
      name,
      email: address,
      password: this.ports.onlySignOn === null ? (password ?? null) : null,
      role,
      // The creator of the link vouches for an address that it names, and the first admin decides about all of them; any
      // other was only typed.
      emailVerified: link.email !== null || link.kind === "setup",
    });
    if (user === null) throw hasAccount(address);
    return { id: user.id, email: address };
  }

  async #take(token: string): Promise<void> {
    if (await this.ports.store.takeLink(hashToken(token))) return;
    throw new AppError("NOT_FOUND", "This link was used by someone else at the same time: ask for a new one");
  }
}

interface Joined {
  id: string;
  email: string;
}

export interface LinkOutcome extends Joined {
  kind: LinkKind;
  /** The user is to be signed in without a password. */
  signsIn: boolean;
}

export function passwordsOff(provider: string): AppError {
  return new AppError("INVALID", `Passwords are switched off on this server: people sign in with ${provider}`);
}

function hasAccount(email: string): AppError {
  const message = `${email} has an account already: sign in instead`;
  return new AppError("CONFLICT", message, [{ path: "email", message: "has an account already" }]);
}
