import type { Actor } from "./actor";

/** How a request came in; `system` is this server itself, `socket` the former WebSocket of transcripts. */
export const AUDIT_DOORS = ["console", "api", "rest", "gateway", "socket", "system"] as const;
export type AuditDoor = (typeof AUDIT_DOORS)[number];

export const AUDIT_OUTCOMES = ["done", "denied", "failed"] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** Where a request comes from. */
export interface RequestOrigin {
  door: AuditDoor;
  /** The client's IP address; null where none is known. */
  address: string | null;
}

/** The actor of a request that proved no identity: a failed sign-in, a refused token. */
export const UNKNOWN_ACTOR: Actor = { id: "unknown", name: "Not signed in" };
/** This server itself. */
export const SYSTEM_ACTOR: Actor = { id: "system", name: "Toolroom" };

export interface AuditTarget {
  /** `tool`, `server`, `person`, … */
  kind: string;
  name: string;
}

/** One line of the audit log. Times are epoch milliseconds. */
export interface AuditEntry extends RequestOrigin {
  /** Counts from 1 without gaps. */
  seq: number;
  at: number;
  actor: Actor;
  /** The name of the API token that was used; null for none. */
  token: string | null;
  /** `tools.update`, `signIn`, … */
  action: string;
  target: AuditTarget | null;
  outcome: AuditOutcome;
  /** Why it was denied or failed. */
  error: string | null;
  /** JSON text of the target before and after, without secrets; null where there is none. */
  before: string | null;
  after: string | null;
  /** How many identical attempts this entry stands for. */
  times: number;
  /** Chains the entry to the one before. */
  hash: string;
}

export interface AuditPage {
  items: AuditEntry[];
  /** The `cursor` of the next, older page; null at the end. */
  nextCursor: number | null;
}

/** The values by which entries can be filtered. */
export interface AuditFacets {
  actors: Actor[];
  actions: string[];
  targets: string[];
}
