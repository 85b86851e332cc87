import type { ExecutionStart } from "../../../engine/ports";
import { snapshotDefinition } from "../../../platform/db/definition-hash";
import { type RecentCalls, toFacts } from "../../statistics/db/recent-calls";
import type { BatchEntry } from "./batch-entry";

interface Running {
  seq: number;
  start: ExecutionStart;
}

/** The calls that the journal of this process has written. */
export interface StoredCalls {
  /** A running call, as it was stored. */
  find(id: string): Running | undefined;
  /** Takes a committed entry. Passes an end to the statistics if the stored row was written from the same `start`. */
  note(entry: BatchEntry): void;
}

const getHash = ({ definition }: ExecutionStart): string | null =>
  definition === null ? null : snapshotDefinition(definition).hash;

export function createStoredCalls(recent: RecentCalls): StoredCalls {
  const running = new Map<string, Running>();
  return {
    find: (id) => running.get(id),
    note({ kind, start, end, seq, failure }) {
      const known = running.get(start.id);
      if (kind === "finish") running.delete(start.id);
      if (failure !== null || seq === 0) return;
      if (end === null) running.set(start.id, { seq, start });
      else if (kind === "record" || known?.start === start) {
        const facts = toFacts(seq, start, end, getHash(start));
        if (facts !== null) recent.add(facts);
      }
    },
  };
}
