import { toolsetSchema, toolsetSummarySchema } from "../../../lib/contract/toolset";
import { defineRoute } from "../../platform/api/route";
import { describePage, namedPageQuery, takePage } from "../../platform/api/route-inputs";

const TOOLSET = "/toolsets/{name}";
const body = toolsetSchema
  .omit({ createdAt: true, updatedAt: true, lastEdit: true })
  .partial({ overrides: true })
  .strict();
const withOverrides = ({ overrides = [], ...toolset }: typeof body._output) => ({ ...toolset, overrides });

const listToolsets = defineRoute({
  method: "GET",
  path: "/toolsets",
  permission: "read",
  query: namedPageQuery,
  summary: "List the toolsets by name",
  response: describePage(toolsetSummarySchema),
  answer: ({ services }, { query }) => takePage(services.toolsets.list(), ({ name }) => name, query),
});

const createToolset = defineRoute({
  method: "POST",
  path: "/toolsets",
  permission: "edit",
  status: 201,
  body,
  response: toolsetSchema,
  versioned: true,
  summary: "Create a toolset",
  answer: ({ services, actor }, { body: toolset }) => services.toolsets.create(actor, withOverrides(toolset)),
});

const getToolset = defineRoute({
  method: "GET",
  path: TOOLSET,
  permission: "read",
  response: toolsetSchema,
  versioned: true,
  summary: "Get a toolset with its overrides",
  answer: ({ services }, { param }) => services.toolsets.get(param("name")),
});

const updateToolset = defineRoute({
  method: "PUT",
  path: TOOLSET,
  permission: "edit",
  body,
  response: toolsetSchema,
  versioned: true,
  summary: "Replace a toolset",
  async answer({ services: { toolsets }, actor }, { param, body: toolset, matchEdit }) {
    const name = param("name");
    const revision = matchEdit((await toolsets.get(name)).lastEdit);
    return await toolsets.update(actor, name, withOverrides(toolset), revision);
  },
});

const deleteToolset = defineRoute({
  method: "DELETE",
  path: TOOLSET,
  permission: "edit",
  versioned: true,
  summary: "Delete a toolset",
  async answer({ services: { toolsets }, actor }, { param, matchEdit }) {
    const name = param("name");
    await toolsets.delete(actor, name, matchEdit((await toolsets.get(name)).lastEdit));
    return undefined;
  },
});

export const TOOLSET_ROUTES = [listToolsets, createToolset, getToolset, updateToolset, deleteToolset];
