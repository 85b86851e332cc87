import type { BadgeTone } from "@/app/_ui/badge";
import type { AuditDoor, AuditOutcome } from "@/lib/contract/audit";

export const OUTCOME_LABELS: Record<AuditOutcome, string> = { done: "Done", denied: "Denied", failed: "Failed" };
export const OUTCOME_TONES: Record<AuditOutcome, BadgeTone> = { done: "neutral", denied: "bad", failed: "warn" };

export const DOOR_LABELS: Record<AuditDoor, string> = {
  console: "Console",
  api: "tRPC API",
  rest: "REST API",
  gateway: "Gateway",
  socket: "Transcript socket",
  system: "Toolroom",
};
