import { createHash } from "node:crypto";
import type { Actor } from "../../../lib/contract/actor";
import type { DeletedExecutions, DeletionChoice, DeletionPreview } from "../../../lib/contract/execution";
import { AppError } from "../../platform/shared/app-error";
import type { ExecutionStore, StoredFilter } from "./execution-store";

interface DeletionPorts {
  store: Pick<ExecutionStore, "list" | "count" | "delete">;
  toStored: (filter: StoredFilter) => Promise<StoredFilter>;
  now: () => number;
}

/** The most rows that one request deletes; the next request continues. */
const MAX_DELETED = 5_000;
const PAGE = 200;

/** Deleting executions that have ended: chosen ones, or all that match a filter. */
export function createExecutionDeletion({ store, toStored, now }: DeletionPorts) {
  const toTarget = async ({ filter = {}, ids, includePinned }: DeletionChoice): Promise<StoredFilter> => ({
    ...(ids === undefined ? await toStored(filter) : { ids }),
    ended: true,
    ...(includePinned ? {} : { pinned: false }),
  });

  return {
    /** Counts what a deletion would remove, and the pinned ones that it would keep. */
    async deletionPreview(_actor: Actor, choice: DeletionChoice): Promise<DeletionPreview> {
      const target = await toTarget(choice);
      const pinned = choice.includePinned ? null : await store.count({ ...target, pinned: true });
      return { ...(await store.count(target)), keptPinned: pinned?.count ?? 0 };
    },

    /** The newest first; `more` says that others match. Calls that arrive during the deletion stay. */
    async delete(actor: Actor, choice: DeletionChoice): Promise<DeletedExecutions> {
      if (choice.ids === undefined && choice.filter === undefined) {
        throw new AppError("INVALID", "ids or filter: choose what to delete", [
          { path: "ids", message: "is required" },
        ]);
      }
      const target = await toTarget(choice);
      const hash = createHash("sha256");
      const outcome: DeletedExecutions = { deleted: 0, more: false, firstSeq: null, lastSeq: null, idsHash: "" };
      let cursor: Awaited<ReturnType<typeof store.list>>["nextCursor"] | undefined;
      do {
        const page = await store.list(target, { cursor, limit: PAGE });
        const ids = page.items.map(({ id }) => id);
        const by = { actor: actor.name, at: now(), includePinned: choice.includePinned };
        for (const { id, seq } of await store.delete(ids, by)) {
          outcome.deleted += 1;
          outcome.firstSeq = Math.min(outcome.firstSeq ?? seq, seq);
          outcome.lastSeq = Math.max(outcome.lastSeq ?? seq, seq);
          hash.update(`${id}\n`);
        }
        cursor = page.nextCursor;
      } while (cursor != null && outcome.deleted < MAX_DELETED);
      return { ...outcome, more: cursor != null, idsHash: hash.digest("hex") };
    },
  };
}
