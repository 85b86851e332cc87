import { z } from "zod";
import { registrySettingsSchema, registryStateSchema } from "../../../lib/contract/registry";
import { rowNumber } from "../../../lib/contract/row-number";
import { defineRoute } from "../../platform/api/route";
import { procedure, router } from "../../platform/api/trpc";

const getRegistry = defineRoute({
  method: "GET",
  path: "/registry",
  permission: "read",
  response: registryStateSchema,
  summary: "Get the settings of the registry at /v0.1/servers, and its entries",
  answer: ({ services, actor }, { request }) => services.registry.get(actor, new URL(request.url).origin),
});

const saveRegistry = defineRoute({
  method: "PUT",
  path: "/registry",
  permission: "administer",
  response: registryStateSchema,
  summary: "Replace the settings of the registry",
  body: registrySettingsSchema,
  answer: ({ services, actor }, { request, body }) => services.registry.save(actor, body, new URL(request.url).origin),
});

export const REGISTRY_ROUTES = [getRegistry, saveRegistry];

const origin = z.url().max(300);

export const registryRouter = router({
  get: procedure
    .input(z.object({ origin }))
    .query(({ ctx, input }) => ctx.services.registry.get(ctx.actor, input.origin)),
  save: procedure
    .input(z.object({ origin, settings: registrySettingsSchema, revision: rowNumber }))
    .mutation(({ ctx, input }) => ctx.services.registry.save(ctx.actor, input.settings, input.origin, input.revision)),
});
