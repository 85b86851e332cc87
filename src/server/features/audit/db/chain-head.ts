import { change, type Steps, selectRow } from "../../../platform/db/sql";
import type { AuditChain } from "../audit-chain";
import type { ChainHead } from "../audit-store";

const SELECT = 'SELECT "value" FROM "Setting" WHERE "key" = ?';
const UPSERT = `INSERT INTO "Setting" ("key", "value", "updatedAt") VALUES (?, ?, ?)
  ON CONFLICT ("key") DO UPDATE SET "value" = excluded."value", "updatedAt" = excluded."updatedAt"`;

/** The sealed end of a chain, among the settings. */
export function createHead(key: string, chain: AuditChain, anchored: boolean) {
  return {
    *read(): Steps<ChainHead | null> {
      const row = yield* selectRow<{ value: string }>(SELECT, key);
      return parseHead(row?.value ?? null);
    },
    *write(seq: number, hash: string, at: number): Steps<void> {
      const head: ChainHead = { seq, hash, seal: chain.seal(seq, hash, anchored) };
      yield* change(UPSERT, key, JSON.stringify(head), at);
    },
  };
}

/**
 * Selects a head with the first rows after a number in one statement, so that both are of the same moment: a row for the
 * head alone where there are none.
 */
export function selectWithHead(table: "AuditEntry" | "ExecutionDigest"): string {
  return `SELECT "head"."value" AS "head", "next".* FROM (SELECT 1 AS "one") AS "always"
    LEFT JOIN "Setting" AS "head" ON "head"."key" = ?
    LEFT JOIN (SELECT * FROM "${table}" WHERE "seq" > ? ORDER BY "seq" LIMIT ?) AS "next" ON "always"."one" = 1
    ORDER BY "next"."seq"`;
}

export function parseHead(text: string | null): ChainHead | null {
  if (text === null) return null;
  try {
    const { seq, hash, seal } = JSON.parse(text) as Record<keyof ChainHead, unknown>;
    // A head that cannot be read counts as one with a wrong seal.
    return { seq: Number(seq), hash: String(hash), seal: String(seal) };
  } catch {
    return { seq: 0, hash: "", seal: "" };
  }
}
