import { z } from "zod";
import { madeBackupSchema, storageStateSchema } from "../../../lib/contract/storage";
import { act, operations, read } from "../../platform/api/operation";

export const storageOperations = operations("storage", {
  get: read({
    rest: "GET /storage",
    summary: "Get the sizes of the database, its copies and its disk",
    allow: "administer",
    output: storageStateSchema,
    run: ({ services, actor }) => services.storage.get(actor),
  }),
  backUp: act({
    rest: "POST /storage/backups",
    summary: "Copy the database and its key into the folder `backups` beside it",
    allow: "administer",
    output: madeBackupSchema,
    status: 201,
    audit: {
      target: (_, made) => ({ kind: "backup", name: made?.name ?? "" }),
      after: ({ bytes }) => ({ bytes }),
    },
    run: ({ services, actor }) => services.storage.backUp(actor),
  }),
  deleteCopy: act({
    rest: "DELETE /storage/backups/{name}",
    summary: "Delete a copy of the database",
    allow: "administer",
    input: z.object({ name: z.string().min(1).max(300) }),
    audit: { target: ({ name }) => ({ kind: "backup", name }), after: () => ({ deleted: true }) },
    run: ({ services, actor }, { name }) => services.storage.deleteCopy(actor, name),
  }),
});
