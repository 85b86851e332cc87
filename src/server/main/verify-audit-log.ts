import { existsSync } from "node:fs";
import { LOCAL_OWNER } from "../../lib/contract/actor";
import { readAnchor } from "../features/audit/audit-anchor";
import { createAuditChain } from "../features/audit/audit-chain";
import type { AuditStore } from "../features/audit/audit-store";
import { createAuditStore } from "../features/audit/db/audit-store";
import { createExecutionDigestStore } from "../features/audit/db/digest-store";
import { createDigestChain, createMarks } from "../features/audit/execution-digest";
import { type ChainVerdict, type NamedEnd, verifyChain } from "../features/audit/verify-chain";
import { type ExecutionsVerdict, verifyExecutions } from "../features/audit/verify-executions";
import { createSecretBox } from "../platform/auth/secret-box";
import { createSmallFile } from "../platform/config/small-file";
import type { Database } from "../platform/db/database";
import { hashDefinition } from "../platform/db/definition-hash";
import { isDatabaseMissing } from "../platform/db/describe-database";
import { openDatabase } from "../platform/db/open-database";
import { AUDIT_KEYS } from "./audit-parts";
import type { Env } from "./env";

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const BY_ANCHOR = "that the anchor file names";
const CLAIM = "account.claimLocalRecords";
const MAX_CLAIMS = 200;

export interface AuditVerdict extends ChainVerdict {
  /** The damage of the anchor file; null for none. */
  anchor: string | null;
  /** Null where the database has no digests of executions yet. */
  executions: ExecutionsVerdict | null;
}

export const isIntact = ({ broken, anchor, executions }: AuditVerdict): boolean =>
  broken === null && anchor === null && (executions?.broken ?? []).length === 0;

/**
 * Checks the audit log and the executions, also while servers run on the database. Changes nothing.
 * @param noted the end that an earlier check printed: `412:3f…`
 * @throws Error that says what is missing: the database, the key, the table
 */
export async function verifyAuditLog(env: Pick<Env, "database" | "secretKey">, noted?: string): Promise<AuditVerdict> {
  const { url, directUrl, keyFile, location, anchorFile } = env.database;
  const known = noted === undefined ? [] : [readEnd(noted)];
  // Checked first, since opening would create the database and the key.
  if (isDatabaseMissing(env.database)) {
    throw new Error(`There is no database ${location}: set DATABASE_URL to the one the server uses`);
  }
  if (env.secretKey === null && !existsSync(keyFile)) {
    throw new Error(
      `The key is missing: the log can be checked only with the key it was written with. Put the file ${keyFile} back, or set TOOLROOM_SECRET_KEY as for the server`,
    );
  }
  const secretBox = await createSecretBox({ secretKey: env.secretKey, keyFile });
  const db = await openDatabase({ url, directUrl, logger: QUIET });
  try {
    if (!(await hasTable(db, "AuditEntry"))) {
      throw new Error("This database has no audit log yet: start the server once, which adds it");
    }
    const chain = createAuditChain(secretBox.derive(AUDIT_KEYS.log));
    const digests = createDigestChain(secretBox.derive(AUDIT_KEYS.digests));
    const store = createAuditStore({ db, chain });
    // Read before the log: a running server writes the file after it.
    const anchor = readAnchor(createSmallFile(anchorFile), secretBox.derive(AUDIT_KEYS.anchor));
    const named = (end: NamedEnd | null | undefined): NamedEnd[] => (end ? [end] : []);
    const ends = [...known, ...named(anchor?.ends.audit && { ...anchor.ends.audit, source: BY_ANCHOR })];
    const { head } = await store.readAfter(0, 1);
    const verdict = await verifyChain(store, chain, ends);
    const isMissing = anchor === null && known.length === 0 && head !== null && chain.isAnchored(head);
    const missing = `the anchor file ${anchorFile} is missing: put it back, or give the end that was noted down to check a copy`;
    const executions = (await hasTable(db, "ExecutionDigest"))
      ? await verifyExecutions({
          store: createExecutionDigestStore({ db, chain: digests, anchor: null }),
          chain: digests,
          marks: createMarks(secretBox.derive(AUDIT_KEYS.marks)),
          ends: named(anchor?.ends.executions && { ...anchor.ends.executions, source: BY_ANCHOR }),
          claimers: await readClaimers(store),
          localOwner: LOCAL_OWNER,
          hashDefinition,
        })
      : null;
    return { ...verdict, anchor: anchor?.problem ?? (isMissing ? missing : null), executions };
  } finally {
    await db.close();
  }
}

const FIND_TABLE = {
  sqlite: "SELECT 1 FROM sqlite_master WHERE name = ?",
  postgres: "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = ?",
};

const hasTable = async (db: Database, name: string): Promise<boolean> =>
  (await db.row(FIND_TABLE[db.kind], name)) !== undefined;

/** Reads the users who took over calls of the local owner, which changes the calls' owner. */
async function readClaimers(store: AuditStore): Promise<Set<string>> {
  const { items } = await store.list({ action: [CLAIM], outcome: "done" }, undefined, MAX_CLAIMS);
  return new Set(items.map(({ actor }) => actor.id));
}

function readEnd(text: string): NamedEnd {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined) {
    throw new Error(`'${text}' is not the end of a log: give the number and the hash as printed, such as 412:3f…`);
  }
  return { seq: Number(seq), hash, source: "that was noted down" };
}

/** Describes a verdict for the terminal. */
export function describeVerdict({ count, first, last, broken, anchor, executions }: AuditVerdict): string {
  const range =
    first === null || last === null
      ? "no entries"
      : `${count} ${count === 1 ? "entry" : "entries"}, ${formatDate(first.at)} to ${formatDate(last.at)}`;
  const lines = [
    broken === null
      ? `Intact: ${range}.`
      : `BROKEN at entry ${broken.seq}: ${broken.reason}.\nIntact before it: ${range}.`,
    ...(anchor === null ? [] : [`BROKEN: ${anchor}.`]),
    ...(executions === null ? [] : describeExecutions(executions)),
  ];
  if (broken === null && last !== null) lines.push(`End of the log, to note down elsewhere: ${last.seq}:${last.hash}`);
  return lines.join("\n");
}

function describeExecutions({ intact, deleted, unmarked, broken }: ExecutionsVerdict): string[] {
  const gone = deleted === 0 ? "" : `, ${deleted} were deleted in Toolroom`;
  const later = unmarked === 0 ? "" : `, ${unmarked} are not marked yet`;
  return [
    ...broken.map((fault) => `BROKEN executions: ${fault}.`),
    `Executions: ${intact} as recorded${gone}${later}.`,
  ];
}

const formatDate = (at: number): string => new Date(at).toISOString();
