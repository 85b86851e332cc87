/** What the library for passwords, cookies and single sign-on does for accounts. */
export interface AuthLibrary {
  /** Answers the requests of the sign-in pages; null for a path that is not served. */
  handle(request: Request): Promise<Response | null>;
  /** The session token of a Cookie header; null where there is none or its signature is wrong. */
  readCookie(header: string | null): string | null;
  /** Null for an address that is taken. */
  createPerson(person: Record<"email" | "name" | "password" | "role", string>): Promise<{ id: string } | null>;
  setPassword(userId: string, password: string): Promise<void>;
  verifyPassword(userId: string, password: string): Promise<boolean>;
}
