import { z } from "zod";
import { serverDetailSchema, serverSettingsSchema, serverSummarySchema } from "../../../lib/contract/server";
import { defineRoute } from "../../platform/api/route";
import { describePage, namedPageQuery, takePage } from "../../platform/api/route-inputs";

const SERVER = "/servers/{name}";

const listServers = defineRoute({
  method: "GET",
  path: "/servers",
  permission: "read",
  query: namedPageQuery,
  summary: "List the servers by name",
  response: describePage(serverSummarySchema),
  answer: ({ services, actor }, { query }) =>
    takePage(services.servers.list(actor.id).items, ({ name }) => name, query),
});

const createServer = defineRoute({
  method: "POST",
  path: "/servers",
  permission: "edit",
  status: 201,
  response: serverDetailSchema,
  versioned: true,
  summary: "Add a server. One that starts a command, or reads a variable, needs the role admin",
  body: z.strictObject({ settings: serverSettingsSchema, enabled: z.boolean().default(true) }),
  answer: ({ services, actor }, { body: { settings, enabled } }) => services.servers.create(actor, settings, enabled),
});

const getServer = defineRoute({
  method: "GET",
  path: SERVER,
  permission: "read",
  response: serverDetailSchema,
  versioned: true,
  summary: "Get a server with its settings. Values that are stored encrypted are null",
  answer: ({ services, actor }, { param }) => services.servers.get(param("name"), actor.id),
});

const updateServer = defineRoute({
  method: "PUT",
  path: SERVER,
  permission: "edit",
  response: serverDetailSchema,
  versioned: true,
  summary: "Replace the settings of a server. A value of null keeps the stored one",
  body: z.strictObject({ settings: serverSettingsSchema }),
  async answer({ services: { servers }, actor }, { param, body, matchEdit }) {
    const name = param("name");
    return await servers.update(actor, name, body.settings, matchEdit(servers.get(name, actor.id).lastEdit));
  },
});

const setServer = defineRoute({
  method: "PATCH",
  path: SERVER,
  permission: "edit",
  response: serverSummarySchema,
  versioned: true,
  summary: "Switch a server on or off",
  body: z.strictObject({ enabled: z.boolean() }),
  async answer({ services: { servers }, actor }, { param, body, matchEdit }) {
    const name = param("name");
    matchEdit(servers.get(name, actor.id).lastEdit);
    return await servers.setEnabled(actor, name, body.enabled);
  },
});

const deleteServer = defineRoute({
  method: "DELETE",
  path: SERVER,
  permission: "edit",
  versioned: true,
  summary: "Delete a server with its tools",
  async answer({ services: { servers }, actor }, { param, matchEdit }) {
    const name = param("name");
    await servers.delete(actor, name, matchEdit(servers.get(name, actor.id).lastEdit));
    return undefined;
  },
});

const connectServer = defineRoute({
  method: "POST",
  path: `${SERVER}/connect`,
  permission: "edit",
  response: serverSummarySchema,
  summary: "Reconnect a server, and answer once the attempt has ended",
  answer: ({ services, actor }, { param }) => services.servers.reconnect(actor, param("name")),
});

export const SERVER_ROUTES = [
  listServers,
  createServer,
  getServer,
  updateServer,
  setServer,
  deleteServer,
  connectServer,
];
