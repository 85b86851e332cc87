import type { SamplingRecord } from "../../../../lib/contract/sampling";
import type { Database } from "../../../platform/db/database";
import type { SamplingStore } from "../sampling-store";

export function createSamplingStore({ db }: { db: Database }): SamplingStore {
  const { samplingRequest: table } = db.prisma;
  return {
    async add(record) {
      await db.write(() => table.create({ data: { ...record, receivedAt: BigInt(record.receivedAt) } }));
    },
    async list(executionId) {
      const rows = await table.findMany({ where: { executionId }, orderBy: { id: "asc" } });
      return rows.map((row) => ({
        ...row,
        receivedAt: Number(row.receivedAt),
        outcome: row.outcome as SamplingRecord["outcome"],
      }));
    },
  };
}
