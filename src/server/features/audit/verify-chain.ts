import type { AuditEntry } from "../../../lib/contract/audit-entry";
import type { ChainEnd } from "./audit-anchor";
import { type AuditChain, isEqual } from "./audit-chain";
import type { AuditStore, ChainHead } from "./audit-store";

const BATCH = 1_000;

/** The end of the log that was noted outside the database. */
export interface NamedEnd extends ChainEnd {
  /** The source in messages: `that was noted down`. */
  source: string;
}

export interface ChainVerdict {
  /** The number of checked entries. */
  count: number;
  first: AuditEntry | null;
  last: AuditEntry | null;
  /** The first entry that is not what was written, and why; null for an intact log. */
  broken: { seq: number; reason: string } | null;
}

/** Walks the whole log and stops at the first entry that is not what was written. */
export async function verifyChain(
  store: Pick<AuditStore, "readAfter">,
  chain: AuditChain,
  known: readonly NamedEnd[] = [],
): Promise<ChainVerdict> {
  let count: number = 0;
  let previous: string | null = null;
  let first: AuditEntry | null = null;
  let last: AuditEntry | null = null;
  const verdict = (broken: ChainVerdict["broken"]): ChainVerdict => ({ count, first, last, broken });
  while (true) {
    const { entries, head } = await store.readAfter(count, BATCH);
    for (const entry of entries) {
      const reason = checkEntry(chain, count + 1, previous, entry) ?? checkKnown(entry, known);
      if (reason !== null) return verdict({ seq: Math.min(entry.seq, count + 1), reason });
      [count, previous] = [entry.seq, entry.hash];
      first ??= entry;
      last = entry;
    }
    if (entries.length > 0) continue;
    const reason = checkEnd(chain, count, previous, head) ?? checkLength(count, known);
    return verdict(reason === null ? null : { seq: count + 1, reason });
  }
}

function checkEntry(chain: AuditChain, seq: number, previous: string | null, entry: AuditEntry): string | null {
  if (entry.seq !== seq) return `it was removed: entry ${entry.seq} follows entry ${seq - 1}`;
  const { hash, ...fields } = entry;
  if (isEqual(chain.hash(previous, fields), hash)) return null;
  if (seq > 1 && isEqual(chain.hash(null, fields), hash)) {
    return "a new chain begins here: when it was written, the sealed end of the log was missing or had been changed";
  }
  const other = seq === 1 ? ", or another key was in use when it was written" : "";
  return `it was changed, replaced or moved${other}`;
}

export function checkEnd(chain: AuditChain, count: number, hash: string | null, head: ChainHead | null): string | null {
  if (head === null) {
    return count === 0
      ? "the sealed end of the log is missing: entries were removed with it, or no server of this version has used this database"
      : "the sealed end of the log was removed; entries may be missing here";
  }
  if (!chain.isSealed(head)) return "the sealed end of the log was changed, or another key is in use";
  if (head.seq > count) return `it was removed: ${head.seq} entries were written, ${count} are there`;
  return head.seq === count && isEqual(head.hash, hash ?? "")
    ? null
    : "the sealed end of the log is that of an older one";
}

export function checkKnown({ seq, hash }: ChainEnd, known: readonly NamedEnd[]): string | null {
  const other = known.find((end) => end.seq === seq && !isEqual(end.hash, hash));
  if (other === undefined) return null;
  return `it has another hash than the one ${other.source}: the log was replaced by an older or another one`;
}

export function checkLength(count: number, known: readonly NamedEnd[]): string | null {
  const other = known.find(({ seq }) => seq > count);
  if (other === undefined) return null;
  return `the log ends before the entry ${other.seq} ${other.source}: entries were removed, or it was replaced by an older one`;
}
