import { nanoid } from "nanoid";
import { isPlainObject, type Toolset, type ToolsetInput, toolsetInputSchema } from "../../../lib/contract";
import type { Clock } from "../../engine/ports";
import type { ToolsetStore } from "../../features/toolsets/toolset-store";
import { AppError } from "../../shared/app-error";
import type { Database } from "../database";
import type { Toolset as ToolsetRow } from "../generated/client";
import { refuseDuplicate } from "../refuse-duplicate";

export function createToolsetStore({ db, clock }: { db: Database; clock: Clock }): ToolsetStore {
  const { toolset } = db.prisma;

  const columns = ({ name, ...settings }: ToolsetInput) => ({
    name,
    settings: JSON.stringify(settings),
    updatedAt: BigInt(clock.now()),
  });

  return {
    async list() {
      const rows = await toolset.findMany({ orderBy: { name: "asc" } });
      return rows.flatMap((row) => db.damaged.read("toolset", row.name, () => toToolset(row)) ?? []);
    },

    async create(input) {
      const data = columns(input);
      const row = { ...data, id: nanoid(12), createdAt: data.updatedAt };
      await db.write(() => toolset.create({ data: row })).catch(refuseDuplicate("toolset", input.name));
      return { ...input, createdAt: Number(row.createdAt), updatedAt: Number(row.updatedAt) };
    },

    async update(name, input) {
      const data = columns(input);
      const { count } = await db
        .write(() => toolset.updateMany({ where: { name }, data }))
        .catch(refuseDuplicate("toolset", input.name));
      const row = count === 0 ? null : await toolset.findUnique({ where: { name: input.name } });
      if (row === null) throw new AppError("NOT_FOUND", `Toolset '${name}' not found`);
      return { ...input, createdAt: Number(row.createdAt), updatedAt: Number(row.updatedAt) };
    },

    async delete(name) {
      return (await db.write(() => toolset.deleteMany({ where: { name } }))).count > 0;
    },
  };
}

/** A row of a later version, or one edited by hand, must not hide the others. */
function toToolset({ name, settings, createdAt, updatedAt }: ToolsetRow): Toolset {
  const stored: unknown = JSON.parse(settings);
  if (!isPlainObject(stored)) throw new Error("its settings are no object");
  const parsed = toolsetInputSchema.parse({ ...stored, name });
  return { ...parsed, createdAt: Number(createdAt), updatedAt: Number(updatedAt) };
}
