import type { Actor } from "../../../lib/contract/actor";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { isEqual } from "./audit-chain";
import {
  type DigestChain,
  type ExecutionDigest,
  type Mark,
  type Marks,
  readMarks,
  type StoredExecution,
} from "./execution-digest";
import type { ExecutionDigestStore } from "./execution-digest-store";
import { checkEnd, checkKnown, checkLength, type NamedEnd } from "./verify-chain";

/** The number of named executions for each kind of damage. */
const MAX_NAMED = 5;
/** The limit of counting where a query lists them. */
const MAX_LISTED = 10_000;
/** Rows that are read at once: each may hold a result of some megabytes. */
const ROWS_AT_ONCE = 20;
const DEFINITIONS_AT_ONCE = 50;
/** A call is recorded within this time of its start; the clocks of instances may differ. */
const RECORDED_WITHIN_MS = 60 * 60_000;

export interface ExecutionsVerdict {
  /** Executions that match their marks. */
  intact: number;
  /** Executions that an admin deleted. */
  deleted: number;
  /** Executions that no digest marks yet. */
  unmarked: number;
  /** The damages, each a sentence without its full stop; empty for none. */
  broken: string[];
}

export interface VerifyExecutionsPorts {
  store: ExecutionDigestStore;
  chain: DigestChain;
  marks: Marks;
  /** The end of the chain of digests that was noted outside the database. */
  ends: readonly NamedEnd[];
  /** The users who took over calls of the local owner, by the audit log. */
  claimers: ReadonlySet<string>;
  localOwner: Actor;
  hashDefinition: (definition: ToolDefinition) => string;
}

/** Compares every execution with the mark that its hour left, and the digests with their chain. */
export async function verifyExecutions(ports: VerifyExecutionsPorts): Promise<ExecutionsVerdict> {
  const { store, chain, marks, ends, claimers, localOwner } = ports;
  const { problem, deleted, toSeq } = await walkDigests(store, chain, ends);
  const damage = {
    changed: new Damage("execution", "changed outside Toolroom"),
    removed: new Damage("execution", "removed outside Toolroom"),
    added: new Damage("execution", "added outside Toolroom"),
    backdated: new Damage(
      "execution",
      "recorded with a time of an hour that was closed before: added outside Toolroom, or the server's clock was put back",
    ),
  };
  const verdict = { intact: 0, deleted: 0 };

  /** The owner of a call of the time without accounts changes with an entry in the audit log. */
  const isClaimed = (mark: Mark, row: StoredExecution, kind: ExecutionDigest["kind"]): boolean =>
    claimers.has(String(row.actorId)) &&
    marks.fits(mark, { ...row, actorId: localOwner.id, actorName: localOwner.name }, kind);

  function check(mark: Mark, row: StoredExecution | undefined, { kind }: ExecutionDigest, closed: Closed): void {
    // The chain of digests shows which numbers were given after the hour.
    if (row !== undefined && mark.seq > closed.toSeq && row.queuedAt < closed.at - RECORDED_WITHIN_MS) {
      damage.backdated.add(row.id);
    }
    if (row === undefined) {
      if (deleted.has(mark.seq)) verdict.deleted += 1;
      else damage.removed.add(`number ${mark.seq}`);
    } else if (marks.fits(mark, row, kind) || isClaimed(mark, row, kind)) verdict.intact += 1;
    else damage.changed.add(row.id);
  }

  let closed: Closed = { toSeq: 0, at: 0 };
  for await (const digest of eachDigest(store)) {
    if (digest.kind !== "deleted") {
      const known = new Set(digest.open);
      const marked = [...readMarks(digest.marks)];
      for (let at = 0; at < marked.length; at += ROWS_AT_ONCE) {
        const part = marked.slice(at, at + ROWS_AT_ONCE);
        const rows = await store.read(part.map(({ seq }) => seq));
        const bySeq = new Map(rows.map((row) => [row.seq, row]));
        for (const mark of part) {
          known.add(mark.seq);
          check(mark, bySeq.get(mark.seq), digest, closed);
        }
      }
      const added = (await store.numbersBetween(closed.toSeq, digest.toSeq)).filter((seq) => !known.has(seq));
      for (const seq of added) damage.added.add((await store.read([seq]))[0]?.id ?? `number ${seq}`);
      closed = digest;
    }
  }
  for (const { id } of await store.listBackdated(toSeq, closed.at - RECORDED_WITHIN_MS, MAX_LISTED)) {
    damage.backdated.add(id);
  }
  const definitions = await checkDefinitions(ports);
  const faults = Object.values(damage).flatMap((each) => each.describe() ?? []);
  return {
    ...verdict,
    unmarked: await store.countAfter(toSeq),
    broken: [...(problem === null ? [] : [problem]), ...faults, ...definitions],
  };
}

