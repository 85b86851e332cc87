import { createHmac, timingSafeEqual } from "node:crypto";
import type { AuditEntry } from "../../../lib/contract";
import type { ChainHead } from "./audit-store";

/** Hashes that only a holder of the key can make: a copy of the database alone cannot be chained again. */
export interface AuditChain {
  /** @param previous null for the first entry of a chain */
  hash(previous: string | null, entry: Omit<AuditEntry, "hash">): string;
  seal(seq: number, hash: string): string;
  isSealed(head: ChainHead): boolean;
}

/** @param key hexadecimal digits that belong to this purpose alone */
export function createAuditChain(key: string): AuditChain {
  const secret = Buffer.from(key, "hex");
  const mac = (text: string): string => createHmac("sha256", secret).update(text).digest("hex");
  const seal = (seq: number, hash: string): string => mac(JSON.stringify(["head", seq, hash]));
  return {
    hash: (previous, entry) => mac(JSON.stringify(["entry", previous, ...canonicalFields(entry)])),
    seal,
    isSealed: (head) => isEqual(seal(head.seq, head.hash), head.seal),
  };
}

export function isEqual(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** In a fixed order. What is left out here could be changed unnoticed. */
function canonicalFields(entry: Omit<AuditEntry, "hash">): unknown[] {
  const { seq, at, actor, token, address, door, action, target, outcome, error, before, after, times } = entry;
  return [
    ...[seq, at, actor.id, actor.name, token, address, door, action],
    ...[target?.kind ?? null, target?.name ?? null, outcome, error, before, after, times],
  ];
}
