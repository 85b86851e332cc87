import type { RunEvent, RunSettings } from "../../../../lib/contract/run";
import type { Database } from "../../../platform/db/database";
import { describeWriteError } from "../../../platform/db/storage-error";
import type { NewRun, RunSums, TAKEN_OVER } from "../run-store";
import { createPostgresRunWrites } from "./postgres-run-writes";
import { type Append, createSqliteRunWrites } from "./run-writes";

interface Entry extends Append {
  resolve: () => void;
  reject: (error: Error) => void;
}

/** One commit holds at most this many appends, so that the event loop is never blocked for long. */
const MAX_BATCH = 256;
const name: typeof TAKEN_OVER = "RunTakenOver";
const TORN = "The run could not be recorded: an earlier event could not be";
/** How long an append that is not urgent may wait, to share a commit with one that is. */
const LAZY_MS = 15;

/**
 * What arrives within one turn of the event loop is one transaction, with the executions of that turn: an answer is
 * committed with the starts of its calls. A failed batch is retried one append at a time, so that an error of one run does
 * not affect others.
 */
export function createRunLogWriter(
  db: Database,
  owner: string,
): {
  create(run: NewRun, events: readonly RunEvent[]): Promise<void>;
  append(runId: string, events: readonly RunEvent[], sums: RunSums, urgent: boolean): Promise<void>;
} {
  /** Settings in the rows of live runs: they can be as long as a system prompt, and sums are written often. */
  const written = new Map<string, RunSettings>();
  const writes =
    db.kind === "postgres" ? createPostgresRunWrites(db, written, owner) : createSqliteRunWrites(db, written, owner);
  const queue: Entry[] = [];
  /** The next index of each live log: after a failure nothing may follow with a gap. */
  const next = new Map<string, number>();

  function settle(entry: Entry, refused: ReadonlySet<string>): void {
    if (refused.has(entry.runId)) {
      next.delete(entry.runId);
      written.delete(entry.runId);
      entry.reject(Object.assign(new Error("Another copy of the server executes this run"), { name }));
      return;
    }
    const last = entry.events.at(-1);
    if (last?.type === "turn_ended") {
      next.delete(entry.runId);
      written.delete(entry.runId);
    } else {
      if (last !== undefined) next.set(entry.runId, last.index + 1);
      written.set(entry.runId, entry.sums.settings);
    }
    entry.resolve();
  }

  let flushing = false;
  let lazily: ReturnType<typeof setTimeout> | null = null;

  function flushNow(): void {
    if (lazily !== null) clearTimeout(lazily);
    lazily = null;
    if (flushing) return;
    flushing = true;
    void flush();
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      let batch: { good: Entry[]; torn: Entry[] } | null = null;
      const take = () => {
        batch ??= takeContiguous(queue.splice(0, MAX_BATCH), next);
        return batch;
      };
      try {
        const refused = await writes.appendTogether(() => take().good);
        for (const entry of take().good) settle(entry, refused);
      } catch {
        for (const entry of take().good) await commitAlone(entry);
      }
      for (const entry of take().torn) entry.reject(new Error(TORN));
    }
    flushing = false;
  }

  async function commitAlone(entry: Entry): Promise<void> {
    const { good } = takeContiguous([entry], next);
    if (good.length === 0) {
      entry.reject(new Error(TORN));
      return;
    }
    try {
      settle(entry, await writes.append(good));
    } catch (error) {
      const first = entry.events[0];
      if (first !== undefined) next.set(entry.runId, first.index);
      entry.reject(new Error(`The run could not be recorded: ${describeWriteError(error)}`, { cause: error }));
    }
  }

  return {
    async create(run, events) {
      await writes.create(run, events);
      written.set(run.id, run.settings);
    },
    append: (runId, events, sums, urgent) =>
      new Promise<void>((resolve, reject) => {
        queue.push({ runId, events, sums, resolve, reject });
        if (urgent) flushNow();
        else if (!flushing) lazily ??= setTimeout(flushNow, LAZY_MS);
      }),
  };
}

/** Separates entries that continue their logs from those that would leave a gap. */
function takeContiguous(batch: readonly Entry[], next: ReadonlyMap<string, number>): { good: Entry[]; torn: Entry[] } {
  const reached = new Map<string, number>();
  const good: Entry[] = [];
  const torn: Entry[] = [];
  for (const entry of batch) {
    const first = entry.events[0]?.index;
    const expected = reached.get(entry.runId) ?? next.get(entry.runId) ?? first;
    if (first !== undefined && first !== expected) {
      torn.push(entry);
      continue;
    }
    if (first !== undefined) reached.set(entry.runId, first + entry.events.length);
    good.push(entry);
  }
  return { good, torn };
}
