/** Says that another copy of the server may have written to the database. It never says what: listeners read that. */
export interface WriteNotices {
  /** Called within 250 ms of a write, and never for a write of this copy. @returns ends the subscription */
  subscribe(listener: () => void): () => void;
  close(): void;
}
