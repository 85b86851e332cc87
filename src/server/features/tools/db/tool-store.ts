import { nanoid } from "nanoid";
import { type ApprovalMode, approvalModeSchema } from "../../../../lib/contract/approval";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import type { Clock } from "../../../engine/ports";
import { TimeSlice } from "../../../engine/time-slice";
import type { SqliteDatabase } from "../../../platform/db/database";
import type { Tool } from "../../../platform/db/generated/client";
import { refuseDuplicate } from "../../../platform/db/refuse-duplicate";
import { isRevision, refuseOutdated, toLastEdit } from "../../../platform/db/refuse-outdated";
import type { StoredTool, ToolStore } from "../tool-store";
import { createToolFactStore, prepareFactWrites } from "./tool-facts";
import { createVersionStore, prepareVersionWrites } from "./tool-versions";

/** A damaged mode is not among them: any change replaces it. */
const MODES = JSON.stringify(approvalModeSchema.options);

const systemClock: Pick<Clock, "now"> = { now: Date.now };

function prepareToolWrites(raw: SqliteDatabase["raw"]) {
  const insert = raw.prepare(
    `INSERT INTO "Tool" (id, name, definition, enabled, "createdAt", "updatedAt", "changedBy") VALUES (?, ?, ?, 1, ?, ?, ?)`,
  );
  const replace = raw.prepare(
    `UPDATE "Tool" SET name = ?, definition = ?, "updatedAt" = ?, "changedBy" = ?, revision = revision + 1
     WHERE name = ? AND "deletedAt" IS NULL AND revision = coalesce(?, revision)`,
  );
  return { insert, replace };
}

export function createToolStore({
  db,
  clock = systemClock,
}: {
  db: SqliteDatabase;
  clock?: Pick<Clock, "now">;
}): ToolStore {
  const { tool } = db.prisma;
  const { raw } = db;
  const versions = prepareVersionWrites(raw);
  const facts = prepareFactWrites(raw);
  const { insert, replace } = prepareToolWrites(raw);
  const undelete = raw.prepare('UPDATE "Tool" SET "deletedAt" = NULL WHERE id = ?');
  /** A tool and its version are one commit. */
  const together = (name: string, work: () => void): Promise<void> =>
    db.write(() => raw.transaction(work).immediate()).catch(refuseDuplicate("tool", name));
  const unknown = (name: string) => new Error(`There is no tool '${name}' in the catalog's database`);

  async function get(name: string): Promise<StoredTool> {
    const row = await tool.findFirst({ where: { name, deletedAt: null } });
    if (row === null) throw unknown(name);
    return toStoredTool(row);
  }

  /** @throws Error if no live tool has this name */
  async function change(name: string, data: Partial<Omit<Tool, "id">>, revision?: number): Promise<StoredTool> {
    const where = { name, deletedAt: null };
    const [row] = await db
      .write(() => tool.updateManyAndReturn({ where: { ...where, ...isRevision(revision) }, data }))
      .catch(refuseDuplicate("tool", data.name ?? name));
    if (row === undefined) refuseOutdated("tool", name, await tool.findFirst({ where }));
    return toStoredTool(row);
  }

  return {
    async list() {
      const rows = await tool.findMany({ where: { deletedAt: null }, orderBy: [{ createdAt: "asc" }, { id: "asc" }] });
      // Definitions of a large catalog take a while to parse.
      const tools: StoredTool[] = [];
      const slice = new TimeSlice();
      for (const row of rows) {
        tools.push(toStoredTool(row));
        await slice.pause();
      }
      return tools;
    },

    async create({ name, definition, by }) {
      const at = clock.now();
      await together(name, () => {
        insert.run(`tool_${nanoid(16)}`, name, JSON.stringify(definition), at, at, by?.name ?? null);
        versions.add({ definition, at, actor: by ?? null, cause: "created" });
        facts.begin(name, by ?? null);
      });
      return get(name);
    },

    async update(name, { name: newName, definition, by, restoredFrom, revision }) {
      const at = clock.now();
      let missed = false;
      await together(newName, () => {
        const values = [newName, JSON.stringify(definition), at, by?.name ?? null, name, revision ?? null];
        missed = replace.run(...values).changes === 0;
        if (missed) return;
        versions.rename(name, newName);
        facts.rename(name, newName);
        versions.add({ definition, at, actor: by ?? null, cause: restoredFrom ? "restored" : "edited", restoredFrom });
      });
      if (missed) refuseOutdated("tool", name, await tool.findFirst({ where: { name, deletedAt: null } }));
      return get(newName);
    },

    async delete(name, revision) {
      const { id } = await change(name, { deletedAt: BigInt(clock.now()) }, revision);
      return { id };
    },

    async restore(id, by) {
      const deleted = await tool.findUnique({ where: { id } });
      if (deleted === null || deleted.deletedAt === null) return null;
      const restored = toStoredTool(deleted);
      await together(deleted.name, () => {
        undelete.run(id);
        // Another tool may have had the name in between.
        if (isPlainObject(restored.definition)) {
          versions.add({ definition: restored.definition, at: clock.now(), actor: by ?? null, cause: "restored" });
        }
      });
      return restored;
    },

    setEnabled: (name, enabled) => change(name, { enabled }),

    ...createToolSettingsStore(db, clock),
    ...createToolFactStore(db, clock),
    versions: createVersionStore(db, clock),
  };
}

