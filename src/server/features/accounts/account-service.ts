import type { Role } from "../../../lib/contract/access";
import type { InvitationInput, OpenLink, User, UserSession } from "../../../lib/contract/account";
import { type Actor, isServiceAccount } from "../../../lib/contract/actor";
import type { ConnectedClient, ConsentRequest } from "../../../lib/contract/connected-client-schema";
import { AppError } from "../../platform/shared/app-error";
import type { AccessEndings } from "./access-endings";
import { type AccountLinks, passwordsOff } from "./account-links";
import type { AuthLibrary } from "./account-ports";
import type { AccountStore } from "./account-store";
import type { ClientGrantStore } from "./client-grant-store";
import type { ClientMetadata } from "./client-metadata";
import type { SignInThrottle } from "./sign-in-throttle";

export interface AccountServicePorts {
  store: AccountStore;
  /** Null while accounts are off. */
  auth: AuthLibrary | null;
  links: AccountLinks;
  grants: Pick<ClientGrantStore, "findClient" | "list" | "revoke">;
  /** Null where MCP clients cannot sign in. */
  clientMetadata: Pick<ClientMetadata, "readConsent"> | null;
  throttle: SignInThrottle;
  /** Clears the throttle of an account. */
  liftThrottle(email: string): Promise<void>;
  endings: AccessEndings;
  /** The provider's name when passwords are switched off; null when passwords may be used. */
  onlySignOn: string | null;
  now(): number;
}

/** @param change returns false where no admin would remain */
async function changeUser(
  { store, endings }: Pick<AccountServicePorts, "store" | "endings">,
  id: string,
  change: () => Promise<boolean>,
): Promise<User> {
  const user = await store.findUser(id);
  if (user === null) throw new AppError("NOT_FOUND", "This user was removed");
  if (isServiceAccount(user)) {
    throw new AppError("INVALID", `${user.name} is a service account: an admin changes it as one`);
  }
  if (!(await change())) {
    throw new AppError("CONFLICT", `${user.name} is the only admin: give someone else the role admin first`);
  }
  await endings.publishChange(id);
  return user;
}

/** The users of this server: how they join, what they may do, how they leave. */
export function createPeopleService(
  ports: AccountServicePorts & {
    switchOn(): Promise<void>;
    /** A user was switched off or removed. */
    onLeft(userId: string): Promise<void>;
  },
) {
  const { store, links, throttle, endings, now, switchOn, onLeft } = ports;
  return {
    /** Lists users, with the time until which wrong passwords slow down the sign-in from new browsers. */
    async list(_actor: Actor): Promise<User[]> {
      const users = await store.people();
      const slowed = await throttle.slowedUntil(users.map(({ email }) => email));
      return users.map((user, at) => ({ ...user, slowedUntil: slowed[at] ?? null }));
    },

    /** Lists the names of active users, who can be made owners. */
    async directory(_actor: Actor): Promise<Actor[]> {
      const users = await store.people();
      return users.filter(({ disabledAt }) => disabledAt === null).map(({ id, name }) => ({ id, name }));
    },

    /** The description for the audit log; the id of a removed user. */
    async describe(id: string): Promise<string> {
      const user = await store.findUser(id);
      return user === null ? id : `${user.name} <${user.email}>`;
    },

    /** The state for the audit log. */
    async toState(id: string) {
      const user = await store.findUser(id);
      if (user === null) return null;
      const { name, email, role, disabledAt } = user;
      return { name, email, role, maySignIn: disabledAt === null };
    },

    /** The state for the audit log. */
    async toInvitationState(id: string) {
      const link = (await links.open()).find((each) => each.id === id);
      return link === undefined ? null : { email: link.email, role: link.role, creator: link.creatorName };
    },

    invitations: (_actor: Actor): Promise<OpenLink[]> => links.open(),
    /** @returns the secret of the link, which is shown once */
    invite: (actor: Actor, invitation: InvitationInput): Promise<string> => links.invite(actor, invitation),
    revokeInvitation: (_actor: Actor, id: string): Promise<void> => links.revoke(id),
    createReset: (actor: Actor, userId: string): Promise<string> => links.createReset(actor, userId),

    /** Connected clients have to ask again, so that the user decides with the new rights. */
    async setRole(_actor: Actor, userId: string, role: Role): Promise<void> {
      await changeUser(ports, userId, () => store.updateUser(userId, { role }));
      await endings.endGrants(userId, { links: role !== "admin" });
    },

    async setDisabled(actor: Actor, userId: string, disabled: boolean): Promise<void> {
      if (actor.id === userId) throw new AppError("INVALID", "You cannot switch off your own account");
      const change = { disabledAt: disabled ? now() : null };
      const { email } = await changeUser(ports, userId, () => store.updateUser(userId, change));
      if (!disabled) {
        // Otherwise the rule about absent accounts would switch it off again before the user can sign in.
        await store.markSeenAtProvider(userId, now());
        return await ports.liftThrottle(email);
      }
      await endings.endAll(userId);
      await onLeft(userId);
    },

    async remove(actor: Actor, userId: string): Promise<void> {
      if (actor.id === userId) throw new AppError("INVALID", "You cannot remove your own account");
      await changeUser(ports, userId, () => store.deleteUser(userId));
      await endings.endAll(userId);
      await onLeft(userId);
    },

    endSessions: async (_actor: Actor, userId: string): Promise<void> => void (await endings.endSessions(userId)),

    /** @returns the number of permanently revoked tokens */
    revokeTokens: (_actor: Actor, userId: string): Promise<number> => endings.endTokens(userId),

    /** Wrong passwords no longer slow down the user's sign-in. */
    async unlock(_actor: Actor, userId: string): Promise<void> {
      const user = await store.findUser(userId);
      if (user === null) throw new AppError("NOT_FOUND", "This user was removed");
      await ports.liftThrottle(user.email);
    },

    /** Accounts are needed from the next start on. */
    switchOn: (_actor: Actor): Promise<void> => switchOn(),
  };
}

