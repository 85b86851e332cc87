import type { StoredTask, TaskStore } from "../../../mcp/gateway/tasks/task-store";
import type { Database } from "../../../platform/db/database";

/** The tasks of the gateway's clients. */
export function createGatewayTaskStore({ db }: { db: Database }): TaskStore {
  const { gatewayTask } = db.prisma;
  const valid = (owner: string, now: number) => ({ owner, expiresAt: { gt: BigInt(now) } });
  return {
    async create({ createdAt, expiresAt, ...rest }) {
      const data = { ...rest, createdAt: BigInt(createdAt), expiresAt: BigInt(expiresAt) };
      await db.write(() => gatewayTask.create({ data }));
    },

    async find(id) {
      const row = await gatewayTask.findUnique({ where: { id } });
      return row === null ? null : toTask(row);
    },

    async list(owner, now) {
      const rows = await gatewayTask.findMany({ where: valid(owner, now), orderBy: { createdAt: "desc" } });
      return rows.map(toTask);
    },

    count: (owner, now) => gatewayTask.count({ where: valid(owner, now) }),

    async deleteExpired(now) {
      await db.write(() => gatewayTask.deleteMany({ where: { expiresAt: { lte: BigInt(now) } } }));
    },
  };
}

function toTask(
  row: Omit<StoredTask, "createdAt" | "expiresAt"> & { createdAt: bigint; expiresAt: bigint },
): StoredTask {
  return { ...row, createdAt: Number(row.createdAt), expiresAt: Number(row.expiresAt) };
}