/** A damaged mode requires approval, the safe side. */
export function readMode(mode: string): ApprovalMode {
  return approvalModeSchema.catch("always").parse(mode);
}

/** Stores the settings of tools of any origin. */
function createToolSettingsStore(
  db: SqliteDatabase,
  clock: Pick<Clock, "now">,
): Pick<ToolStore, "disabledNames" | "setDisabled" | "approvalModes" | "setApprovalMode"> {
  const { disabledTool, toolApprovalMode } = db.prisma;
  const isBefore = "(mode = ? OR mode NOT IN (SELECT value FROM json_each(?)))";
  const removeMode = db.raw.prepare(`DELETE FROM "ToolApprovalMode" WHERE name = ? AND ${isBefore}`);
  const addMode = db.raw.prepare(
    'INSERT INTO "ToolApprovalMode" (name, mode, "setAt") VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING',
  );
  const replaceMode = db.raw.prepare(
    `UPDATE "ToolApprovalMode" SET mode = ?, "setAt" = ? WHERE name = ? AND ${isBefore}`,
  );
  return {
    async disabledNames() {
      const rows = await disabledTool.findMany({ orderBy: { name: "asc" } });
      return rows.map((row) => row.name);
    },

    async setDisabled(name, disabled) {
      if (disabled) {
        const disabledAt = BigInt(clock.now());
        await db.write(() => disabledTool.upsert({ where: { name }, create: { name, disabledAt }, update: {} }));
      } else {
        await db.write(() => disabledTool.deleteMany({ where: { name } }));
      }
    },

    async approvalModes() {
      const rows = await toolApprovalMode.findMany();
      return new Map(rows.map(({ name, mode }) => [name, readMode(mode)]));
    },

    setApprovalMode: (name, mode, before) =>
      db.write(() => {
        if (mode === null) return removeMode.run(name, before, MODES).changes > 0;
        const at = clock.now();
        const written = before === null ? addMode.run(name, mode, at) : replaceMode.run(mode, at, name, before, MODES);
        return written.changes > 0;
      }),
  };
}

function toStoredTool({ id, name, definition, enabled, createdAt, updatedAt, ...edited }: Tool): StoredTool {
  return {
    id,
    name,
    definition: parseOrText(definition),
    enabled,
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
    lastEdit: toLastEdit({ ...edited, updatedAt }),
  };
}

/** A damaged row must not keep the rest of the catalog from loading. */
function parseOrText(text: string): ToolDefinition {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = text;
  }
  return value as ToolDefinition;
}
