import { z } from "zod";
import { admitsTool } from "../../../lib/contract/access";
import { approvalModeSchema } from "../../../lib/contract/approval";
import { toolDetailSchema, toolSummarySchema } from "../../../lib/contract/catalog-tool";
import { argumentVerdictSchema } from "../../../lib/contract/envelope";
import { toolDefinitionSchema } from "../../../lib/contract/tool-definition-schema";
import { type ApiContext, defineRoute } from "../../platform/api/route";
import { argumentsSchema, describePage, namedPageQuery, takePage } from "../../platform/api/route-inputs";
import { AppError } from "../../platform/shared/app-error";

const TOOL = "/tools/{name}";
const definitionBody = z.strictObject({ definition: toolDefinitionSchema });

const listTools = defineRoute({
  method: "GET",
  path: "/tools",
  permission: "read",
  forLimitedTokens: true,
  response: describePage(toolSummarySchema),
  summary: "List the tools by name. A limited token gets those that it is limited to",
  query: namedPageQuery.extend({
    server: z.string().max(200).optional().describe("Tools of this server"),
    tag: z.string().max(200).optional().describe("Tools with this tag"),
  }),
  answer({ services, actor: { token } }, { query: { server, tag, ...page } }) {
    const chosen = services.tools
      .list()
      .items.filter((tool) => token === null || admitsTool(token, tool.name, tool.server))
      .filter((tool) => server === undefined || tool.server === server)
      .filter((tool) => tag === undefined || tool.tags.includes(tag));
    return takePage(chosen, ({ name }) => name, page);
  },
});

const createTool = defineRoute({
  method: "POST",
  path: "/tools",
  permission: "edit",
  status: 201,
  response: toolDetailSchema,
  hasDefinitions: true,
  versioned: true,
  summary: "Create a tool",
  body: definitionBody,
  answer: ({ services, actor }, { readText }) => services.tools.create(actor, readText("definition")),
});

const getTool = defineRoute({
  method: "GET",
  path: TOOL,
  permission: "read",
  forLimitedTokens: true,
  response: toolDetailSchema,
  hasDefinitions: true,
  versioned: true,
  summary: "Get a tool with its definition",
  answer: (context, { param }) => findTool(context, param("name")),
});

const updateTool = defineRoute({
  method: "PUT",
  path: TOOL,
  permission: "edit",
  response: toolDetailSchema,
  hasDefinitions: true,
  versioned: true,
  summary: "Replace the definition of a tool of the console",
  body: definitionBody,
  async answer({ services: { tools }, actor }, { param, readText, matchEdit }) {
    const name = param("name");
    const revision = matchEdit(tools.get(name).lastEdit);
    return await tools.update(actor, name, readText("definition"), revision);
  },
});

const setTool = defineRoute({
  method: "PATCH",
  path: TOOL,
  permission: "edit",
  response: toolDetailSchema,
  hasDefinitions: true,
  versioned: true,
  summary: "Switch a tool on or off, or set its approval mode",
  body: z.strictObject({ enabled: z.boolean().optional(), approval: approvalModeSchema.nullable().optional() }),
  async answer({ services: { tools }, actor }, { param, body: { enabled, approval }, matchEdit }) {
    const name = param("name");
    matchEdit(tools.get(name).lastEdit);
    if (approval !== undefined) await tools.setApproval(actor, name, approval);
    if (enabled !== undefined) await tools.setEnabled(actor, name, enabled);
    return tools.get(name);
  },
});

const deleteTool = defineRoute({
  method: "DELETE",
  path: TOOL,
  permission: "edit",
  versioned: true,
  summary: "Delete a tool of the console",
  async answer({ services: { tools }, actor }, { param, matchEdit }) {
    const name = param("name");
    await tools.delete(actor, name, matchEdit(tools.get(name).lastEdit));
    return undefined;
  },
});

const validateArguments = defineRoute({
  method: "POST",
  path: `${TOOL}/validate`,
  permission: "read",
  forLimitedTokens: true,
  summary: "Check arguments against a tool's schema, without a call",
  body: z.strictObject({ arguments: argumentsSchema }),
  response: argumentVerdictSchema,
  answer(context, { param, readArguments }) {
    const { name } = findTool(context, param("name"));
    return context.services.tools.validateArguments(name, readArguments());
  },
});

/** @throws AppError for a tool that is not there, and for one that the token is not limited to: with the same words */
function findTool({ services, actor: { token } }: ApiContext, name: string) {
  const tool = services.tools.get(name);
  if (token === null || admitsTool(token, name, tool.server)) return tool;
  throw new AppError("NOT_FOUND", `Tool '${name}' not found`);
}

export const TOOL_ROUTES = [listTools, createTool, getTool, updateTool, setTool, deleteTool, validateArguments];
