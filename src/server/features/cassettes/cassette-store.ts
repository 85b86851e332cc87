import type { Actor } from "../../../lib/contract/actor";
import type { CallEvents } from "../../../lib/contract/call-event";
import type { CassetteInput, CassettePlay } from "../../../lib/contract/cassette";
import type { LastEdit } from "../../../lib/contract/last-edit";
import type { Edit } from "../../platform/shared/edit-conflict";

/** A cassette without its lines. */
export interface StoredCassette extends CassetteInput {
  id: string;
  servers: string[];
  toolCount: number;
  callCount: number;
  bytes: number;
  createdAt: number;
  createdBy: string;
  updatedAt: number;
  lastEdit: LastEdit;
}

export interface CassetteLines {
  lines: readonly string[];
  servers: readonly string[];
  toolCount: number;
  callCount: number;
}

export interface StoredSession {
  id: string;
  cassetteId: string;
  label: string | null;
  client: string | null;
  actor: Actor;
  startedAt: number;
  lastAt: number;
}

/** Which session a request belongs to. */
export interface SessionKey {
  key: string;
  label: string | null;
  client: string | null;
  actor: Actor;
  /** Unused for this long, a session has ended and the next request begins another; null: never. */
  idleMs: number | null;
}

export type PlayFacts = Pick<CassettePlay, "outcome" | "recording" | "outOfOrder">;
export type NewPlay = Omit<CassettePlay, "ordinal" | "at">;

/** Stores the requests of sessions. */
export interface SessionLog {
  /**
   * Notes what `decide` returns, nothing for null. Requests of one cassette take turns.
   * @param decide gets what the session had before, and may be called again
   */
  note<Play extends NewPlay | null>(
    cassetteId: string,
    session: SessionKey,
    decide: (earlier: readonly PlayFacts[]) => Play,
  ): Promise<Play>;
}

export interface CassetteStore extends SessionLog {
  /** Lists the cassettes by name. */
  list(): Promise<StoredCassette[]>;
  find(name: string): Promise<StoredCassette | null>;
  /** @throws AppError with the code CONFLICT for a taken name */
  create(input: CassetteInput, lines: CassetteLines, by: Pick<Actor, "name">): Promise<StoredCassette>;
  /** @throws AppError with the code CONFLICT for a taken name and another revision, NOT_FOUND for an unknown one */
  update(name: string, input: CassetteInput, edit?: Edit): Promise<StoredCassette>;
  /** Deletes its sessions too. @throws the same errors as `update` */
  delete(name: string, revision?: number): Promise<void>;
  lines(id: string): Promise<string[]>;
  /** Lists sessions, the newest first. */
  sessions(cassetteId: string, limit: number): Promise<StoredSession[]>;
  /** The newest session of every cassette. */
  newestSessions(): Promise<StoredSession[]>;
  plays(sessionId: string): Promise<CassettePlay[]>;
  playFacts(sessionIds: readonly string[]): Promise<ReadonlyMap<string, PlayFacts[]>>;
}

/** The events of recorded calls. */
export interface CallEventStore {
  put(executionId: string, events: CallEvents): Promise<void>;
  find(executionIds: readonly string[]): Promise<ReadonlyMap<string, CallEvents>>;
}
