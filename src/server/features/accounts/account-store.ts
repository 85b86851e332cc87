import type { Role } from "../../../lib/contract/access";
import type { LinkKind, OpenLink, User, UserSession } from "../../../lib/contract/account";

/** A user's browser session, by the token of its cookie. */
export interface SignedInSession {
  id: string;
  user: User;
  expiresAt: number;
}

export interface UserByEmail extends User {
  /** Whether an invitation, single sign-on or a trusted proxy confirmed the address. */
  emailVerified: boolean;
  /** Whether the identity provider provisions the account. */
  provisioned: boolean;
}

export interface StoredLink {
  tokenHash: string;
  kind: LinkKind;
  email: string | null;
  role: Role | null;
  userId: string | null;
  creator: { id: string; name: string };
  createdAt: number;
  expiresAt: number;
}

/**
 * Users, their sessions, and one-time links. Service accounts are found by their id alone. The auth library creates
 * users and sessions.
 */
export interface AccountStore {
  people(): Promise<User[]>;
  findUser(id: string): Promise<User | null>;
  findUserByEmail(email: string): Promise<UserByEmail | null>;
  countAdmins(): Promise<number>;
  /** Unless it would leave no admin who may sign in. @returns whether it was changed */
  updateUser(id: string, change: { name?: string; role?: Role; disabledAt?: number | null }): Promise<boolean>;
  /** Deletes a user unless no admin who may sign in would remain. @returns whether the user was deleted */
  deleteUser(id: string): Promise<boolean>;
  /** When the identity provider last admitted each account that is connected to it, or an admin switched the account on. */
  listSeenAtProvider(): Promise<{ userId: string; seenAt: number }[]>;
  markSeenAtProvider(userId: string, at: number): Promise<void>;
  findSession(token: string): Promise<SignedInSession | null>;
  sessions(userId: string): Promise<Omit<UserSession, "current">[]>;
  /** @returns the deleted sessions */
  deleteSessions(userId: string, choice: { id: string } | { except: string | null }): Promise<number>;
  /** Ends the sessions of all users that were opened for more than this time. */
  deleteSessionsLongerThan(ms: number): Promise<void>;
  /** Hashes the tokens that earlier versions stored in plain text; their sessions stay. */
  hashSessionTokens(): Promise<void>;
  deleteExpired(now: number): Promise<void>;
  /** What was created later than now, by a clock that was ahead, ends as if it was created now. */
  keepWithinLifetime(now: number): Promise<void>;
  createLink(link: StoredLink): Promise<void>;
  findLink(tokenHash: string): Promise<StoredLink | null>;
  /** Deletes it, so that it is used once. @returns whether this call was the one that did */
  takeLink(tokenHash: string): Promise<boolean>;
  links(kind: LinkKind): Promise<OpenLink[]>;
  /** Deletes the links that match all conditions. */
  deleteLinks(which: { kind?: LinkKind; creatorId?: string; userId?: string }): Promise<void>;
}
