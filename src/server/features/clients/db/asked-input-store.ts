import { INTERACTION_KINDS } from "../../../../lib/contract/interaction-kinds";
import type { AskedInput } from "../../../engine/mcp-ports";
import type { Database } from "../../../platform/db/database";
import type { AskedInputStore } from "../asked-inputs";

const SAVE = `INSERT INTO "AskedInput" ("server", "tool", "kind", "lastAt") VALUES (?, ?, ?, ?)
  ON CONFLICT ("server", "tool", "kind") DO UPDATE SET "lastAt" =
    CASE WHEN excluded."lastAt" > "AskedInput"."lastAt" THEN excluded."lastAt" ELSE "AskedInput"."lastAt" END`;
const LIST = `SELECT "server", "tool", "kind" FROM "AskedInput" WHERE "lastAt" >= ? ORDER BY "server", "tool", "kind"`;

export function createAskedInputStore(db: Pick<Database, "change" | "rows">): AskedInputStore {
  return {
    async save({ server, tool, kind }, at) {
      await db.change(SAVE, server, tool, kind, at);
    },
    async list(since) {
      const rows = await db.rows<Omit<AskedInput, "kind"> & { kind: string }>(LIST, since);
      return rows.flatMap(({ server, tool, kind }) => {
        // A later version may have stored another kind.
        const known = INTERACTION_KINDS.find((each) => each === kind);
        return known === undefined ? [] : [{ server, tool, kind: known }];
      });
    },
    async prune(before) {
      await db.change('DELETE FROM "AskedInput" WHERE "lastAt" < ?', before);
    },
  };
}
