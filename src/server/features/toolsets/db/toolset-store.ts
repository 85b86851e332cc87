import { nanoid } from "nanoid";
import { isPlainObject } from "../../../../lib/contract/json";
import { type Toolset, type ToolsetInput, toolsetInputSchema } from "../../../../lib/contract/toolset";
import type { Clock } from "../../../engine/ports";
import type { Database } from "../../../platform/db/database";
import type { Toolset as ToolsetRow } from "../../../platform/db/generated/client";
import { refuseDuplicate } from "../../../platform/db/refuse-duplicate";
import { isRevision, refuseOutdated, toLastEdit } from "../../../platform/db/refuse-outdated";
import type { ToolsetStore } from "../toolset-store";

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

    async create(input, by) {
      const data = columns(input);
      const row = { ...data, id: nanoid(12), createdAt: data.updatedAt, changedBy: by?.name ?? null };
      const created = await db.write(() => toolset.create({ data: row })).catch(refuseDuplicate("toolset", input.name));
      return { ...input, ...toTimes(created) };
    },

    async update(name, input, { by, revision } = {}) {
      const data = { ...columns(input), changedBy: by?.name ?? null, revision: { increment: 1 } };
      const [row] = await db
        .write(() => toolset.updateManyAndReturn({ where: { name, ...isRevision(revision) }, data }))
        .catch(refuseDuplicate("toolset", input.name));
      if (row === undefined) refuseOutdated("toolset", name, await toolset.findUnique({ where: { name } }));
      return { ...input, ...toTimes(row) };
    },

    async delete(name, revision) {
      const { count } = await db.write(() => toolset.deleteMany({ where: { name, ...isRevision(revision) } }));
      if (count === 0) refuseOutdated("toolset", name, await toolset.findUnique({ where: { name } }));
    },
  };
}

function toTimes(row: ToolsetRow): Pick<Toolset, "createdAt" | "updatedAt" | "lastEdit"> {
  return { createdAt: Number(row.createdAt), updatedAt: Number(row.updatedAt), lastEdit: toLastEdit(row) };
}

/** A row of a later version, or one edited by hand, must not hide the others. */
function toToolset(row: ToolsetRow): Toolset {
  const stored: unknown = JSON.parse(row.settings);
  if (!isPlainObject(stored)) throw new Error("its settings are no object");
  const parsed = toolsetInputSchema.parse({ ...stored, name: row.name });
  return { ...parsed, ...toTimes(row) };
}
