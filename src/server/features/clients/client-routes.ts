import { z } from "zod";
import { clientDetailSchema, clientSummarySchema, toolAnswerSchema } from "../../../lib/contract/client";
import { defineRoute } from "../../platform/api/route";
import { procedure, router } from "../../platform/api/trpc";

const listClients = defineRoute({
  ...{ method: "GET", path: "/clients", permission: "read" },
  summary: "List the MCP clients of the last 30 days, those seen last first",
  response: z.object({ items: z.array(clientSummarySchema) }),
  answer: async ({ services }) => ({ items: await services.clients.list() }),
});

const getClient = defineRoute({
  ...{ method: "GET", path: "/clients/{client}", permission: "read", response: clientDetailSchema },
  summary: "Get a client, by its id or a name that no other has, with its sessions and the list it was given last",
  answer: ({ services }, { param }) => services.clients.get(param("client")),
});

const explainTool = defineRoute({
  ...{ method: "GET", path: "/clients/{client}/tools/{tool}", permission: "read", response: toolAnswerSchema },
  summary: "Say why a client does not see a tool",
  answer: ({ services }, { param }) => services.clients.explain(param("client"), param("tool")),
});

export const CLIENT_ROUTES = [listClients, getClient, explainTool];

const id = z.string().min(1).max(200);

export const clientsRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.clients.list()),
  get: procedure.input(z.object({ id })).query(({ ctx, input }) => ctx.services.clients.get(input.id)),
  explain: procedure
    .input(z.object({ id, tool: z.string().trim().min(1).max(300) }))
    .query(({ ctx, input }) => ctx.services.clients.explain(input.id, input.tool)),
});
