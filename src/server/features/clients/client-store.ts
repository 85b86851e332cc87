import type { TokenLimits } from "../../../lib/contract/access";
import type { LeftOut, Listing, ServedTool } from "../../../lib/contract/client";
import type { ViewQuery } from "../../engine/client-ports";

/** The inputs of a list beside the catalog: the address, and the caller. */
export interface RecordedAccess {
  query: ViewQuery;
  token: TokenLimits | null;
}

export interface StoredClientSession {
  id: string;
  clientId: string;
  name: string;
  version: string;
  era: "session" | "stateless";
  protocol: string;
  address: string;
  calls: number;
  lastCall: { id: string; tool: string; at: number } | null;
  access: RecordedAccess;
  actor: { id: string; name: string };
  token: { id: string; name: string } | null;
  startedAt: number;
  seenAt: number;
  endedAt: number | null;
  noticedAt: number | null;
  notices: number;
}

export interface ListContent {
  tools: ServedTool[];
  leftOut: LeftOut[];
  leftOutCount: number;
}

/** The counts of a session in one instance of the server since its last write; added to the stored ones. */
export interface SessionUpdate {
  session: StoredClientSession;
  listings: readonly Pick<Listing, "hash" | "firstAt" | "lastAt" | "count">[];
}

export interface StoredListing extends Listing {
  sessionId: string;
}

/** An entry of a list; its JSON text is null where it is too long to keep. */
export interface ServedEntry {
  hash: string;
  entry: string | null;
}

export interface ClientStore {
  /** Adds counts and keeps the latest times: instances of the server that saw the same session write in any order. */
  save(updates: readonly SessionUpdate[]): Promise<void>;
  /** The hashes of these lists that are stored; `at` protects them from a deletion that runs at the same time. */
  findLists(hashes: readonly string[], at: number): Promise<Set<string>>;
  saveList(hash: string, content: ListContent, at: number): Promise<void>;
  readList(hash: string): Promise<ListContent | null>;
  /** The hashes of those whose entries are stored. */
  findTools(hashes: readonly string[]): Promise<Set<string>>;
  /** Called before the list that contains the tools is saved. */
  saveTools(tools: readonly ServedEntry[], at: number): Promise<void>;
  /** The JSON texts of entries by hash; null for one that was too long to keep. */
  readTools(hashes: readonly string[]): Promise<Map<string, string | null>>;
  /** The lists that the client was given between two times, newest first. */
  listsBetween(clientId: string, since: number, until: number, limit: number): Promise<StoredListing[]>;
  /** Lists sessions, the last seen first. */
  list(limit: number): Promise<StoredClientSession[]>;
  ofClient(clientId: string, limit: number): Promise<StoredClientSession[]>;
  listings(sessionIds: readonly string[]): Promise<StoredListing[]>;
  /**
   * Deletes sessions last seen before, then those beyond the newest `keep`, lists that none has or that are beyond the newest
   * `keepLists`, and entries that no list has. @returns the sessions
   */
  prune(seenBefore: number, keep: number, listsBefore: number, keepLists?: number): Promise<number>;
}
