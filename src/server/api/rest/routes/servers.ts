import { z } from "zod";
import { serverDetailSchema, serverSettingsSchema, serverSummarySchema } from "../../../../lib/contract";
import { defineRoute } from "../route";
import { namedPageQuery, pageOf, takePage } from "../route-inputs";

const SERVER = "/servers/{name}";

const listServers = defineRoute({
  ...{ method: "GET", path: "/servers", permission: "read", query: namedPageQuery },
  summary: "List the servers by name",
  response: pageOf(serverSummarySchema),
  answer: ({ services, actor }, { query }) =>
    takePage(services.servers.list(actor.id).items, ({ name }) => name, query),
});

const createServer = defineRoute({
  ...{ method: "POST", path: "/servers", permission: "edit", status: 201, response: serverDetailSchema },
  summary: "Add a server. One that starts a command, or reads a variable, needs the role admin",
  body: z.strictObject({ settings: serverSettingsSchema, enabled: z.boolean().default(true) }),
  answer: ({ services, actor }, { body: { settings, enabled } }) => services.servers.create(actor, settings, enabled),
});

const getServer = defineRoute({
  ...{ method: "GET", path: SERVER, permission: "read", response: serverDetailSchema },
  summary: "Get a server with its settings. Values that are stored encrypted are null",
  answer: ({ services, actor }, { param }) => services.servers.get(param("name"), actor.id),
});

const updateServer = defineRoute({
  ...{ method: "PUT", path: SERVER, permission: "edit", response: serverDetailSchema },
  summary: "Replace the settings of a server. A value of null keeps the stored one",
  body: z.strictObject({ settings: serverSettingsSchema }),
  answer: ({ services, actor }, { param, body }) => services.servers.update(actor, param("name"), body.settings),
});

const setServer = defineRoute({
  ...{ method: "PATCH", path: SERVER, permission: "edit", response: serverSummarySchema },
  summary: "Switch a server on or off",
  body: z.strictObject({ enabled: z.boolean() }),
  answer: ({ services, actor }, { param, body }) => services.servers.setEnabled(actor, param("name"), body.enabled),
});

const deleteServer = defineRoute({
  ...{ method: "DELETE", path: SERVER, permission: "edit", summary: "Delete a server with its tools" },
  async answer({ services, actor }, { param }) {
    await services.servers.delete(actor, param("name"));
    return undefined;
  },
});

const connectServer = defineRoute({
  ...{ method: "POST", path: `${SERVER}/connect`, permission: "edit", response: serverSummarySchema },
  summary: "Connect a server anew, and answer once the attempt has ended",
  answer: ({ services, actor }, { param }) => services.servers.reconnect(actor, param("name")),
});

export const SERVER_ROUTES = [
  ...[listServers, createServer, getServer, updateServer, setServer, deleteServer, connectServer],
];
