/** The state that resumes a session of the 2025 protocols after a restart. */
export interface StoredSession {
  id: string;
  /** The key of the session's view. */
  address: string;
  /** The negotiated version. */
  protocol: string;
  clientInfo: unknown;
  clientCapabilities: unknown;
  /** Null until the client sets one. */
  logLevel: string | null;
  /** The instance that serves it; null for none, and where there is one process. */
  owner: string | null;
  createdAt: number;
  lastUsedAt: number;
}

/** Keeps sessions over a restart. */
export interface SessionStore {
  create(session: StoredSession): Promise<void>;
  find(id: string): Promise<StoredSession | null>;
  markUsed(id: string, lastUsedAt: number): Promise<void>;
  setLogLevel(id: string, level: string): Promise<void>;
  delete(id: string): Promise<void>;
  /** Makes `to` the owner. @returns false where `from` is no longer the owner */
  adopt(id: string, from: string | null, to: string): Promise<boolean>;
  /** Releases the sessions of an instance to the others. */
  release(owner: string): Promise<void>;
  /** Deletes the sessions last used at `unusedSince` or before, then those unused longest until `keep` are left. */
  prune(unusedSince: number, keep: number): Promise<void>;
}
