import { z } from "zod";
import { pauseSchema } from "../../../lib/contract/pause";
import { serverStateSchema } from "../../../lib/contract/server-state";
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

export const SYSTEM_ROUTES = [getSystem, resumeSystem];
