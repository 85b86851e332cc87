import type { ExecutionEnd, ExecutionStart } from "../../../engine/ports";
import type { CallFacts } from "./call-facts";

/** Some seconds of calls. Those beyond are read from the database when they are counted. */
const MOST_CALLS = 5_000;

/** Ended calls as this process has stored them, so that counting them need not read their rows. */
export interface RecentCalls {
  add(facts: CallFacts): void;
  find(seq: number): CallFacts | undefined;
  /** Forgets calls below a number. */
  pass(below: number): void;
}

export function createRecentCalls(): RecentCalls {
  const calls = new Map<number, CallFacts>();
  return {
    add(facts) {
      if (calls.size >= MOST_CALLS) calls.clear();
      calls.set(facts.seq, facts);
    },
    find: (seq) => calls.get(seq),
    pass(below) {
      for (const seq of calls.keys()) if (seq < below) calls.delete(seq);
    },
  };
}

const isKept = (text: string | null | undefined): boolean => !text || (text.isWellFormed() && !text.includes("\0"));

/** The facts of a call as its row has them; null for texts that a database changes. */
export function toFacts(
  seq: number,
  start: ExecutionStart,
  end: ExecutionEnd,
  definitionHash: string | null,
): CallFacts | null {
  const { toolName, serverName, client, toolset = null } = start;
  if (!(isKept(toolName) && isKept(serverName) && isKept(client) && isKept(toolset))) return null;
  // Named one by one: a spread takes ten times as long.
  return {
    seq,
    queuedAt: start.queuedAt,
    toolName,
    implementationType: start.implementationType,
    source: start.source,
    serverName,
    client,
    actorId: start.actor.id,
    toolset,
    definitionHash,
    status: end.status,
    errorKind: end.errorKind,
    storedBytes: end.storedBytes,
    executionTimeMs: end.executionTimeMs,
    validateMs: start.validateMs,
    runMs: end.runMs,
    recordMs: end.recordMs,
    finishedAt: end.finishedAt,
  };
}
