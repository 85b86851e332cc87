import { existsSync } from "node:fs";
import { createSecretBox } from "../adapters/secret-box";
import { openDatabase } from "../db/database";
import { databaseFilePath } from "../db/database-file";
import { createAuditStore } from "../db/sqlite/audit/audit-store";
import { createAuditChain } from "../features/audit/audit-chain";
import { type ChainVerdict, type KnownEnd, verifyChain } from "../features/audit/verify-chain";
import { AUDIT_KEY } from "./audit-parts";
import type { Env } from "./env";

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Checks the audit log, also while servers run on the database. Changes nothing.
 * @param noted the end that an earlier check printed: `412:3f…`
 * @throws Error that says what is missing: the database, the key, the table
 */
export async function verifyAuditLog(env: Pick<Env, "database" | "secretKey">, noted?: string): Promise<ChainVerdict> {
  const { url, keyFile, location } = env.database;
  const known = noted === undefined ? null : readEnd(noted);
  // Opening would create either.
  if (!existsSync(databaseFilePath(url))) {
    throw new Error(`There is no database ${location}: set DATABASE_URL to the one the server uses`);
  }
  if (env.secretKey === null && !existsSync(keyFile)) {
    throw new Error(
      `The key is missing: the log can be checked only with the key it was written with. Put the file ${keyFile} back, or set TOOLROOM_SECRET_KEY as for the server`,
    );
  }
  const secretBox = await createSecretBox({ secretKey: env.secretKey, keyFile });
  const db = await openDatabase({ url, logger: QUIET });
  try {
    const hasTable = db.raw.prepare("SELECT 1 FROM sqlite_master WHERE name = 'AuditEntry'").get() !== undefined;
    if (!hasTable) throw new Error("This database has no audit log yet: start the server once, which adds it");
    const chain = createAuditChain(secretBox.derive(AUDIT_KEY));
    return await verifyChain(createAuditStore({ db, chain }), chain, known);
  } finally {
    await db.close();
  }
}

function readEnd(text: string): KnownEnd {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined) {
    throw new Error(`'${text}' is not the end of a log: give the number and the hash as printed, such as 412:3f…`);
  }
  return { seq: Number(seq), hash };
}

/** For the terminal. */
export function describeVerdict({ count, first, last, broken }: ChainVerdict): string {
  const range =
    first === null || last === null
      ? "no entries"
      : `${count} ${count === 1 ? "entry" : "entries"}, ${dateOf(first.at)} to ${dateOf(last.at)}`;
  if (broken !== null) {
    return `BROKEN at entry ${broken.seq}: ${broken.reason}.\nIntact before it: ${range}.`;
  }
  const note = last === null ? "" : `\nEnd of the log, to note down elsewhere: ${last.seq}:${last.hash}`;
  return `Intact: ${range}.${note}`;
}

const dateOf = (at: number): string => new Date(at).toISOString();
