import { createHmac, timingSafeEqual } from "node:crypto";
import type { AuditEntry } from "../../../lib/contract/audit-entry";
import type { ChainHead } from "./audit-store";

/** Hashes that only a holder of the key can make: a copy of the database alone cannot be given a new chain. */
export interface AuditChain {
  /** @param previous null for the first entry of a chain */
  hash(previous: string | null, entry: Omit<AuditEntry, "hash">): string;
  /** @param anchored whether the end is kept outside the database too, so that a missing anchor shows */
  seal(seq: number, hash: string, anchored?: boolean): string;
  isSealed(head: ChainHead): boolean;
  isAnchored(head: ChainHead): boolean;
  /** The hash of a list of fields that begins with its kind. */
  mac(fields: readonly unknown[]): string;
}

/** @param key hexadecimal digits that belong to this purpose alone */
export function createAuditChain(key: string): AuditChain {
  const secret = Buffer.from(key, "hex");
  const mac = (fields: readonly unknown[]): string =>
    createHmac("sha256", secret).update(JSON.stringify(fields)).digest("hex");
  const seal = (seq: number, hash: string, anchored = false): string =>
    mac([anchored ? "anchored head" : "head", seq, hash]);
  const isAnchored = (head: ChainHead): boolean => isEqual(seal(head.seq, head.hash, true), head.seal);
  return {
    hash: (previous, entry) => mac(["entry", previous, ...canonicalFields(entry)]),
    seal,
    isSealed: (head) => isAnchored(head) || isEqual(seal(head.seq, head.hash), head.seal),
    isAnchored,
    mac,
  };
}

export function isEqual(left: string, right: string): boolean {
  const one = Buffer.from(left);
  const other = Buffer.from(right);
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The fields in a fixed order. A field that is left out could be changed unnoticed. */
function canonicalFields(entry: Omit<AuditEntry, "hash">): unknown[] {
  const { seq, at, actor, token, address, door, action, target, outcome, error, before, after, times } = entry;
  return [
    seq,
    at,
    actor.id,
    actor.name,
    token,
    address,
    door,
    action,
    target?.kind ?? null,
    target?.name ?? null,
    outcome,
    error,
    before,
    after,
    times,
  ];
}
