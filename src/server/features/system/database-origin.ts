export interface RestoreMark {
  at: number;
  source: string;
}

/** The origin that a database states. */
export interface DatabaseOrigin {
  /** Null where the database was not restored since the last start. */
  readRestoreMark(): Promise<RestoreMark | null>;
  removeRestoreMark(): Promise<void>;
  /** The identity of the database, which differs in a copy of it; null for a file, which a restore marks. */
  readIdentity(): Promise<string | null>;
}
