import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { moveFileSync } from "../../../scripts/move-file.mjs";
import { getMessage } from "../../lib/get-message";
import { IS_WINDOWS } from "../../lib/platform";
import { quoteForPowerShell } from "../../lib/quote-for-powershell";
import { quoteForShell } from "../../lib/quote-for-shell";
import { createAuditChain } from "../features/audit/audit-chain";
import { parseHead } from "../features/audit/db/chain-head";
import { createSecretBox } from "../platform/auth/secret-box";
import { createSmallFile } from "../platform/config/small-file";
import { type DatabaseDescription, describeDatabase, isDatabaseMissing } from "../platform/db/describe-database";
import type { MoveSource } from "../platform/db/move/move-side";
import { refuseMove } from "../platform/db/move/move-table";
import { type MovedRows, type MoveStep, moveTables } from "../platform/db/move/move-tables";
import { openMoveSource, QUIET, removeUpgradedCopy } from "../platform/db/move/open-source";
import { openMoveTarget } from "../platform/db/move/open-target";
import { claimDatabase } from "../platform/db/open-database";
import { PRIVATE_FOLDER } from "../platform/db/private-files";
import { AUDIT_KEYS } from "./audit-parts";

export interface MoveRequest {
  /** The source, as `DATABASE_URL` has it. */
  from: string | undefined;
  /** An address of PostgreSQL, or `file:` and a path. */
  to: string;
  /** The base of a relative source. */
  rootDir: string;
  /** The folder of the product's files. */
  home: string;
  /** The files beside a database of PostgreSQL. */
  dataFolder: string | undefined;
  secretKey: string | undefined;
  signal: AbortSignal;
  onProgress(step: MoveStep): void;
}

export interface Moved {
  /** Addresses without passwords. */
  from: string;
  to: string;
  tables: MovedRows[];
  /** Keeps the end of the audit log beside the new database. */
  anchorFile: string;
  /** False where the source has no such file, on this machine at least. */
  hasAnchor: boolean;
}

/**
 * Copies all data between a file of SQLite and a database of PostgreSQL, neither of which a process may use, and
 * compares them. The source stays unchanged. The next move continues one that was interrupted at any moment.
 * @throws DatabaseOpenError that says what to do
 */
export async function moveDatabase(request: MoveRequest): Promise<Moved> {
  const { from, to, rootDir, home, dataFolder, signal, onProgress } = request;
  const source = describeDatabase(from, rootDir, dataFolder);
  const target = describeDatabase(to, rootDir, dataFolder);
  demandTwoKinds(source, target);
  if (isDatabaseMissing(source))
    throw refuseMove(`There is no database ${source.location}. Name its folder with --data.`);
  const secretKey = demandSecretKey(request.secretKey, source);
  const opened: { close(): Promise<void> }[] = [];
  try {
    opened.push(await claim(source, SOURCE_IN_USE));
    const reading = await openMoveSource(source, home);
    opened.push(reading);
    await demandFittingKey(reading, secretKey, source);
    opened.push(await claim(target).catch(failTarget));
    const { target: writing, tables } = await openMoveTarget(source, target, home).catch(failTarget);
    opened.push(writing);
    const moved = await moveTables({
      source: reading,
      target: writing,
      tables,
      location: target.location,
      signal,
      onProgress,
    });
    const hasAnchor = await copyAnchor(source, target);
    await writing.finish();
    removeUpgradedCopy(source);
    const { anchorFile } = target;
    return { from: source.location, to: target.location, tables: moved, anchorFile, hasAnchor };
  } finally {
    for (const each of opened.reverse()) await each.close();
  }
}

const SOURCE_IN_USE = " To try the move while it runs, move a copy: toolroom backup makes one.";

async function claim({ url }: DatabaseDescription, hint = ""): Promise<{ close(): Promise<void> }> {
  try {
    const held = await claimDatabase(url, null, QUIET);
    return { close: () => held.release() };
  } catch (error) {
    const isInUse = getMessage(error).includes(" is in use by ");
    throw isInUse ? refuseMove(getMessage(error) + hint) : error;
  }
}

