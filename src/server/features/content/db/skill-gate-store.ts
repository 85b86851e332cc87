import { isPlainObject } from "../../../../lib/contract/json";
import type { Database } from "../../../platform/db/database";
import { AMONG, change, type Steps, selectRows } from "../../../platform/db/sql";
import type {
  FileBytes,
  SkillEntry,
  SkillGateStore,
  SkillPin,
  SkillPinChange,
  SkillPinDecision,
} from "../gate/skill-gate-store";

interface PinRow {
  serverName: string;
  uri: string;
  approvedHash: string | null;
  approved: string | null;
  heldHash: string | null;
  held: string | null;
  heldAt: number | bigint | null;
  status: string;
  deciderId: string | null;
  deciderName: string | null;
  decidedAt: number | bigint | null;
}

const COLUMNS = `"serverName", uri, "approvedHash", approved, "heldHash", held, "heldAt", status, "deciderId", "deciderName", "decidedAt"`;
const UNDECIDED = `"deciderId" = NULL, "deciderName" = NULL, "decidedAt" = NULL`;
const SELECT_ALL = `SELECT ${COLUMNS} FROM "SkillPin" ORDER BY "serverName", uri`;
const SELECT = `SELECT ${COLUMNS} FROM "SkillPin" WHERE "serverName" = ? ORDER BY uri`;
const SELECT_GATES = 'SELECT "serverName" FROM "SkillGate"';
const SELECT_GATE = 'SELECT "serverName" FROM "SkillGate" WHERE "serverName" = ?';
const BEGIN = 'INSERT INTO "SkillGate" ("serverName", since) VALUES (?, ?) ON CONFLICT DO NOTHING';
const TRUST = `INSERT INTO "SkillPin" ("serverName", uri, "approvedHash", approved, status) VALUES (?, ?, ?, ?, 'approved')`;
/** Inserts or updates a waiting version, unless it is already approved or waits. */
const HOLD = `INSERT INTO "SkillPin" ("serverName", uri, "heldHash", held, "heldAt", status)
  SELECT ?, ?, ?, ?, ?, 'open' WHERE EXISTS (${SELECT_GATE})
  ON CONFLICT ("serverName", uri) DO UPDATE SET "heldHash" = excluded."heldHash", held = excluded.held,
    "heldAt" = excluded."heldAt", status = 'open', ${UNDECIDED}
  WHERE "SkillPin"."approvedHash" IS DISTINCT FROM excluded."heldHash"
    AND "SkillPin"."heldHash" IS DISTINCT FROM excluded."heldHash"`;
const DELETE_NEW = `DELETE FROM "SkillPin" WHERE "serverName" = ? AND uri = ? AND "heldHash" = ? AND status = 'open'
  AND "approvedHash" IS NULL`;
const SETTLE = `UPDATE "SkillPin" SET "heldHash" = NULL, held = NULL, "heldAt" = NULL, status = 'approved'
  WHERE "serverName" = ? AND uri = ? AND "heldHash" = ? AND status = 'open'`;
const AS_SHOWN = '"serverName" = ? AND uri = ? AND "heldHash" = ? AND status = ?';
const DECIDED = `status = ?, "deciderId" = ?, "deciderName" = ?, "decidedAt" = ?`;
/** Keeps the time since which the version waited, for alerts. */
const APPROVE = `UPDATE "SkillPin" SET "approvedHash" = "heldHash", approved = held, "heldHash" = NULL, held = NULL,
    ${DECIDED} WHERE ${AS_SHOWN} AND held IS NOT NULL`;
const APPROVE_REMOVAL = `DELETE FROM "SkillPin" WHERE ${AS_SHOWN} AND held IS NULL`;
const BLOCK = `UPDATE "SkillPin" SET ${DECIDED} WHERE ${AS_SHOWN}`;
const INSERT_FILE = `INSERT INTO "SkillPinFile" ("serverName", digest, bytes)
  SELECT ?, ?, ? WHERE EXISTS (${SELECT_GATE}) ON CONFLICT DO NOTHING`;
const SELECT_FILES = `SELECT digest, bytes FROM "SkillPinFile" WHERE "serverName" = ? AND digest ${AMONG}`;
const SELECT_DIGESTS = `SELECT digest FROM "SkillPinFile" WHERE "serverName" = ? AND digest ${AMONG}`;
const DELETE_UNUSED = `DELETE FROM "SkillPinFile" WHERE "serverName" = ? AND digest NOT ${AMONG}`;
const DELETE_GATE = 'DELETE FROM "SkillGate" WHERE "serverName" = ?';
/** Writes take turns, since each deletes the files that no version of its server has after it. */
const LOCK = "skill gates";

