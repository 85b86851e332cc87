import { createHash, createHmac } from "node:crypto";
import { type AuditChain, createAuditChain } from "./audit-chain";

/**
 * A mark of the executions recorded by the end of an hour, in a chain of its own. A `decided_hour` marks every execution that had ended
 * by then and was not marked before, with the decision on it; an `hour` of earlier versions marks them without. A `deleted` names
 * executions that an admin deleted.
 */
export interface ExecutionDigest {
  /** Counts from 1 without gaps. */
  seq: number;
  kind: "hour" | "decided_hour" | "deleted";
  /** The end of the hour, or the time of the deletion. */
  at: number;
  /** The user who deleted; null for an hour. */
  actor: string | null;
  /** The last execution that is marked or open, with all before it. */
  toSeq: number;
  /** Executions up to `toSeq` that had not ended. */
  open: number[];
  /** The marks; see `readMarks`. */
  marks: Buffer;
  hash: string;
}

/** A row in its stored form. */
export type StoredExecution = {
  seq: number;
  id: string;
  status: string;
  queuedAt: number;
  finishedAt: number | null;
  definitionHash: string | null;
  /** The request for approval, its decision and who made it; null without one. */
  approval: StoredApproval | null;
} & Record<string, unknown>;

/** The fields that do not change once the request is decided. */
export type StoredApproval = { executionId: string; status: string } & Record<string, unknown>;

const SEQ_BYTES = 6;
const MAC_BYTES = 10;
const MARK_BYTES = SEQ_BYTES + MAC_BYTES;
/** The search index and users change these at any time. */
const CHANGING = new Set(["searchable", "pinned"]);

export interface Mark {
  seq: number;
  mac: Buffer;
}

/** Marks of executions: 6 bytes of its number and 10 of an HMAC over all that does not change after its end. */
export function createMarks(key: string) {
  const secret = Buffer.from(key, "hex");
  const toMac = (row: StoredExecution): Buffer =>
    createHmac("sha256", secret)
      .update(JSON.stringify(listFields({ ...row, approval: row.approval && listFields(row.approval) })))
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    mark: (row: StoredExecution): Buffer => Buffer.concat([toSeqBytes(row.seq), toMac(row)]),
    /** @param kind of the digest that has the mark */
    fits: (mark: Mark, row: StoredExecution, kind: ExecutionDigest["kind"]): boolean =>
      toMac(kind === "hour" ? { ...row, approval: null } : row).equals(mark.mac),
  };
}

/** Lists fields in the order of their names. A column that a later version adds is null in earlier rows. */
function listFields(row: object): [name: string, value: unknown][] {
  const fields = Object.entries(row).filter(([name, value]) => value !== null && !CHANGING.has(name));
  return fields.sort(([one], [other]) => (one < other ? -1 : 1));
}

export type Marks = ReturnType<typeof createMarks>;

function toSeqBytes(seq: number): Buffer {
  const bytes = Buffer.alloc(SEQ_BYTES);
  bytes.writeUIntBE(seq, 0, SEQ_BYTES);
  return bytes;
}

/** The mark of a deleted execution: only its number. */
const toDeletedMarks = (seqs: readonly number[]): Buffer =>
  Buffer.concat(seqs.map((seq) => Buffer.concat([toSeqBytes(seq), Buffer.alloc(MAC_BYTES)])));

export function* readMarks(marks: Buffer): Generator<Mark> {
  for (let at = 0; at + MARK_BYTES <= marks.length; at += MARK_BYTES) {
    yield { seq: marks.readUIntBE(at, SEQ_BYTES), mac: marks.subarray(at + SEQ_BYTES, at + MARK_BYTES) };
  }
}

export interface DigestChain extends AuditChain {
  /** @param previous null for the first of a chain */
  hashDigest(previous: string | null, digest: Omit<ExecutionDigest, "hash">): string;
  toDeletedMarks(seqs: readonly number[]): Buffer;
}

/** @param key hexadecimal digits that belong to this purpose alone */
export function createDigestChain(key: string): DigestChain {
  const chain = createAuditChain(key);
  return {
    ...chain,
    toDeletedMarks,
    hashDigest: (previous, { seq, kind, at, actor, toSeq, open, marks }) =>
      chain.mac([
        "digest",
        previous,
        seq,
        kind,
        at,
        actor,
        toSeq,
        open,
        createHash("sha256").update(marks).digest("hex"),
      ]),
  };
}
