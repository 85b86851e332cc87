import type { SqliteDatabase } from "../../../platform/db/database";
import { prepareWith } from "../../../platform/db/sqlite/prepare-with";
import type { AuditChain } from "../audit-chain";
import type { ChainHead } from "../audit-store";

/** The sealed end of a chain, among the settings. Writing expects an open transaction. */
export function prepareHead(db: Pick<SqliteDatabase, "raw">, key: string, chain: AuditChain, anchored: boolean) {
  const { values, write } = prepareWith(db);
  const select = values<string>('SELECT "value" FROM "Setting" WHERE "key" = ?');
  const upsert = write(
    `INSERT INTO "Setting" ("key", "value", "updatedAt") VALUES (?, ?, ?)
     ON CONFLICT ("key") DO UPDATE SET "value" = excluded."value", "updatedAt" = excluded."updatedAt"`,
  );
  return {
    read: (): ChainHead | null => parseHead(select.get(key)),
    write(seq: number, hash: string, at: number): void {
      const head: ChainHead = { seq, hash, seal: chain.seal(seq, hash, anchored) };
      upsert.run(key, JSON.stringify(head), at);
    },
  };
}

function parseHead(text: string | undefined): ChainHead | null {
  if (text === undefined) return null;
  try {
    const { seq, hash, seal } = JSON.parse(text) as Record<keyof ChainHead, unknown>;
    // A head that cannot be read counts as one with a wrong seal.
    return { seq: Number(seq), hash: String(hash), seal: String(seal) };
  } catch {
    return { seq: 0, hash: "", seal: "" };
  }
}
