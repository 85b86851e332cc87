import type { CassetteCall, CassetteContent } from "../../../lib/cassette/cassette-file";
import type { Actor } from "../../../lib/contract/actor";
import type { CassetteDifference, CassetteSettings } from "../../../lib/contract/cassette";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { CallArguments } from "../executor/call-arguments";

/** A cassette that an address serves. Stays the same object while its tools are the same. */
export interface ServedCassette {
  id: string;
  name: string;
  notes: string;
  content: CassetteContent;
  /** The tools in the order of the list. */
  tools: readonly ToolDefinition[];
}

/** The client that asks, and its address. */
export interface CassetteVisit {
  /** The name of the cassette. */
  name: string;
  actor: Actor;
  client: string | null;
  /** The session of the protocol; null in the stateless one. */
  sessionId: string | null;
  /** The value of `?session=` in the address. */
  label: string | null;
  /** `?faults=` of the address, in place of the cassette's own. */
  faults: string | null;
  /** The request's target, for a fault before it is read. */
  subject?: string;
}

export interface CassetteRequest {
  kind: CassetteCall["kind"];
  name: string;
  args: CallArguments;
  /** Whether the caller may run the tool where no recording matches. */
  canRunLive: boolean;
}

export type Played = { delayMs: number } & (
  | { kind: "recorded"; call: CassetteCall; questions: CassetteSettings["questions"]; isCut: boolean }
  | { kind: "missed"; message: string; recording: number | null; differences: readonly CassetteDifference[] }
  | { kind: "live"; catalogName: string }
  | { kind: "fault" }
);

/** Answers from recordings, and notes in the report of the session what it answered. */
export interface CassettePlayer {
  /** Reads the cassette again, before the address of a request is looked up; null for an unknown name. */
  open(name: string): Promise<ServedCassette | null>;
  /** The cassette as it was last opened. */
  get(name: string): ServedCassette | null;
  /** Decides whether a request fails before it is read; null where it does not. */
  admit(visit: CassetteVisit): Promise<{ fault: "rate-limit" | "drop"; retryAfter: number } | null>;
  play(visit: CassetteVisit, request: CassetteRequest): Promise<Played>;
  /** Notes that a client did not act as recorded, although a recording exists. */
  noteMiss(visit: CassetteVisit, name: string, message: string): Promise<void>;
}
