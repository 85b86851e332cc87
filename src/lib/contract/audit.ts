import type { Actor } from "./actor";

/** How a request came in; `system` is this server itself, `tool` one of its own tools, `socket` the former WebSocket of transcripts. */
export const AUDIT_DOORS = ["console", "api", "rest", "gateway", "tool", "socket", "system"] as const;
export type AuditDoor = (typeof AUDIT_DOORS)[number];

export const AUDIT_OUTCOMES = ["done", "denied", "failed"] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** The origin of a request. */
export interface RequestOrigin {
  door: AuditDoor;
  /** The client's IP address; null where none is known. */
  address: string | null;
}

/** The actor of a request that proved no identity: a failed sign-in, a refused token. */
export const UNKNOWN_ACTOR: Actor = { id: "unknown", name: "Not signed in" };
/** The actor for what the server itself does. */
export const SYSTEM_ACTOR: Actor = { id: "system", name: "Toolroom" };

export interface AuditTarget {
  /** Such as `tool`, `server` or `person`. */
  kind: string;
  name: string;
}
