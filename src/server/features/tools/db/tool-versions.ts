import type { Actor } from "../../../../lib/contract/actor";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import type { ToolVersion, VersionCause } from "../../../../lib/contract/tool-version";
import { VERSION_CAUSES } from "../../../../lib/contract/tool-version";
import { compareDefinitions } from "../../../engine/registry/tool-changes";
import { TimeSlice } from "../../../engine/time-slice";
import type { SqliteDatabase } from "../../../platform/db/database";
import { snapshotDefinition } from "../../../platform/db/definition-hash";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
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

/** Statements that expect an open transaction, so that a tool and its version are one commit. */
export function prepareVersionWrites(raw: RawDatabase) {
  const findNewest = raw
    .prepare<[string], { number: number; definitionHash: string; definition: string }>(
      `SELECT number, "definitionHash", definition FROM "ToolVersion" WHERE "toolName" = ? ORDER BY number DESC LIMIT 1`,
    )
    .safeIntegers(false);
  const insert = raw.prepare(
    `INSERT INTO "ToolVersion" ("toolName", ${COLUMNS}, definition) VALUES (${Array(11).fill("?").join(", ")})`,
  );
  const prune = raw.prepare<[string, number]>(
    `DELETE FROM "ToolVersion" WHERE "toolName" = ? AND number <= ? AND "actorId" IS NULL AND cause IN ('listed', 'loaded')`,
  );
  const move = raw.prepare<[string, number, string]>(
    `UPDATE "ToolVersion" SET "toolName" = ?, number = number + ? WHERE "toolName" = ?`,
  );
  return {
    /** Nothing where the newest version has this definition. */
    add({ definition, at, actor, cause, restoredFrom = null }: AddedVersion): void {
      const { hash, json } = snapshotDefinition(definition);
      const { name } = definition;
      const newest = findNewest.get(name);
      if (newest?.definitionHash === hash) return;
      const before = newest === undefined ? null : parseDefinition(newest.definition);
      const kind = before === null ? null : (compareDefinitions(before, definition)?.kind ?? "wording");
      const number = (newest?.number ?? 0) + 1;
      const made = [actor?.id ?? null, actor?.name ?? null, cause, restoredFrom, kind];
      insert.run(name, number, name, hash, at, ...made, json);
      prune.run(name, number - MAX_WITHOUT_AUTHOR);
    },
    rename(from: string, to: string): void {
      if (from !== to) move.run(to, findNewest.get(to)?.number ?? 0, from);
    },
  };
}

export function createVersionStore(db: SqliteDatabase, clock: { now(): number }): VersionStore {
  const { raw } = db;
  const writes = prepareVersionWrites(raw);
  const select = <Row>(columns: string, rest: string) =>
    raw.prepare<(string | number)[], Row>(`SELECT ${columns} FROM "ToolVersion" ${rest}`).safeIntegers(false);
  type WholeRow = VersionRow & { definition: string };
  const selectPage = select<VersionRow>(COLUMNS, 'WHERE "toolName" = ? AND number < ? ORDER BY number DESC LIMIT ?');
  const selectOne = select<WholeRow>(`${COLUMNS}, definition`, 'WHERE "toolName" = ? AND number = ?');
  const selectBefore = select<WholeRow>(
    `${COLUMNS}, definition`,
    'WHERE "toolName" = ? AND number < ? ORDER BY number DESC LIMIT 1',
  );
  const selectNewest = select<{ toolName: string; definitionHash: string }>(
    'v."toolName", v."definitionHash"',
    `v WHERE v."toolName" IN (SELECT value FROM json_each(?)) AND NOT EXISTS
     (SELECT 1 FROM "ToolVersion" later WHERE later."toolName" = v."toolName" AND later.number > v.number)`,
  );
  const addTogether = raw.transaction((versions: readonly AddedVersion[]): void => {
    for (const version of versions) writes.add(version);
  });

  return {
    async add(versions) {
      const slice = new TimeSlice();
      let batch: AddedVersion[] = [];
      let chars = 0;
      const commit = async (): Promise<void> => {
        const added = batch;
        [batch, chars] = [[], 0];
        if (added.length > 0) await db.write(() => addTogether.immediate(added));
      };
      for (let start = 0; start < versions.length; start += MAX_BATCH) {
        const page = versions.slice(start, start + MAX_BATCH);
        const known = new Map(
          selectNewest
            .all(JSON.stringify(page.map(({ definition }) => definition.name)))
            .map(({ toolName, definitionHash }) => [toolName, definitionHash]),
        );
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
    list: async (toolName, below, limit) => selectPage.all(toolName, below, limit).map(toVersion),
    find: async (toolName, number) => toWhole(selectOne.get(toolName, number)),
    findBefore: async (toolName, number) => toWhole(selectBefore.get(toolName, number)),
    async rename(from, to) {
      await db.write(() => raw.transaction(() => writes.rename(from, to)).immediate());
    },
  };
}

function toWhole(row: (VersionRow & { definition: string }) | undefined) {
  const definition = row === undefined ? null : parseDefinition(row.definition);
  return row === undefined || definition === null ? null : { ...toVersion(row), definition };
}

/** Null for a damaged one, which must not keep the next version from being stored. */
function parseDefinition(text: string): ToolDefinition | null {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? (value as unknown as ToolDefinition) : null;
  } catch {
    return null;
  }
}

function toVersion({ number, name, definitionHash, at, actorId, actorName, ...row }: VersionRow): ToolVersion {
  const { restoredFrom, classification } = row;
  return {
    ...{ number, name, definitionHash, at, restoredFrom, classification },
    actor: actorId === null ? null : { id: actorId, name: actorName ?? actorId },
    // A cause of a later version of Toolroom.
    cause: VERSION_CAUSES.includes(row.cause) ? row.cause : "edited",
  };
}
