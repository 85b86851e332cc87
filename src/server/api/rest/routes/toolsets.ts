import { toolsetSchema, toolsetSummarySchema } from "../../../../lib/contract";
import { defineRoute } from "../route";
import { namedPageQuery, pageOf, takePage } from "../route-inputs";

const TOOLSET = "/toolsets/{name}";
const body = toolsetSchema.omit({ createdAt: true, updatedAt: true }).partial({ overrides: true }).strict();
const withOverrides = ({ overrides = [], ...toolset }: typeof body._output) => ({ ...toolset, overrides });

const listToolsets = defineRoute({
  ...{ method: "GET", path: "/toolsets", permission: "read", query: namedPageQuery },
  summary: "List the toolsets by name",
  response: pageOf(toolsetSummarySchema),
  answer: ({ services }, { query }) => takePage(services.toolsets.list(), ({ name }) => name, query),
});

const createToolset = defineRoute({
  ...{ method: "POST", path: "/toolsets", permission: "edit", status: 201, body, response: toolsetSchema },
  summary: "Create a toolset",
  answer: ({ services, actor }, { body: toolset }) => services.toolsets.create(actor, withOverrides(toolset)),
});

const getToolset = defineRoute({
  ...{ method: "GET", path: TOOLSET, permission: "read", response: toolsetSchema },
  summary: "Get a toolset with its overrides",
  answer: ({ services }, { param }) => services.toolsets.get(param("name")),
});

const updateToolset = defineRoute({
  ...{ method: "PUT", path: TOOLSET, permission: "edit", body, response: toolsetSchema },
  summary: "Replace a toolset",
  answer: ({ services, actor }, { param, body: toolset }) =>
    services.toolsets.update(actor, param("name"), withOverrides(toolset)),
});

const deleteToolset = defineRoute({
  ...{ method: "DELETE", path: TOOLSET, permission: "edit", summary: "Delete a toolset" },
  async answer({ services, actor }, { param }) {
    await services.toolsets.delete(actor, param("name"));
    return undefined;
  },
});

export const TOOLSET_ROUTES = [listToolsets, createToolset, getToolset, updateToolset, deleteToolset];