/** Messages about databases name the variable that a server uses. */
function failTarget(error: unknown): never {
  if (error instanceof Error) error.message = error.message.replaceAll("DATABASE_URL", "--to");
  throw error;
}

function demandTwoKinds(source: DatabaseDescription, target: DatabaseDescription): void {
  if (source.kind !== target.kind) return;
  throw refuseMove(
    source.kind === "sqlite"
      ? `${source.location} and ${target.location} are both files of SQLite. toolroom backup copies one to another place.`
      : `${source.location} and ${target.location} are both databases of PostgreSQL. pg_dump --format=custom and pg_restore copy one to the other.`,
  );
}

/** The key by which both databases are read: one of the two has no key file. */
function demandSecretKey(given: string | undefined, source: DatabaseDescription): string {
  if (given) return given;
  throw refuseMove(`TOOLROOM_SECRET_KEY is not set, and with PostgreSQL there is no key file. ${describeKey(source)}`);
}

/** Secrets and seals of the source were made with one key; another one could not read them. */
async function demandFittingKey(reading: MoveSource, secretKey: string, source: DatabaseDescription): Promise<void> {
  const box = await createSecretBox({ secretKey, keyFile: source.keyFile });
  const [head] = await reading.selectTexts(`SELECT "value" AS text FROM "Setting" WHERE "key" = 'audit.head'`);
  const end = parseHead(head ?? null);
  const texts: string[] = [];
  for (const sql of SEALED) texts.push(...(await reading.selectTexts(sql)));
  const fitting = texts.filter((text) => box.hasSealed(text)).length;
  const isSealed = end !== null && createAuditChain(box.derive(AUDIT_KEYS.log)).isSealed(end);
  // A damaged end of the log is moved as it is, where the key is known by the secrets.
  const fits =
    isSealed || (end === null ? texts.length === 0 || fitting > 0 : texts.length > 0 && fitting === texts.length);
  if (fits) return;
  throw refuseMove(
    `TOOLROOM_SECRET_KEY is not the key of ${source.location}: with it, no stored secret could be read in the new database. ${describeKey(source)}`,
  );
}

/** The statements that select what is encrypted. */
const SEALED = [
  ["McpServer", "secrets"],
  ["McpServerState", "credentials"],
  ["McpServerState", "protocol"],
  ["UpstreamCredential", "sealed"],
  ["IdentityToken", "sealed"],
  ["ModelProvider", "secret"],
  ["Webhook", "secret"],
  ["CallRule", "hookSecret"],
].map(([table, column]) => `SELECT "${column}" AS text FROM "${table}" WHERE "${column}" IS NOT NULL LIMIT 1000`);

function describeKey({ kind, keyFile }: DatabaseDescription): string {
  if (kind === "sqlite" && existsSync(keyFile)) {
    const command = IS_WINDOWS
      ? `$env:TOOLROOM_SECRET_KEY = Get-Content -LiteralPath ${quoteForPowerShell(keyFile)}`
      : `export TOOLROOM_SECRET_KEY="$(cat ${quoteForShell(keyFile)})"`;
    return `Set it to the key of the source: ${command}`;
  }
  return "Set it to the value that the server of the source has, or to a new one where that has none: openssl rand -hex 32";
}

/** The end of the audit log beside the database goes along: a server would miss it there. */
async function copyAnchor(source: DatabaseDescription, target: DatabaseDescription): Promise<boolean> {
  const text = createSmallFile(source.anchorFile).read();
  const file = createSmallFile(target.anchorFile);
  const present = file.read();
  if (present === text) return text !== null;
  // The existing anchor belongs to a previous database.
  if (present !== null) moveFileSync(target.anchorFile, `${target.anchorFile}.before-move-${Date.now()}`);
  if (text === null) return false;
  mkdirSync(path.dirname(target.anchorFile), { recursive: true, mode: PRIVATE_FOLDER });
  await file.replace(text);
  return true;
}
