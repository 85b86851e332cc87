import { nanoid } from "nanoid";
import { type ApprovalMode, approvalModeSchema, type ToolDefinition } from "../../../lib/contract";
import type { Database } from "../../db/database";
import { takingName } from "../../db/duplicate-name";
import type { Tool } from "../../db/generated/client";
import type { Clock } from "../../engine/ports";

/** A tool made in the console. */
export interface StoredTool {
  id: string;
  name: string;
  /** As it was stored. The registry checks it again, since a file can be edited by hand. */
  definition: ToolDefinition;
  enabled: boolean;
  createdAt: number;
  updatedAt: number;
}

export interface ToolStore {
  /** Those not deleted, in order of their making. */
  list(): Promise<StoredTool[]>;
  /** @throws DuplicateNameError */
  create(tool: { name: string; definition: ToolDefinition }): Promise<StoredTool>;
  /** @throws DuplicateNameError, or Error for an unknown name */
  update(name: string, tool: { name: string; definition: ToolDefinition }): Promise<StoredTool>;
  /** The row stays, for `restore`. */
  delete(name: string): Promise<{ id: string }>;
  /** Null where there is no deleted tool with that id. @throws DuplicateNameError when the name is taken by now */
  restore(id: string): Promise<StoredTool | null>;
  setEnabled(name: string, enabled: boolean): Promise<StoredTool>;
  /** Tools of configuration and code that a person switched off. */
  disabledNames(): Promise<string[]>;
  setDisabled(name: string, disabled: boolean): Promise<void>;
  /** What people set, by name. */
  approvalModes(): Promise<Map<string, ApprovalMode>>;
  /** @param mode null takes it away */
  setApprovalMode(name: string, mode: ApprovalMode | null): Promise<void>;
}

const systemClock: Pick<Clock, "now"> = { now: Date.now };

export function createToolStore({ db, clock = systemClock }: { db: Database; clock?: Pick<Clock, "now"> }): ToolStore {
  const { tool, disabledTool, toolApprovalMode } = db.prisma;

  /** One statement: the live row called `name` changes, or it is an error that there is none. */
  async function change(name: string, data: Partial<Omit<Tool, "id">>): Promise<StoredTool> {
    const rows = await takingName("tool", data.name ?? name, () =>
      db.write(() => tool.updateManyAndReturn({ where: { name, deletedAt: null }, data })),
    );
    const [row] = rows;
    if (row === undefined) throw new Error(`There is no tool '${name}' in the catalogue's database`);
    return toStoredTool(row);
  }

  return {
    async list() {
      const rows = await tool.findMany({ where: { deletedAt: null }, orderBy: [{ createdAt: "asc" }, { id: "asc" }] });
      return rows.map(toStoredTool);
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
      return toStoredTool(await takingName("tool", name, () => db.write(() => tool.create({ data }))));
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
      const restored = await takingName("tool", deleted.name, () =>
        db.write(() => tool.update({ where: { id }, data: { deletedAt: null } })),
      );
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
      // A row that somebody broke by hand asks: that is the side on which nothing happens unseen.
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

/** A row that somebody broke by hand must not keep the rest of the catalogue from loading. */
function parseOrText(text: string): ToolDefinition {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = text;
  }
  return value as ToolDefinition;
}
