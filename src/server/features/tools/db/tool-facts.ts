import type { Actor } from "../../../../lib/contract/actor";
import type { ToolLens } from "../../../../lib/contract/lens";
import type { DeprecatedKey } from "../../../../lib/contract/tool-definition";
import type { Database } from "../../../platform/db/database";
import { AMONG, change, type Steps } from "../../../platform/db/sql";
import type { ToolFactStore } from "../tool-store";
import { addVersion } from "./tool-versions";

const TABLES = ["ToolOwner", "FavoriteTool", "ToolDeprecation", "ToolLens"] as const;
/** An empty id: no owner, although a user created the tool. */
const NO_OWNER: Actor = { id: "", name: "" };

const OWN = `INSERT INTO "ToolOwner" ("toolName", "personId", "personName") VALUES (?, ?, ?)
  ON CONFLICT ("toolName") DO UPDATE SET "personId" = excluded."personId", "personName" = excluded."personName"`;
const PUT_LENS = `INSERT INTO "ToolLens" ("toolName", expression, "updatedAt", "personId", "personName")
  VALUES (?, ?, ?, ?, ?) ON CONFLICT ("toolName") DO UPDATE SET expression = excluded.expression,
    "updatedAt" = excluded."updatedAt", "personId" = excluded."personId", "personName" = excluded."personName"`;
const DEPRECATE = `INSERT INTO "ToolDeprecation" ("toolName", deprecated) VALUES (?, ?)
  ON CONFLICT ("toolName") DO UPDATE SET deprecated = excluded.deprecated`;

/** Steps of the transaction that writes a tool, so that the tool and its facts are one commit. */
export const factSteps = {
  *setOwner(name: string, owner: Actor | null): Steps<void> {
    const { id, name: ownerName } = owner ?? NO_OWNER;
    yield* change(OWN, name, id, ownerName);
  },
  *setLens(name: string, lens: ToolLens | null): Steps<void> {
    if (lens === null) yield* change('DELETE FROM "ToolLens" WHERE "toolName" = ?', name);
    else yield* change(PUT_LENS, name, lens.expression, lens.updatedAt, lens.by.id, lens.by.name);
  },
  /** Starts the facts of a new tool; those of an earlier tool of this name end. */
  *begin(name: string, owner: Actor | null): Steps<void> {
    yield* clear(name);
    if (owner !== null) yield* factSteps.setOwner(name, owner);
  },
  *rename(from: string, to: string): Steps<void> {
    if (from === to) return;
    yield* clear(to);
    for (const table of TABLES) yield* change(`UPDATE "${table}" SET "toolName" = ? WHERE "toolName" = ?`, to, from);
  },
  *forget(prefix: string, except: readonly string[]): Steps<void> {
    for (const table of TABLES) {
      const condition = `substr("toolName", 1, ?) = ? AND "toolName" NOT ${AMONG}`;
      yield* change(`DELETE FROM "${table}" WHERE ${condition}`, prefix.length, prefix, except);
    }
  },
};

function* clear(name: string): Steps<void> {
  for (const table of TABLES) yield* change(`DELETE FROM "${table}" WHERE "toolName" = ?`, name);
}

interface OwnerRow {
  toolName: string;
  id: string;
  name: string;
}

const SELECT_OWNERS = `SELECT o."toolName", o."personId" AS id, COALESCE(u.name, o."personName") AS name
  FROM "ToolOwner" o LEFT JOIN "User" u ON u.id = o."personId"`;
/** Tools from before there were owners. */
const SELECT_CREATORS = `SELECT v."toolName", v."actorId" AS id, COALESCE(u.name, v."actorName", v."actorId") AS name
  FROM "Tool" t JOIN "ToolVersion" v ON v."toolName" = t.name LEFT JOIN "User" u ON u.id = v."actorId"
  WHERE t."deletedAt" IS NULL AND v.cause = 'created' AND v."actorId" IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM "ToolOwner" o WHERE o."toolName" = t.name)`;
const SELECT_LENSES = `SELECT l."toolName", l.expression, l."updatedAt", l."personId" AS id,
    COALESCE(u.name, l."personName") AS name
  FROM "ToolLens" l LEFT JOIN "User" u ON u.id = l."personId"`;
const SELECT_FAVORITES = 'SELECT "toolName" FROM "FavoriteTool" WHERE "personId" = ? ORDER BY "toolName"';
const ADD_FAVORITE = 'INSERT INTO "FavoriteTool" ("personId", "toolName") VALUES (?, ?) ON CONFLICT DO NOTHING';
const REMOVE_FAVORITE = 'DELETE FROM "FavoriteTool" WHERE "personId" = ? AND "toolName" = ?';

export function createToolFactStore(db: Database, clock: { now(): number }): ToolFactStore {
  return {
    async owners() {
      const rows = [...(await db.rows<OwnerRow>(SELECT_CREATORS)), ...(await db.rows<OwnerRow>(SELECT_OWNERS))];
      const owned = rows.filter(({ id }) => id !== NO_OWNER.id);
      return new Map(owned.map(({ toolName, id, name }): [string, Actor] => [toolName, { id, name }]));
    },
    setOwner: (name, owner) => db.transaction(() => factSteps.setOwner(name, owner)),
    async deprecations() {
      const rows = await db.rows<{ toolName: string; deprecated: string }>(
        'SELECT "toolName", deprecated FROM "ToolDeprecation"',
      );
      return new Map(
        rows.flatMap(({ toolName, deprecated }): [string, DeprecatedKey][] => {
          const read = db.damaged.read("deprecation", toolName, () => JSON.parse(deprecated) as DeprecatedKey);
          return read === null ? [] : [[toolName, read]];
        }),
      );
    },
    setDeprecation: (deprecated, { definition, by }) =>
      db.transaction(function* () {
        const { name } = definition;
        if (deprecated === undefined) yield* change('DELETE FROM "ToolDeprecation" WHERE "toolName" = ?', name);
        else yield* change(DEPRECATE, name, JSON.stringify(deprecated));
        yield* addVersion({ definition, at: clock.now(), actor: by, cause: "edited" });
      }),
    async lenses() {
      const rows = await db.rows<OwnerRow & Omit<ToolLens, "by">>(SELECT_LENSES);
      return new Map(
        rows.map(({ toolName, id, name, ...lens }): [string, ToolLens] => [toolName, { ...lens, by: { id, name } }]),
      );
    },
    setLens: (name, lens) => db.transaction(() => factSteps.setLens(name, lens)),
    favorites: async (userId) =>
      (await db.rows<{ toolName: string }>(SELECT_FAVORITES, userId)).map(({ toolName }) => toolName),
    async setFavorite(userId, name, favorite) {
      await db.change(favorite ? ADD_FAVORITE : REMOVE_FAVORITE, userId, name);
    },
    renameFacts: (from, to) => db.transaction(() => factSteps.rename(from, to)),
    forgetFacts: (prefix, except) => db.transaction(() => factSteps.forget(prefix, except)),
  };
}
