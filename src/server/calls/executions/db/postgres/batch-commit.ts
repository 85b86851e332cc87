import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { ExecutionStart } from "../../../../engine/ports";
import { snapshotDefinition } from "../../../../platform/db/definition-hash";
import type { JournalConnection } from "../../../../platform/db/postgres/journal-connection";
import { isBusy, isLostConnection, isRowError, storageCode } from "../../../../platform/db/storage-error";
import type { BatchEntry, CommitBatch, StoredCalls } from "../execution-journal";
import type { SqlRow } from "../execution-statements";
import { groupEntries } from "./journal-groups";
import { JOURNAL } from "./journal-statements";
import { execute, writeGroups } from "./journal-writes";

/** How long a batch is repeated while the database cannot be reached. */
const MAX_WAIT_MS = 5_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;
const DISK_FULL = "53100";

/**
 * Writes a batch in one transaction on the journal's connection. What was wrong with a row is its `failure`; a row that is
 * refused leaves its neighbors.
 */
export function createPostgresBatchCommit(options: {
  journal: JournalConnection;
  instanceId: string;
  maxWaitMs?: number;
  /** Receives each committed entry. */
  stored?: StoredCalls;
}): CommitBatch {
  const { journal, instanceId, maxWaitMs = MAX_WAIT_MS, stored } = options;
  const storedDefinitions = new Set<string>();
  /** Starts that were refused although their commit may have succeeded: their tools never ran. */
  const doubtful = new Set<string>();

  async function commitOrFail(entries: BatchEntry[]): Promise<void> {
    try {
      await commitWhole(entries);
      for (const entry of entries) stored?.note(entry);
    } catch (error) {
      // On a full disk a small row may still fit, so each is tried alone.
      const isOfRow = isRowError(error) || storageCode(error) === DISK_FULL;
      if (entries.length > 1 && isOfRow) for (const entry of entries) await commitOrFail([entry]);
      else for (const entry of entries) entry.failure = error;
    }
  }

  /** Repeats the batch after a lost connection, even where the outcome is unknown: rows are recognized by their ids. */
  async function commitWhole(entries: BatchEntry[]): Promise<void> {
    const giveUpAt = performance.now() + maxWaitMs;
    let isRepeated = false;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        await journal.run((client) => writeBatch(client, entries, isRepeated));
        return;
      } catch (error) {
        const isLost = isLostConnection(error);
        isRepeated ||= isLost;
        const canRepeat = (isLost || isBusy(error)) && performance.now() + pauseMs < giveUpAt;
        if (!canRepeat) {
          if (isRepeated) for (const { kind, start } of entries) if (kind === "begin") doubtful.add(start.id);
          throw error;
        }
        await sleep(pauseMs);
      }
    }
  }

  async function writeBatch(client: pg.Client, entries: BatchEntry[], isRepeated: boolean): Promise<void> {
    const definitions = new Map<string, SqlRow>();
    const groups = groupEntries(entries, instanceId, (start) => findHash(start, definitions));
    async function storeDefinition(start: ExecutionStart): Promise<string | null> {
      const found = new Map<string, SqlRow>();
      const hash = findHash(start, found);
      if (found.size > 0) await execute(client, "definitions", [...found.values()]);
      return hash;
    }
    const forgotten = [...doubtful];
    const isSingle = Object.keys(groups).length === 1 && definitions.size === 0 && forgotten.length === 0;
    if (!isSingle) await client.query("BEGIN");
    try {
      if (forgotten.length > 0) await client.query(JOURNAL.forget, [forgotten, instanceId]);
      if (definitions.size > 0) await execute(client, "definitions", [...definitions.values()]);
      await writeGroups(client, groups, { instanceId, isRepeated, storeDefinition });
      if (!isSingle) await client.query("COMMIT");
    } catch (error) {
      if (!isSingle && !isLostConnection(error)) await client.query("ROLLBACK").catch(() => undefined);
      throw error;
    }
    for (const hash of definitions.keys()) storedDefinitions.add(hash);
    for (const id of forgotten) doubtful.delete(id);
  }

  /** @param definitions receives those that are not stored yet */
  function findHash({ definition, toolName }: ExecutionStart, definitions: Map<string, SqlRow>): string | null {
    if (definition === null) return null;
    const { hash, json } = snapshotDefinition(definition);
    if (!storedDefinitions.has(hash)) definitions.set(hash, { hash, toolName, json });
    return hash;
  }

  return async (take, atOnce) => {
    if (!atOnce) await new Promise((resolve) => setImmediate(resolve));
    for (const round of splitRepeatedIds(take())) await commitOrFail(round);
  };
}

/** A statement takes each row once, and a batch keeps the order of what it holds of one call. */
function splitRepeatedIds(batch: BatchEntry[]): BatchEntry[][] {
  const rounds: BatchEntry[][] = [];
  const timesOf = new Map<string, number>();
  for (const entry of batch) {
    const times = timesOf.get(entry.start.id) ?? 0;
    timesOf.set(entry.start.id, times + 1);
    const round = rounds[times];
    if (round === undefined) rounds.push([entry]);
    else round.push(entry);
  }
  return rounds;
}
