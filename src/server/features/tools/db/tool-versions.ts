import type { Actor } from "../../../../lib/contract/actor";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import type { ToolVersion, VersionCause } from "../../../../lib/contract/tool-version";
import { VERSION_CAUSES } from "../../../../lib/contract/tool-version";
import { parseWithDigits } from "../../../../lib/json/number-digits";
import { compareDefinitions } from "../../../engine/registry/tool-changes";
import { TimeSlice } from "../../../engine/time-slice";
import type { Database } from "../../../platform/db/database";
import { snapshotDefinition } from "../../../platform/db/definition-hash";
import { AMONG, change, type SqlValue, type Steps, selectRow } from "../../../platform/db/sql";
import type { VersionStore } from "../tool-store";

/** The versions kept of servers, configuration and code: a server may change a description with every list. */
const MAX_WITHOUT_AUTHOR = 200;
/** Versions in one commit, and characters after which it ends: each is compared with the one before. */
const MAX_BATCH = 25;
const MAX_BATCH_CHARS = 262_144;

const COLUMNS = `number, name, "definitionHash", at, "actorId", "actorName", cause, "restoredFrom", classification`;

interface VersionRow extends Omit<ToolVersion, "actor"> {
  actorId: string | null;
  actorName: string | null;
}

export interface AddedVersion {
  definition: ToolDefinition;
  at: number;
  actor: Actor | null;
  cause: VersionCause;
  restoredFrom?: number | null | undefined;
}

const FIND_NEWEST = `SELECT number, "definitionHash", definition FROM "ToolVersion" WHERE "toolName" = ?
  ORDER BY number DESC LIMIT 1`;
const INSERT = `INSERT INTO "ToolVersion" ("toolName", ${COLUMNS}, definition) VALUES (${Array(11).fill("?").join(", ")})`;
const PRUNE = `DELETE FROM "ToolVersion"
  WHERE "toolName" = ? AND number <= ? AND "actorId" IS NULL AND cause IN ('listed', 'loaded')`;
const MOVE = `UPDATE "ToolVersion" SET "toolName" = ?, number = number + ? WHERE "toolName" = ?`;

const findNewest = (name: string) =>
  selectRow<{ number: number; definitionHash: string; definition: string }>(FIND_NEWEST, name);

/** A part of the transaction that writes the tool. Nothing where the newest version has this definition. */
export function* addVersion({ definition, at, actor, cause, restoredFrom = null }: AddedVersion): Steps<void> {
  const { hash, json } = snapshotDefinition(definition);
  const { name } = definition;
  const newest = yield* findNewest(name);
  if (newest?.definitionHash === hash) return;
  const before = newest === undefined ? null : parseDefinition(newest.definition);
  const kind = before === null ? null : (compareDefinitions(before, definition)?.kind ?? "wording");
  const number = (newest?.number ?? 0) + 1;
  const made = [actor?.id ?? null, actor?.name ?? null, cause, restoredFrom, kind];
  yield* change(INSERT, name, number, name, hash, at, ...made, json);
  yield* change(PRUNE, name, number - MAX_WITHOUT_AUTHOR);
}

/** A part of the transaction that renames the tool. */
export function* renameVersions(from: string, to: string): Steps<void> {
  if (from !== to) yield* change(MOVE, to, (yield* findNewest(to))?.number ?? 0, from);
}

/** The greatest number of a version. */
const MAX_NUMBER = 2 ** 31 - 1;
const SELECT = `SELECT ${COLUMNS} FROM "ToolVersion"`;
const SELECT_WHOLE = `SELECT ${COLUMNS}, definition FROM "ToolVersion"`;
const BELOW = 'WHERE "toolName" = ? AND number < ? ORDER BY number DESC LIMIT';
const SELECT_NEWEST = `SELECT v."toolName", v."definitionHash" FROM "ToolVersion" v WHERE v."toolName" ${AMONG}
  AND NOT EXISTS (SELECT 1 FROM "ToolVersion" later WHERE later."toolName" = v."toolName" AND later.number > v.number)`;

export function createVersionStore(db: Database, clock: { now(): number }): VersionStore {
  const findWhole = async (rest: string, ...values: SqlValue[]) =>
    toWhole(await db.row<VersionRow & { definition: string }>(`${SELECT_WHOLE} ${rest}`, ...values));

  return {
    async add(versions) {
      const slice = new TimeSlice();
      let batch: AddedVersion[] = [];
      let chars = 0;
      const commit = async (): Promise<void> => {
        const added = batch;
        [batch, chars] = [[], 0];
        if (added.length === 0) return;
        await db.transaction(function* () {
          for (const version of added) yield* addVersion(version);
        });
      };
      for (let start = 0; start < versions.length; start += MAX_BATCH) {
        const page = versions.slice(start, start + MAX_BATCH);
        const names = page.map(({ definition }) => definition.name);
        const newest = await db.rows<{ toolName: string; definitionHash: string }>(SELECT_NEWEST, names);
        const known = new Map(newest.map(({ toolName, definitionHash }) => [toolName, definitionHash]));
        for (const version of page) {
          // Hash and text of a large definition take as long as a slice; the commit uses them again.
          await slice.pause();
          const { hash, json } = snapshotDefinition(version.definition);
          if (known.get(version.definition.name) === hash) continue;
          batch.push({ ...version, at: version.at ?? clock.now() });
          chars += json.length;
          if (batch.length === MAX_BATCH || chars >= MAX_BATCH_CHARS) await commit();
        }
      }
      await commit();
    },
    async list(toolName, below, limit) {
      const rows = await db.rows<VersionRow>(`${SELECT} ${BELOW} ?`, toolName, Math.min(below, MAX_NUMBER), limit);
      return rows.map(toVersion);
    },
    find: async (toolName, number) =>
      number > MAX_NUMBER ? null : findWhole('WHERE "toolName" = ? AND number = ?', toolName, number),
    findBefore: (toolName, number) => findWhole(`${BELOW} 1`, toolName, Math.min(number, MAX_NUMBER)),
    rename: (from, to) => db.transaction(() => renameVersions(from, to)),
  };
}

function toWhole(row: (VersionRow & { definition: string }) | undefined) {
  const definition = row === undefined ? null : parseDefinition(row.definition);
  return row === undefined || definition === null ? null : { ...toVersion(row), definition };
}

/** Null for a damaged one, which must not keep the next version from being stored. */
function parseDefinition(text: string): ToolDefinition | null {
  try {
    const value = parseWithDigits(text);
    return isPlainObject(value) ? (value as unknown as ToolDefinition) : null;
  } catch {
    return null;
  }
}

function toVersion({ number, name, definitionHash, at, actorId, actorName, ...row }: VersionRow): ToolVersion {
  const { restoredFrom, classification } = row;
  return {
    number,
    name,
    definitionHash,
    at,
    restoredFrom,
    classification,
    actor: actorId === null ? null : { id: actorId, name: actorName ?? actorId },
    // A cause of a later version of Toolroom.
    cause: VERSION_CAUSES.includes(row.cause) ? row.cause : "edited",
  };
}
