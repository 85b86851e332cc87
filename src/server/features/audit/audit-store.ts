import type { AuditEntry, AuditFacets, AuditPage } from "../../../lib/contract/audit-entry";
import type { AuditFilter } from "../../../lib/contract/audit-filter";

/** An entry before it has its place in the chain. */
export type NewAuditEntry = Omit<AuditEntry, "seq" | "hash">;

/** The chain's record of its end: rows removed from there would leave no gap. */
export interface ChainHead {
  seq: number;
  hash: string;
  /** Made with the key: see `AuditChain.seal`. */
  seal: string;
}

export interface AuditStore {
  /** Called at the start of a server: seals an empty log, and compares a known one with its anchor. */
  begin(): Promise<void>;
  /** Chains and stores the entry in one transaction; correct also while a command writes. */
  append(entry: NewAuditEntry): Promise<AuditEntry>;
  /** Newest first. @param cursor entries before this one */
  list(filter: AuditFilter, cursor: number | undefined, limit: number): Promise<AuditPage>;
  facets(): Promise<AuditFacets>;
  /** Oldest first, with the head as of the same moment. */
  readAfter(seq: number, limit: number): Promise<{ entries: AuditEntry[]; head: ChainHead | null }>;
}
