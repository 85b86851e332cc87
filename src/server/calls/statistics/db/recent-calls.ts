import type { ExecutionEnd, ExecutionStart } from "../../../engine/ports";
import { type CallFacts, isCounted } from "./call-facts";
import { Profiles } from "./count-facts";

/** The limit in memory; further calls are read from the database when they are counted. */
const MOST_CALLS = 5_000;

/** Ended calls as this process has stored them, added up already. */
export interface GatheredCalls {
  seqs: number[];
  profiles: Profiles;
}

/** Adds ended calls up at once, so that counting them reads no row of theirs and keeps nothing of them but a number. */
export interface RecentCalls {
  add(facts: CallFacts): void;
  /** Returns the calls gathered since the last time. */
  take(): GatheredCalls;
  /** Gathers nothing until the next `take`. */
  pause(): void;
}

export function createRecentCalls(): RecentCalls {
  let gathered: GatheredCalls = { seqs: [], profiles: new Profiles() };
  let isPaused = false;
  function take(): GatheredCalls {
    const taken = gathered;
    gathered = { seqs: [], profiles: new Profiles() };
    isPaused = false;
    return taken;
  }
  return {
    take,
    pause() {
      take();
      isPaused = true;
    },
    add(facts) {
      if (isPaused) return;
      if (gathered.seqs.length >= MOST_CALLS) take();
      gathered.seqs.push(facts.seq);
      if (isCounted(facts)) gathered.profiles.add(facts, 1);
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
  // Lists the members, since a spread takes ten times as long.
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
