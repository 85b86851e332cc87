import { z } from "zod";
import {
  clientDetailSchema,
  clientListSchema,
  clientListSummarySchema,
  clientSummarySchema,
  listComparisonSchema,
  toolAnswerSchema,
} from "../../../lib/contract/client";
import { defineRoute } from "../../platform/api/route";
import { procedure, router } from "../../platform/api/trpc";

const time = z.coerce.number().int().min(0).optional();
const windowSchema = z.object({
  since: time.describe("Epoch milliseconds, inclusive"),
  until: time.describe("Epoch milliseconds, exclusive"),
});

const listClients = defineRoute({
  method: "GET",
  path: "/clients",
  permission: "read",
  summary: "List the MCP clients of the last 30 days, those seen last first",
  response: z.object({ items: z.array(clientSummarySchema) }),
  answer: async ({ services }) => ({ items: await services.clients.list() }),
});

const getClient = defineRoute({
  method: "GET",
  path: "/clients/{client}",
  permission: "read",
  response: clientDetailSchema,
  summary: "Get a client, by its id or a name that no other has, with its sessions and the list it was given last",
  answer: ({ services }, { param }) => services.clients.get(param("client")),
});

const explainTool = defineRoute({
  method: "GET",
  path: "/clients/{client}/tools/{tool}",
  permission: "read",
  response: toolAnswerSchema,
  summary: "Say why a client does not see a tool",
  answer: ({ services }, { param }) => services.clients.explain(param("client"), param("tool")),
});

const listLists = defineRoute({
  method: "GET",
  path: "/clients/{client}/lists",
  permission: "read",
  summary: "List the lists of tools that a client was given in a time, newest first",
  query: windowSchema,
  response: z.object({ items: z.array(clientListSummarySchema) }),
  answer: async ({ services }, { param, query }) => ({ items: await services.clients.lists(param("client"), query) }),
});

const getList = defineRoute({
  method: "GET",
  path: "/clients/{client}/lists/{hash}",
  permission: "read",
  summary:
    "Get a list of tools as a client was given it, with names, descriptions and schemas, by its hash or the beginning of it",
  response: clientListSchema,
  answer: ({ services }, { param }) => services.clients.readList(param("client"), param("hash")),
});

const compareLists = defineRoute({
  method: "GET",
  path: "/clients/{client}/lists/{hash}/compare/{other}",
  permission: "read",
  summary: "Compare two lists that a client was given",
  response: listComparisonSchema,
  answer: ({ services }, { param }) => services.clients.compareLists(param("client"), param("hash"), param("other")),
});

export const CLIENT_ROUTES = [listClients, getClient, explainTool, listLists, getList, compareLists];

const hash = z.string().min(4).max(100);
const id = z.string().min(1).max(200);

export const clientsRouter = router({
  list: procedure.query(({ ctx }) => ctx.services.clients.list()),
  get: procedure.input(z.object({ id })).query(({ ctx, input }) => ctx.services.clients.get(input.id)),
  lists: procedure
    .input(z.object({ id, window: windowSchema }))
    .query(({ ctx, input }) => ctx.services.clients.lists(input.id, input.window)),
  readList: procedure
    .input(z.object({ id, hash }))
    .query(({ ctx, input }) => ctx.services.clients.readList(input.id, input.hash)),
  compareLists: procedure
    .input(z.object({ id, from: hash, to: hash }))
    .query(({ ctx, input }) => ctx.services.clients.compareLists(input.id, input.from, input.to)),
  explain: procedure
    .input(z.object({ id, tool: z.string().trim().min(1).max(300) }))
    .query(({ ctx, input }) => ctx.services.clients.explain(input.id, input.tool)),
});