/** A user's own account. @param ports `onRenamed`: lists that show the user's name read it again */
export function createAccountService(ports: AccountServicePorts & { onRenamed(): Promise<void> }) {
  const { store, auth, grants, clientMetadata, throttle, endings } = ports;
  return {
    /** Null for an actor who is no user: a provisioned token, or anyone while accounts are off. */
    me: (actor: Actor): Promise<User | null> => store.findUser(actor.id),

    async sessions(actor: Actor, currentId: string | null): Promise<UserSession[]> {
      const sessions = await store.sessions(actor.id);
      return sessions.map((session) => ({ ...session, current: session.id === currentId }));
    },

    async rename(actor: Actor, name: string): Promise<void> {
      await changeUser(ports, actor.id, () => store.updateUser(actor.id, { name }));
      await ports.onRenamed();
    },

    async endSession(actor: Actor, id: string): Promise<void> {
      await store.deleteSessions(actor.id, { id });
      await endings.publishChange(actor.id);
    },

    /** Ends all sessions, including that of the requesting browser. */
    endAllSessions: async (actor: Actor): Promise<void> => void (await endings.endSessions(actor.id)),

    /** Programs that use `/mcp` in the actor's name. */
    clients: (actor: Actor): Promise<ConnectedClient[]> => grants.list(actor.id),

    /** Reads the client's request from the query of the consent page; null for a query that no client sent. */
    consentRequest: async (actor: Actor, query: string): Promise<ConsentRequest | null> =>
      (await clientMetadata?.readConsent(query, actor.id)) ?? null,

    /** Its tokens end at once. */
    async revokeClient(actor: Actor, clientId: string): Promise<{ name: string }> {
      const client = await grants.findClient(clientId);
      const revoked = await grants.revoke(actor.id, clientId);
      await endings.publishChange(actor.id);
      if (!revoked) throw new AppError("NOT_FOUND", "This client was disconnected already");
      return { name: client?.name ?? clientId };
    },

    /** Ends the actor's other sessions, and the API tokens where requested. */
    async changePassword(actor: Actor, currentId: string | null, passwords: PasswordChange): Promise<void> {
      if (auth === null) throw new AppError("INVALID", "There are no passwords while accounts are off");
      if (ports.onlySignOn !== null) throw passwordsOff(ports.onlySignOn);
      // Otherwise a stolen session could guess the password. Each session has its own count: the owner's is not slowed by it.
      const attempt = await throttle.begin({
        account: `change ${actor.id}`,
        address: "",
        device: currentId ?? "token",
      });
      if ("waitSeconds" in attempt) {
        const wait = attempt.waitSeconds;
        throw new AppError("TOO_MANY_REQUESTS", `Too many wrong passwords: try again in ${wait} s`, [], {
          retryAfterSeconds: wait,
        });
      }
      if (!(await auth.verifyPassword(actor.id, passwords.current))) {
        throw new AppError("INVALID", "The current password is wrong", [{ path: "current", message: "is wrong" }]);
      }
      await attempt.succeed();
      await auth.setPassword(actor.id, passwords.next);
      await store.deleteLinks({ kind: "reset", userId: actor.id });
      if (passwords.revokeTokens === true) await endings.endTokens(actor.id);
      await endings.endSessions(actor.id, currentId);
    },
  };
}

interface PasswordChange {
  current: string;
  next: string;
  revokeTokens?: boolean | undefined;
}
