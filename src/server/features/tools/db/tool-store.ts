import { nanoid } from "nanoid";
import { type ApprovalMode, approvalModeSchema } from "../../../../lib/contract/approval";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import { parseWithDigits, stringifyWithDigits } from "../../../../lib/json/number-digits";
import type { Clock } from "../../../engine/ports";
import { TimeSlice } from "../../../engine/time-slice";
import type { Database } from "../../../platform/db/database";
import type { Tool } from "../../../platform/db/generated/client";
import { refuseDuplicate } from "../../../platform/db/refuse-duplicate";
import { isRevision, refuseOutdated, toLastEdit } from "../../../platform/db/refuse-outdated";
import { AMONG, change as changeRows, type Steps } from "../../../platform/db/sql";
import type { StoredTool, ToolStore } from "../tool-store";
import { createToolFactStore, factSteps } from "./tool-facts";
import { addVersion, createVersionStore, renameVersions } from "./tool-versions";

/** Leaves out a damaged mode, so that any change replaces it. */
const MODES = approvalModeSchema.options;

const systemClock: Pick<Clock, "now"> = { now: Date.now };

const INSERT = `INSERT INTO "Tool" (id, name, definition, enabled, "createdAt", "updatedAt", "changedBy")
  VALUES (?, ?, ?, true, ?, ?, ?)`;
const REPLACE = `UPDATE "Tool" SET name = ?, definition = ?, "updatedAt" = ?, "changedBy" = ?, revision = revision + 1
  WHERE name = ? AND "deletedAt" IS NULL AND revision = coalesce(?, revision)`;

export function createToolStore({ db, clock = systemClock }: { db: Database; clock?: Pick<Clock, "now"> }): ToolStore {
  const { tool } = db.prisma;
  /** A tool and its version are one commit. */
  const together = <T>(name: string, work: () => Steps<T>): Promise<T> =>
    db.transaction(work).catch(refuseDuplicate("tool", name));
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
      await together(name, function* () {
        const values = [`tool_${nanoid(16)}`, name, stringifyWithDigits(definition), at, at, by?.name ?? null];
        yield* changeRows(INSERT, ...values);
        yield* addVersion({ definition, at, actor: by ?? null, cause: "created" });
        yield* factSteps.begin(name, by ?? null);
      });
      return get(name);
    },

    async update(name, { name: newName, definition, by, restoredFrom, revision }) {
      const at = clock.now();
      const isFound = await together(newName, function* () {
        const values = [newName, stringifyWithDigits(definition), at, by?.name ?? null, name, revision ?? null];
        if ((yield* changeRows(REPLACE, ...values)) === 0) return false;
        yield* renameVersions(name, newName);
        yield* factSteps.rename(name, newName);
        const cause = restoredFrom ? "restored" : "edited";
        yield* addVersion({ definition, at, actor: by ?? null, cause, restoredFrom });
        return true;
      });
      if (!isFound) refuseOutdated("tool", name, await tool.findFirst({ where: { name, deletedAt: null } }));
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
      const { definition } = restored;
      await together(deleted.name, function* () {
        yield* changeRows('UPDATE "Tool" SET "deletedAt" = NULL WHERE id = ?', id);
        // Another tool may have had the name in between.
        if (isPlainObject(definition)) {
          yield* addVersion({ definition, at: clock.now(), actor: by ?? null, cause: "restored" });
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

const IS_BEFORE = `(mode = ? OR mode NOT ${AMONG})`;
const REMOVE_MODE = `DELETE FROM "ToolApprovalMode" WHERE name = ? AND ${IS_BEFORE}`;
const ADD_MODE = 'INSERT INTO "ToolApprovalMode" (name, mode, "setAt") VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING';
const REPLACE_MODE = `UPDATE "ToolApprovalMode" SET mode = ?, "setAt" = ? WHERE name = ? AND ${IS_BEFORE}`;

/** Stores the settings of tools of any origin. */
function createToolSettingsStore(
  db: Database,
  clock: Pick<Clock, "now">,
): Pick<ToolStore, "disabledNames" | "setDisabled" | "approvalModes" | "setApprovalMode"> {
  const { disabledTool, toolApprovalMode } = db.prisma;
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

    async setApprovalMode(name, mode, before) {
      if (mode === null) return (await db.change(REMOVE_MODE, name, before, MODES)) > 0;
      const at = clock.now();
      if (before === null) return (await db.change(ADD_MODE, name, mode, at)) > 0;
      return (await db.change(REPLACE_MODE, mode, at, name, before, MODES)) > 0;
    },
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

/** A damaged row must not prevent the rest of the catalog from loading. */
function parseOrText(text: string): ToolDefinition {
  let value: unknown;
  try {
    value = parseWithDigits(text);
  } catch {
    value = text;
  }
  return value as ToolDefinition;
}
