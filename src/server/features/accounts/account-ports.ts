import type {
  NewUser,
  ProvenIdentity,
  SingleSignOnEnd,
  SingleSignOnStart,
} from "../../../lib/contract/proven-identity";
import type { RequestHeaders } from "../../../lib/http-guard/request-headers";

/** The library's functions for passwords, cookies and single sign-on. */
export interface AuthLibrary {
  /** Answers the requests of the sign-in pages; null for a path that is not served. */
  handle(request: Request): Promise<Response | null>;
  /** The session token of a Cookie header; null where there is none or its signature is wrong. */
  readCookie(header: string | null): string | null;
  /** The name of the cookie that holds the session's id. */
  readonly cookie: { name: string; secure: boolean };
  /** Signs a user in without a password, for a day. @returns the `Set-Cookie` headers; null for a switched-off account */
  openSession(userId: string, headers: RequestHeaders): Promise<string[] | null>;
  /** Null for an address that is taken. */
  createUser(user: NewUser): Promise<{ id: string } | null>;
  setPassword(userId: string, password: string): Promise<void>;
  verifyPassword(userId: string, password: string): Promise<boolean>;
  /** The id of the user with this identity; null when there is none. */
  findIdentity(subject: string): Promise<string | null>;
  addIdentity(userId: string, subject: string): Promise<void>;
  /** @returns the library's answer. @throws an error named ProviderUnavailable */
  startSingleSignOn(request: Request, start: SingleSignOnStart): Promise<Response>;
  /** @param admit returns the user who is signed in, and throws for others */
  finishSingleSignOn(
    request: Request,
    admit: (identity: ProvenIdentity, start: SingleSignOnStart) => Promise<{ id: string; email: string; name: string }>,
  ): Promise<SingleSignOnEnd>;
}
