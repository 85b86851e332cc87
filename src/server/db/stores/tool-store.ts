import { nanoid } from "nanoid";
import { approvalModeSchema, type ToolDefinition } from "../../../lib/contract";
import type { Clock } from "../../engine/ports";
import { TimeSlice } from "../../engine/time-slice";
import type { StoredTool, ToolStore } from "../../features/tools/tool-store";
import type { Database } from "../database";
import type { Tool } from "../generated/client";
import { refuseDuplicate } from "../refuse-duplicate";

const systemClock: Pick<Clock, "now"> = { now: Date.now };

export function createToolStore({ db, clock = systemClock }: { db: Database; clock?: Pick<Clock, "now"> }): ToolStore {
  const { tool, disabledTool, toolApprovalMode } = db.prisma;

  /** @throws Error if no live tool has this name */
  async function change(name: string, data: Partial<Omit<Tool, "id">>): Promise<StoredTool> {
    const [row] = await db
      .write(() => tool.updateManyAndReturn({ where: { name, deletedAt: null }, data }))
      .catch(refuseDuplicate("tool", data.name ?? name));
    if (row === undefined) throw new Error(`There is no tool '${name}' in the catalogue's database`);
    return toStoredTool(row);
  }

  return {
    async list() {
      const rows = await tool.findMany({ where: { deletedAt: null }, orderBy: [{ createdAt: "asc" }, { id: "asc" }] });
      // Definitions of a large catalogue take a while to parse.
      const tools: StoredTool[] = [];
      const slice = new TimeSlice();
      for (const row of rows) {
        tools.push(toStoredTool(row));
        await slice.pause();
      }
      return tools;
    },

    async create({ name, definition }) {
      const now = BigInt(clock.now());
      const data = {
        id: `tool_${nanoid(16)}`,
        name,
        definition: JSON.stringify(definition),
        createdAt: now,
        updatedAt: now,
      };
      return toStoredTool(await db.write(() => tool.create({ data })).catch(refuseDuplicate("tool", name)));
    },

    update: (name, changed) =>
      change(name, {
        name: changed.name,
        definition: JSON.stringify(changed.definition),
        updatedAt: BigInt(clock.now()),
      }),

    async delete(name) {
      const { id } = await change(name, { deletedAt: BigInt(clock.now()) });
      return { id };
    },

    async restore(id) {
      const deleted = await tool.findUnique({ where: { id } });
      if (deleted === null || deleted.deletedAt === null) return null;
      const restored = await db
        .write(() => tool.update({ where: { id }, data: { deletedAt: null } }))
        .catch(refuseDuplicate("tool", deleted.name));
      return toStoredTool(restored);
    },

    setEnabled: (name, enabled) => change(name, { enabled, updatedAt: BigInt(clock.now()) }),

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
      // A damaged row requires approval, the safe side.
      return new Map(rows.map(({ name, mode }) => [name, approvalModeSchema.catch("always").parse(mode)]));
    },

    async setApprovalMode(name, mode) {
      if (mode === null) {
        await db.write(() => toolApprovalMode.deleteMany({ where: { name } }));
        return;
      }
      const set = { mode, setAt: BigInt(clock.now()) };
      await db.write(() => toolApprovalMode.upsert({ where: { name }, create: { name, ...set }, update: set }));
    },
  };
}

function toStoredTool({ id, name, definition, enabled, createdAt, updatedAt }: Tool): StoredTool {
  return {
    id,
    name,
    definition: parseOrText(definition),
    enabled,
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
  };
}

/** A damaged row must not keep the rest of the catalogue from loading. */
function parseOrText(text: string): ToolDefinition {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = text;
  }
  return value as ToolDefinition;
}
