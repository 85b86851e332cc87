import type { Actor } from "../../../../lib/contract/actor";
import type { ToolLens } from "../../../../lib/contract/lens";
import type { DeprecatedKey } from "../../../../lib/contract/tool-definition";
import type { SqliteDatabase } from "../../../platform/db/database";
import type { RawDatabase } from "../../../platform/db/sqlite/connection";
import type { ToolFactStore } from "../tool-store";
import { prepareVersionWrites } from "./tool-versions";

const TABLES = ["ToolOwner", "FavoriteTool", "ToolDeprecation", "ToolLens"] as const;
/** An empty id: no owner, although a person created the tool. */
const NO_OWNER: Actor = { id: "", name: "" };

/** Statements that expect an open transaction, so that a tool and what is said of it are one commit. */
export function prepareFactWrites(raw: RawDatabase) {
  const own = raw.prepare<[string, string, string]>(
    `INSERT INTO "ToolOwner" ("toolName", "personId", "personName") VALUES (?, ?, ?)
     ON CONFLICT ("toolName") DO UPDATE SET "personId" = excluded."personId", "personName" = excluded."personName"`,
  );
  const clear = TABLES.map((table) => raw.prepare<[string]>(`DELETE FROM "${table}" WHERE "toolName" = ?`));
  const move = TABLES.map((table) =>
    raw.prepare<[string, string]>(`UPDATE "${table}" SET "toolName" = ? WHERE "toolName" = ?`),
  );
  const clearPrefixed = TABLES.map((table) =>
    raw.prepare<[string, string, string]>(
      `DELETE FROM "${table}" WHERE substr("toolName", 1, length(?)) = ? AND "toolName" NOT IN (SELECT value FROM json_each(?))`,
    ),
  );
  const setOwner = (name: string, owner: Actor | null): void => {
    const { id, name: ownerName } = owner ?? NO_OWNER;
    own.run(name, id, ownerName);
  };
  const removeLens = raw.prepare<[string]>('DELETE FROM "ToolLens" WHERE "toolName" = ?');
  const putLens = raw.prepare<[string, string, number, string, string]>(
    `INSERT OR REPLACE INTO "ToolLens" ("toolName", expression, "updatedAt", "personId", "personName") VALUES (?, ?, ?, ?, ?)`,
  );
  return {
    setOwner,
    setLens(name: string, lens: ToolLens | null): void {
      if (lens === null) removeLens.run(name);
      else putLens.run(name, lens.expression, lens.updatedAt, lens.by.id, lens.by.name);
    },
    /** Starts the facts of a new tool; those of an earlier tool of this name end. */
    begin(name: string, owner: Actor | null): void {
      for (const statement of clear) statement.run(name);
      if (owner !== null) setOwner(name, owner);
    },
    rename(from: string, to: string): void {
      if (from === to) return;
      for (const statement of clear) statement.run(to);
      for (const statement of move) statement.run(to, from);
    },
    /** @param except names as a JSON list */
    forget(prefix: string, except: string): void {
      for (const statement of clearPrefixed) statement.run(prefix, prefix, except);
    },
  };
}

export function createToolFactStore(db: SqliteDatabase, clock: { now(): number }): ToolFactStore {
  const { raw } = db;
  const facts = prepareFactWrites(raw);
  const versions = prepareVersionWrites(raw);
  const together = (work: () => void): Promise<void> => db.write(() => raw.transaction(work).immediate());
  type OwnerRow = { toolName: string; id: string; name: string };
  const selectOwners = raw.prepare<[], OwnerRow>(
    `SELECT o."toolName", o."personId" AS id, COALESCE(u.name, o."personName") AS name
     FROM "ToolOwner" o LEFT JOIN "User" u ON u.id = o."personId"`,
  );
  // Tools from before there were owners.
  const selectCreators = raw.prepare<[], OwnerRow>(
    `SELECT v."toolName", v."actorId" AS id, COALESCE(u.name, v."actorName", v."actorId") AS name
     FROM "Tool" t JOIN "ToolVersion" v ON v."toolName" = t.name LEFT JOIN "User" u ON u.id = v."actorId"
     WHERE t."deletedAt" IS NULL AND v.cause = 'created' AND v."actorId" IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM "ToolOwner" o WHERE o."toolName" = t.name)`,
  );
  const selectDeprecations = raw.prepare<[], { toolName: string; deprecated: string }>(
    'SELECT "toolName", deprecated FROM "ToolDeprecation"',
  );
  const undeprecate = raw.prepare<[string]>('DELETE FROM "ToolDeprecation" WHERE "toolName" = ?');
  const deprecate = raw.prepare<[string, string]>(
    'INSERT OR REPLACE INTO "ToolDeprecation" ("toolName", deprecated) VALUES (?, ?)',
  );
  const selectLenses = raw
    .prepare<[], { toolName: string; expression: string; updatedAt: number; id: string; name: string }>(
      `SELECT l."toolName", l.expression, l."updatedAt", l."personId" AS id, COALESCE(u.name, l."personName") AS name
       FROM "ToolLens" l LEFT JOIN "User" u ON u.id = l."personId"`,
    )
    .safeIntegers(false);
  const selectFavorites = raw
    .prepare<[string], string>('SELECT "toolName" FROM "FavoriteTool" WHERE "personId" = ? ORDER BY "toolName"')
    .pluck();
  const addFavorite = raw.prepare<[string, string]>(
    'INSERT OR IGNORE INTO "FavoriteTool" ("personId", "toolName") VALUES (?, ?)',
  );
  const removeFavorite = raw.prepare<[string, string]>(
    'DELETE FROM "FavoriteTool" WHERE "personId" = ? AND "toolName" = ?',
  );

  return {
    async owners() {
      const rows = [...selectCreators.all(), ...selectOwners.all()];
      const owned = rows.filter(({ id }) => id !== NO_OWNER.id);
      return new Map(owned.map(({ toolName, id, name }): [string, Actor] => [toolName, { id, name }]));
    },
    setOwner: (name, owner) => together(() => facts.setOwner(name, owner)),
    async deprecations() {
      return new Map(
        selectDeprecations.all().flatMap(({ toolName, deprecated }): [string, DeprecatedKey][] => {
          const read = db.damaged.read("deprecation", toolName, () => JSON.parse(deprecated) as DeprecatedKey);
          return read === null ? [] : [[toolName, read]];
        }),
      );
    },
    setDeprecation: (deprecated, { definition, by }) =>
      together(() => {
        if (deprecated === undefined) undeprecate.run(definition.name);
        else deprecate.run(definition.name, JSON.stringify(deprecated));
        versions.add({ definition, at: clock.now(), actor: by, cause: "edited" });
      }),
    async lenses() {
      return new Map(
        selectLenses
          .all()
          .map(({ toolName, id, name, ...lens }): [string, ToolLens] => [toolName, { ...lens, by: { id, name } }]),
      );
    },
    setLens: (name, lens) => together(() => facts.setLens(name, lens)),
    favorites: async (personId) => selectFavorites.all(personId),
    setFavorite: (personId, name, favorite) =>
      together(() => void (favorite ? addFavorite : removeFavorite).run(personId, name)),
    renameFacts: (from, to) => together(() => facts.rename(from, to)),
    forgetFacts: (prefix, except) => together(() => facts.forget(prefix, JSON.stringify(except))),
  };
}