/** The numbers up to `toSeq` were given before this moment. */
interface Closed {
  toSeq: number;
  at: number;
}

/** Each definition is stored under the hash of its content, which the marks of executions cover. */
async function checkDefinitions({ store, hashDefinition }: VerifyExecutionsPorts): Promise<string[]> {
  const changed = new Damage("definition", "changed outside Toolroom");
  for (let after = ""; ; ) {
    const part = await store.nextDefinitions(after, DEFINITIONS_AT_ONCE);
    for (const { hash, toolName, json } of part) if (!fitsHash(json, hash, hashDefinition)) changed.add(toolName);
    const last = part.at(-1);
    if (last === undefined) break;
    after = last.hash;
  }
  const missing = await store.countUndefined();
  const gone = `the definitions of ${missing} ${missing === 1 ? "execution" : "executions"} were removed outside Toolroom`;
  return [...(changed.describe() ?? []), ...(missing === 0 ? [] : [gone])];
}

function fitsHash(json: string, hash: string, hashDefinition: VerifyExecutionsPorts["hashDefinition"]): boolean {
  try {
    return hashDefinition(JSON.parse(json) as ToolDefinition) === hash;
  } catch {
    return false;
  }
}

async function* eachDigest(store: ExecutionDigestStore): AsyncGenerator<ExecutionDigest> {
  for (let seq = 0; ; ) {
    const { digest } = await store.readAfter(seq);
    if (digest === null) return;
    yield digest;
    seq = digest.seq;
  }
}

/** Checks the chain of digests, and gathers what was deleted. */
async function walkDigests(store: ExecutionDigestStore, chain: DigestChain, ends: readonly NamedEnd[]) {
  const deleted = new Set<number>();
  let count: number = 0;
  let previous: string | null = null;
  let toSeq: number = 0;
  const end = (problem: string | null) => ({ problem, deleted, toSeq });
  while (true) {
    const { digest, head } = await store.readAfter(count);
    if (digest === null) {
      if (count === 0 && head === null && ends.length === 0) return end(null);
      const problem = checkEnd(chain, count, previous, head) ?? checkLength(count, ends);
      return end(problem === null ? null : `digest ${count + 1}: ${problem}`);
    }
    const { hash, ...fields } = digest;
    const isWhole = digest.seq === count + 1 && isEqual(chain.hashDigest(previous, fields), hash);
    if (!isWhole) return end(`digest ${count + 1} was changed, removed or moved, or another key was in use`);
    const problem = checkKnown(digest, ends);
    if (problem !== null) return end(`digest ${digest.seq}: ${problem}`);
    if (digest.kind === "deleted") for (const { seq } of readMarks(digest.marks)) deleted.add(seq);
    [count, previous, toSeq] = [digest.seq, hash, digest.toSeq];
  }
}

class Damage {
  #count = 0;
  readonly #named: string[] = [];

  constructor(
    private readonly subject: "execution" | "definition",
    private readonly what: string,
  ) {}

  add(name: string): void {
    this.#count += 1;
    if (this.#named.length < MAX_NAMED) this.#named.push(name);
  }

  /** Returns one sentence, or none. */
  describe(): [string] | null {
    if (this.#count === 0) return null;
    const more = this.#count > this.#named.length ? ", …" : "";
    const subject = this.#count === 1 ? `1 ${this.subject} was` : `${this.#count} ${this.subject}s were`;
    return [`${subject} ${this.what} (${this.#named.join(", ")}${more})`];
  }
}
