import { z } from "zod";
import { pauseSchema } from "../../../lib/contract/pause";
import { serverStateSchema } from "../../../lib/contract/server-state";
import { madeBackupSchema, storageStateSchema } from "../../../lib/contract/storage";
import { defineRoute } from "../../platform/api/route";

const getSystem = defineRoute({
  method: "GET",
  path: "/system",
  permission: "read",
  response: serverStateSchema,
  summary: "Get the state of the server: what is wrong with it, and whether it is paused",
  answer: ({ services }) => services.system.state(),
});

const resumeSystem = defineRoute({
  method: "POST",
  path: "/system/resume",
  permission: "administer",
  summary: "Make a server whose database is a copy the original: what is paused begins",
  response: z.object({ resumed: pauseSchema }),
  answer: async ({ services, actor }) => ({ resumed: await services.system.resume(actor) }),
});

const getStorage = defineRoute({
  method: "GET",
  path: "/storage",
  permission: "administer",
  response: storageStateSchema,
  summary: "Get the sizes of the database, its copies and its disk",
  answer: ({ services, actor }) => services.storage.get(actor),
});

const createBackup = defineRoute({
  method: "POST",
  path: "/storage/backups",
  permission: "administer",
  status: 201,
  response: madeBackupSchema,
  summary: "Copy the database and its key into the folder `backups` beside it",
  answer: ({ services, actor }) => services.storage.backUp(actor),
});

const deleteBackup = defineRoute({
  method: "DELETE",
  path: "/storage/backups/{name}",
  permission: "administer",
  summary: "Delete a copy of the database",
  answer: async ({ services, actor }, { param }) => {
    await services.storage.deleteCopy(actor, param("name"));
    return undefined;
  },
});

export const SYSTEM_ROUTES = [getSystem, resumeSystem, getStorage, createBackup, deleteBackup];
