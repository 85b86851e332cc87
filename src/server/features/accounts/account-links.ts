import {
  type Actor,
  type InvitationInput,
  type LinkKind,
  type LinkPreview,
  type LinkUse,
  type OpenLink,
  type RequestOrigin,
  type Role,
  SYSTEM_ACTOR,
} from "../../../lib/contract";
import { AppError, invalidInput } from "../../shared/app-error";
import type { AuditLog } from "../audit/audit-log";
import type { AuthLibrary } from "./account-ports";
import type { AccountStore, StoredLink } from "./account-store";
import type { ClientGrantStore } from "./client-grant-store";
import { createSecretToken, hashToken } from "./one-time-token";

const DAY_MS = 24 * 60 * 60_000;
const SETUP_DAYS = 1;
const RESET_DAYS = 1;

export interface LinkPorts {
  store: AccountStore;
  /** Null while accounts are off. */
  auth: AuthLibrary | null;
  audit: AuditLog;
  grants: Pick<ClientGrantStore, "revoke">;
  now(): number;
  /** Ends what is remembered of a person's sessions. */
  forget(userId: string): void;
}

/** Names of the use of a link in the audit log. */
const USES: Record<LinkKind, string> = {
  setup: "firstAccount.create",
  invitation: "invitation.accept",
  reset: "password.reset",
};

/** One-time links: to create the first account, to join, and to set a new password. */
export class AccountLinks {
  constructor(private readonly ports: LinkPorts) {}

  /** The secret of a link that creates the first admin; null once there are people. Earlier setup links end. */
  async createSetup(creator: Actor): Promise<string | null> {
    const { store } = this.ports;
    if ((await store.countPeople()) > 0) return null;
    await store.deleteLinks("setup");
    const link = { kind: "setup", email: null, role: "admin", userId: null } as const;
    const token = await this.#create(creator, link, SETUP_DAYS);
    const target = { kind: "invitation", name: "first account" };
    const by = { ...SYSTEM_ACTOR, token: null };
    await this.ports.audit.record({ by, action: "setupLink.create", target, outcome: "done" });
    return token;
  }

  async invite(actor: Actor, { email, role, validDays }: InvitationInput): Promise<string> {
    if (email !== null && (await this.ports.store.findPersonByEmail(email)) !== null) {
      throw new AppError("CONFLICT", `${email} has an account already`, [{ path: "email", message: "has an account" }]);
    }
    return this.#create(actor, { kind: "invitation", email, role, userId: null }, validDays);
  }

  async createReset(actor: Actor, userId: string): Promise<string> {
    const person = await this.ports.store.findPerson(userId);
    if (person === null) throw new AppError("NOT_FOUND", `There is no person '${userId}'`);
    return this.#create(actor, { kind: "reset", email: person.email, role: null, userId }, RESET_DAYS);
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
    const person = link.userId === null ? null : await this.ports.store.findPerson(link.userId);
    const { kind, role, expiresAt } = link;
    return { kind, role, expiresAt, email: link.email, name: person?.name ?? null };
  }

  async #find(token: string): Promise<StoredLink> {
    const link = await this.ports.store.findLink(hashToken(token));
    if (link !== null && link.expiresAt > this.ports.now()) return link;
    throw new AppError("NOT_FOUND", "This link was used, has expired or was withdrawn: ask for a new one");
  }

  /**
   * Creates the account, or sets the password and ends the person's sessions.
   * @returns the address to sign in with
   */
  async use(token: string, input: LinkUse, origin: RequestOrigin): Promise<{ email: string }> {
    const { store, auth, audit } = this.ports;
    if (auth === null) throw new AppError("INVALID", "Accounts are switched off on this server");
    const link = await this.#find(token);
    const { id, email } = await (link.kind === "reset"
      ? this.#resetPassword(auth, token, link, input)
      : this.#join(auth, token, link, input));
    const person = await store.findPerson(id);
    const name = person?.name ?? email;
    await audit.record({
      ...{ by: { id, name, token: null, origin }, action: USES[link.kind], outcome: "done" },
      target: { kind: "person", name: `${name} <${email}>` },
      after: link.kind === "reset" ? undefined : { name, email, role: person?.role, invitedBy: link.creator.name },
    });
    return { email };
  }

  async #resetPassword(auth: AuthLibrary, token: string, link: StoredLink, { password }: LinkUse): Promise<Joined> {
    const { store, grants, forget } = this.ports;
    if (link.userId === null || link.email === null) throw new AppError("NOT_FOUND", "This account was deleted");
    await this.#take(token);
    await auth.setPassword(link.userId, password);
    await store.deleteSessions(link.userId, { except: null });
    await grants.revoke(link.userId, null);
    forget(link.userId);
    return { id: link.userId, email: link.email };
  }

  async #join(auth: AuthLibrary, token: string, link: StoredLink, { name, email, password }: LinkUse): Promise<Joined> {
    const { store } = this.ports;
    const address = link.email ?? email;
    const missing = [
      ...(name === undefined ? [{ path: "name", message: "is required" }] : []),
      ...(address === undefined ? [{ path: "email", message: "is required" }] : []),
    ];
    if (name === undefined || address === undefined) throw invalidInput("", missing);
    if ((await store.findPersonByEmail(address)) !== null) throw hasAccount(address);
    await this.#take(token);
    if (link.kind === "setup" && (await store.countPeople()) > 0) {
      throw new AppError("CONFLICT", "The first account exists already: ask an admin for an invitation");
    }
    const role: Role = link.role ?? "viewer";
    const person = await auth.createPerson({
      ...{ name, email: address, password, role },
      // Who made the link vouches for an address that it names; any other was only typed.
      emailVerified: link.email !== null,
    });
    if (person === null) throw hasAccount(address);
    return { id: person.id, email: address };
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

function hasAccount(email: string): AppError {
  const message = `${email} has an account already: sign in instead`;
  return new AppError("CONFLICT", message, [{ path: "email", message: "has an account already" }]);
}
