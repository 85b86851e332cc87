import type { SamplingRecord } from "../../../../lib/contract/sampling";
import type { Database } from "../../../platform/db/database";
import type { SamplingStore } from "../sampling-store";

/**
 * Counts requests that a model answered: others have no provider. Four characters count as a token where none is
 * reported.
 */
const USAGE = `COUNT(*) AS requests,
  COALESCE(SUM(COALESCE(s."inputTokens", LENGTH(s."requestText") / 4)
    + COALESCE(s."outputTokens", LENGTH(COALESCE(s."responseText", '')) / 4)), 0) AS tokens,
  MIN(s."receivedAt") AS "oldestAt"`;
const OF_CALL = `SELECT ${USAGE} FROM "SamplingRequest" s WHERE s."executionId" = ? AND s.provider IS NOT NULL`;
const OF_SERVER = `SELECT ${USAGE} FROM "SamplingRequest" s JOIN "Execution" e ON e.id = s."executionId"
  WHERE s."receivedAt" >= ? AND s.provider IS NOT NULL AND e."serverName" = ?`;

interface UsageRow {
  requests: number | bigint | string;
  tokens: number | bigint | string;
  oldestAt: number | bigint | string | null;
}

const toUsage = (row: UsageRow | null | undefined) => ({
  requests: Number(row?.requests ?? 0),
  tokens: Number(row?.tokens ?? 0),
  oldestAt: row?.oldestAt == null ? null : Number(row.oldestAt),
});

export function createSamplingStore({ db }: { db: Database }): SamplingStore {
  const { samplingRequest: table } = db.prisma;
  return {
    async add(record) {
      await db.write(() => table.create({ data: { ...record, receivedAt: BigInt(record.receivedAt) } }));
    },
    async readUsage({ executionId, server, since }) {
      const [ofCall] = await db.rows<UsageRow>(OF_CALL, executionId);
      const [ofServer] = await db.rows<UsageRow>(OF_SERVER, since, server);
      return { call: toUsage(ofCall), server: toUsage(ofServer) };
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
