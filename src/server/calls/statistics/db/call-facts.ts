import { type CallClass, classifyCall, isCounted as isCountedSource } from "../../../../lib/contract/call-class";
import type { ExecutionStatus } from "../../../../lib/contract/envelope";
import { type ExecutionKind, getKind } from "../../../../lib/contract/execution-kind";

/** The columns of an execution that statistics read. */
export const FACT_COLUMNS = [
  ...(["seq", "queuedAt", "toolName", "implementationType", "source", "serverName", "client", "actorId"] as const),
  ...(["toolset", "definitionHash", "status", "errorKind", "storedBytes", "executionTimeMs", "validateMs"] as const),
  ...(["runMs", "recordMs", "finishedAt"] as const),
];

export interface CallFacts {
  seq: number;
  queuedAt: number;
  toolName: string;
  implementationType: string | null;
  source: string;
  serverName: string | null;
  client: string | null;
  actorId: string;
  toolset: string | null;
  definitionHash: string | null;
  status: string;
  errorKind: string | null;
  storedBytes: number | null;
  executionTimeMs: number | null;
  validateMs: number | null;
  runMs: number | null;
  recordMs: number | null;
  finishedAt: number | null;
}

/** Waits are computed from rounded instants: what is shorter is noise, not a user. */
const MIN_WAIT_MS = 10;

export const isCounted = ({ source }: Pick<CallFacts, "source">): boolean => isCountedSource(source);

export const isOpen = ({ status }: Pick<CallFacts, "status">): boolean => status === "running" || status === "waiting";

export const getClass = ({
  status,
  errorKind,
  source,
}: Pick<CallFacts, "status" | "errorKind" | "source">): CallClass =>
  classifyCall({ status: status as ExecutionStatus, errorKind, source });

export const getCallKind = (facts: Pick<CallFacts, "implementationType">): ExecutionKind => getKind(facts);

/** The time the tool itself ran; null for a call whose tool did not run. */
export function getDuration({
  runMs,
  executionTimeMs,
  validateMs,
}: Pick<CallFacts, "runMs" | "executionTimeMs" | "validateMs">): number | null {
  if (runMs === null || executionTimeMs === null) return null;
  return Math.round((executionTimeMs - (validateMs ?? 0)) * 1_000) / 1_000;
}

/** The time that an ended call waited for a user: a part of its total, not of its duration. */
export function getWait({ finishedAt, queuedAt, executionTimeMs, recordMs }: CallFacts): number | null {
  if (finishedAt === null || executionTimeMs === null) return null;
  const waited = finishedAt - queuedAt - executionTimeMs - (recordMs ?? 0);
  return waited >= MIN_WAIT_MS ? waited : null;
}

/** The caller's program without its version. */
export const getProgram = (client: string | null): string | null => client?.split("/", 1)[0]?.trim() || null;
