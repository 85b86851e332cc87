import type { NewAuditEntry } from "./audit-store";

/** Identical attempts within this time become one more entry, with their number. */
const WINDOW_MS = 60_000;
/** Entries of one actor in a window; those beyond it are only counted. Everyone who is not signed in is one actor. */
const MAX_ENTRIES = 20;
/** The key of all further attempts. */
const OTHERS = "";

interface Attempts {
  entry: NewAuditEntry;
  /** The attempts since the last entry that was written for them. */
  uncounted: number;
}

/**
 * Bounds what denied and failed attempts write, so that an attacker cannot fill the disk: an actor leaves at most 41
 * entries a minute. Counts are in memory: a restart resets them.
 */
export class RepeatedAttempts {
  readonly #actors = new Map<string, Map<string, Attempts>>();
  #timer: NodeJS.Timeout | null = null;

  /** @param write writes the counted attempts when a window ends */
  constructor(private readonly write: (entry: NewAuditEntry) => Promise<unknown>) {}

  /** False where the entry is counted only. */
  admit(entry: NewAuditEntry): boolean {
    const known = this.#actors.get(entry.actor.id) ?? new Map<string, Attempts>();
    this.#actors.set(entry.actor.id, known);
    this.#timer ??= setTimeout(() => void this.flush().catch(() => undefined), WINDOW_MS).unref();
    const key = toKey(entry);
    if (!known.has(key) && known.size < MAX_ENTRIES) {
      known.set(key, { entry, uncounted: 0 });
      return true;
    }
    const counted = known.get(key) ?? known.get(OTHERS) ?? { entry: summarizeAttempts(entry), uncounted: 0 };
    if (!known.has(key)) known.set(OTHERS, counted);
    counted.uncounted += 1;
    counted.entry = { ...counted.entry, at: entry.at };
    return false;
  }

  /** Ends the window and writes the counted attempts. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const counted = [...this.#actors.values()].flatMap((known) => [...known.values()]);
    this.#actors.clear();
    for (const { entry, uncounted } of counted) if (uncounted > 0) await this.write({ ...entry, times: uncounted });
  }
}

function toKey({ actor, token, address, door, action, target, error }: NewAuditEntry): string {
  return JSON.stringify([actor.id, token, address, door, action, target, error]);
}

/** An entry for many different attempts. */
function summarizeAttempts(entry: NewAuditEntry): NewAuditEntry {
  const error = "Further attempts within a minute, of which there were too many to list";
  return { ...entry, token: null, address: null, action: "attempts", target: null, error, before: null, after: null };
}
