import type { SavedView } from "../../../../lib/contract/saved-view";
import type { Database } from "../../../platform/db/database";
import type { SavedView as Row } from "../../../platform/db/generated/client";
import { isUniqueViolation } from "../../../platform/db/storage-error";
import type { ViewStore } from "../view-store";

/** Names that differ only in case count as equal. */
const toKey = (name: string): string => name.toLowerCase();

const toView = ({ id, name, query, ownerId, ownerName, createdAt, updatedAt, updatedBy }: Row): SavedView => ({
  id,
  name,
  query,
  owner: { id: ownerId, name: ownerName },
  updatedBy,
  createdAt: Number(createdAt),
  updatedAt: Number(updatedAt),
});

export function createViewStore(db: Database): ViewStore {
  const { savedView } = db.prisma;
  /** The unique index decides between two that save one name at the same time. */
  const isTaken = (error: unknown): false => {
    if (isUniqueViolation(error)) return false;
    throw error;
  };
  return {
    list: async () => (await savedView.findMany({ orderBy: { nameKey: "asc" } })).map(toView),
    async find(id) {
      const row = await savedView.findUnique({ where: { id } });
      return row === null ? null : toView(row);
    },
    create: ({ id, name, query, owner, createdAt, updatedAt, updatedBy }) =>
      db.write(() =>
        savedView
          .create({
            data: {
              id,
              name,
              nameKey: toKey(name),
              query,
              ownerId: owner.id,
              ownerName: owner.name,
              updatedBy,
              createdAt: BigInt(createdAt),
              updatedAt: BigInt(updatedAt),
            },
          })
          .then(() => true, isTaken),
      ),
    async update(id, { name, query, updatedAt, updatedBy }) {
      const data = { name, nameKey: toKey(name), query, updatedAt: BigInt(updatedAt), updatedBy };
      const changed = await db.write(() => savedView.updateMany({ where: { id }, data }).catch(isTaken));
      if (changed === false) return "taken";
      return changed.count > 0 ? "saved" : "unknown";
    },
    delete: async (id) => (await db.write(() => savedView.deleteMany({ where: { id } }))).count > 0,
  };
}