/** The approved and waiting versions of servers' skills. */
export function createSkillGateStore(db: Database): SkillGateStore {
  const read = (row: PinRow): SkillPin | null =>
    db.damaged.read("skill of a server", `${row.serverName} ${row.uri}`, () => toPin(row));
  return {
    async listAll() {
      const pins = new Map<string, SkillPin[]>();
      for (const { serverName } of await db.rows<{ serverName: string }>(SELECT_GATES)) pins.set(serverName, []);
      for (const row of await db.rows<PinRow>(SELECT_ALL)) {
        const pin = read(row);
        if (pin !== null) pins.get(row.serverName)?.push(pin);
      }
      return pins;
    },
    async list(server) {
      if ((await db.row(SELECT_GATE, server)) === undefined) return null;
      return (await db.rows<PinRow>(SELECT, server)).flatMap((row) => read(row) ?? []);
    },
    async begin(server, at, approved, files) {
      await db.transaction(function* () {
        if ((yield* change(BEGIN, server, at)) === 0) return;
        for (const { hash, entry } of approved) {
          yield* change(TRUST, server, entry.uri, hash, JSON.stringify(entry));
        }
        yield* writeFiles(server, files);
      }, LOCK);
    },
    async change(server, changes, files) {
      await db.transaction(function* () {
        yield* writeFiles(server, files);
        for (const one of changes) yield* writeChange(server, one);
        yield* deleteUnusedFiles(server);
      }, LOCK);
    },
    decide: (server, decision) =>
      db.transaction(function* () {
        const changes = yield* writeDecision(server, decision);
        yield* deleteUnusedFiles(server);
        return changes === 1;
      }, LOCK),
    async readFiles(server, digests) {
      const rows = await db.rows<{ digest: string; bytes: Uint8Array }>(SELECT_FILES, server, [...new Set(digests)]);
      return new Map(rows.map(({ digest, bytes }) => [digest, bytes]));
    },
    async clear(server) {
      await db.change(DELETE_GATE, server);
    },
  };
}

function* writeFiles(server: string, files: FileBytes): Steps<void> {
  for (const [digest, bytes] of files) yield* change(INSERT_FILE, server, digest, bytes, server);
}

function* writeChange(server: string, given: SkillPinChange): Steps<void> {
  if (given.kind === "hold") {
    const { hash, entry, at } = given.held;
    // Another instance may have deleted files that were found stored: the next list has them read.
    if (entry !== null && !(yield* areStored(server, entry))) return;
    const text = entry === null ? null : JSON.stringify(entry);
    yield* change(HOLD, server, given.uri, hash, text, at, server);
    return;
  }
  yield* change(DELETE_NEW, server, given.uri, given.hash);
  yield* change(SETTLE, server, given.uri, given.hash);
}

function* areStored(server: string, { resources }: SkillEntry): Steps<boolean> {
  const digests = [...new Set(resources.map(({ digest }) => digest))];
  return (yield* selectRows(SELECT_DIGESTS, server, digests)).length === digests.length;
}

function* writeDecision(server: string, { uri, hash, status, decision, by, at }: SkillPinDecision): Steps<number> {
  const shown = [server, uri, hash, status];
  if (decision === "block") return yield* change(BLOCK, "blocked", by.id, by.name, at, ...shown);
  const removed = yield* change(APPROVE_REMOVAL, ...shown);
  return removed > 0 ? removed : yield* change(APPROVE, "approved", by.id, by.name, at, ...shown);
}

function* deleteUnusedFiles(server: string): Steps<void> {
  const rows = yield* selectRows<Pick<PinRow, "approved" | "held">>(SELECT, server);
  const digests = rows.flatMap(({ approved, held }) => [approved, held].flatMap(listDigests));
  yield* change(DELETE_UNUSED, server, [...new Set(digests)]);
}

/** None of a damaged text, whose files cannot be named. */
function listDigests(text: string | null): string[] {
  try {
    return text === null ? [] : toEntry(text).resources.map(({ digest }) => digest);
  } catch {
    return [];
  }
}

function toPin({ uri, approvedHash, approved, heldHash, held, heldAt, status, ...row }: PinRow): SkillPin {
  return {
    uri,
    approved: approvedHash === null || approved === null ? null : { hash: approvedHash, entry: toEntry(approved) },
    held:
      heldHash === null
        ? null
        : {
            hash: heldHash,
            entry: held === null ? null : toEntry(held),
            at: Number(heldAt),
            status: status === "blocked" ? "blocked" : "open",
          },
    decidedBy: row.deciderId === null ? null : { id: row.deciderId, name: row.deciderName ?? row.deciderId },
    decidedAt: row.decidedAt === null ? null : Number(row.decidedAt),
  };
}

function toEntry(text: string): SkillEntry {
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value) || !isPlainObject(value.frontmatter) || !Array.isArray(value.resources)) {
    throw new Error("its entry is no skill");
  }
  return value as unknown as SkillEntry;
}

export async function forgetSkillGate(db: Pick<Database, "change">, server: string): Promise<void> {
  await db.change(DELETE_GATE, server);
}

export async function renameSkillGate(db: Pick<Database, "change">, from: string, to: string): Promise<void> {
  await forgetSkillGate(db, to);
  await db.change('UPDATE "SkillGate" SET "serverName" = ? WHERE "serverName" = ?', to, from);
}
