import { z } from "zod";
import { approvalModeSchema, keptApprovalSchema } from "../../../lib/contract/approval";
import { permissionForApproval } from "../../../lib/contract/approver";
import {
  draftCheckSchema,
  handlerCatalogSchema,
  providerTextSchema,
  toolDetailSchema,
  toolSummarySchema,
} from "../../../lib/contract/catalog-tool";
import { argumentVerdictSchema } from "../../../lib/contract/envelope";
import { MAX_LENS_CHARS } from "../../../lib/contract/lens";
import { toolDefinitionSchema } from "../../../lib/contract/tool-definition-schema";
import { MAX_DEPRECATION_NOTE_CHARS } from "../../../lib/contract/tool-facts";
import { toolVersionDetailSchema, toolVersionSchema } from "../../../lib/contract/tool-version";
import { act, type OperationContext, operations, read, restOnly } from "../../platform/api/operation";
import { performOperation } from "../../platform/api/perform-operation";
import { revision } from "../../platform/api/revision-input";
import {
  argumentsSchema,
  describePage,
  namedPageQuery,
  pageQuery,
  takePage,
  toPage,
} from "../../platform/api/route-inputs";
import { readName } from "../../platform/shared/audited-call";
import { chooseTools, getAdmitted } from "./admit-tools";
import { toolListOperations } from "./tool-list-operations";
import { describeTool } from "./tool-output";

type Tools = OperationContext["services"]["tools"];

const name = z.string().min(1).max(200);
const byName = z.object({ name });
/** The number of a version. */
const number = z.number().int().min(1);
/** JSON text of a definition. */
const text = z.string().max(4_000_000);
const texts = { definition: toolDefinitionSchema };
const deprecation = z.object({
  successor: z.string().min(1).max(200).nullable().describe("The tool to use instead"),
  note: z
    .string()
    .trim()
    .max(MAX_DEPRECATION_NOTE_CHARS, `The note is longer than ${MAX_DEPRECATION_NOTE_CHARS} characters: shorten it`)
    .nullable(),
});

const ofTool = (input: { name: string }) => ({ kind: "tool", name: input.name });
const readEdit = ({ tools }: { tools: Tools }, input: { name: string }) => tools.get(input.name).lastEdit;

function toState({ tools }: { tools: Tools }, toolName: string) {
  const { definition, enabled } = tools.get(toolName);
  return { enabled, definition };
}

function readNameInText(definition: string): string {
  try {
    return readName(JSON.parse(definition));
  } catch {
    return "";
  }
}

const setApproval = act({
  rest: null,
  unrouted: "PATCH /tools/{name} sets it",
  summary: "Set the approval mode of a tool; null removes it",
  allow: "edit",
  // A possible requester must not decide who approves.
  demand: (input, { tools }) => permissionForApproval(tools.approvalMode(input.name), input.mode),
  input: z.object({ name, mode: approvalModeSchema.nullable() }),
  output: toolSummarySchema,
  audit: { target: ofTool, state: ({ tools }, input) => ({ approval: tools.get(input.name).approval }) },
  run: ({ services, actor }, input) => services.tools.setApproval(actor, input.name, input.mode),
});

const setEnabled = act({
  rest: null,
  unrouted: "PATCH /tools/{name} sets it",
  summary: "Switch a tool on or off",
  allow: "edit",
  input: z.object({ name, enabled: z.boolean() }),
  output: toolSummarySchema,
  audit: { target: ofTool, state: ({ tools }, input) => ({ enabled: tools.get(input.name).enabled }) },
  run: ({ services, actor }, input) => services.tools.setEnabled(actor, input.name, input.enabled),
});

export const toolOperations = operations(
  "tools",
  {
    ...toolListOperations,
    search: read({
      rest: null,
      unrouted: "GET /tools lists the tools with their tags and servers",
      summary: "Find tools by words in their name, description and tags",
      allow: "read",
      forLimitedTokens: true,
      input: z.object({
        query: z.string().max(1_000).default("").describe("Words to look for; all tools when empty"),
        limit: z.number().int().min(1).max(100).default(20).describe("Most tools to return"),
      }),
      output: z.array(toolDefinitionSchema.pick({ name: true, description: true, parameters: true })),
      run({ services: { tools }, principal: { token } }, { query, limit }) {
        if (token === null) return tools.search(query, limit);
        const admitted = new Set(chooseTools(tools.list().items, token, {}).map((tool) => tool.name));
        return tools
          .search(query, Number.MAX_SAFE_INTEGER)
          .filter((tool) => admitted.has(tool.name))
          .slice(0, limit);
      },
      agent: {
        name: "search_tools",
        description: "Find tools of the catalog by words in their name, description and tags.",
        toResult: (found, { query }: { query: string }) => ({ query, count: found.length, tools: found }),
      },
    }),
    page: restOnly(
      "The console reads pages with filters and figures of its own",
      read({
        rest: "GET /tools",
        summary: "List the tools by name. A limited token gets those that it is limited to",
        allow: "read",
        forLimitedTokens: true,
        input: namedPageQuery.extend({
          server: z.string().max(200).optional().describe("Tools of this server"),
          tag: z.string().max(200).optional().describe("Tools with this tag"),
          search: z.string().max(1_000).optional().describe("Tools with these words in name, title or description"),
        }),
        output: describePage(toolSummarySchema),
        run: ({ services, principal }, input) =>
          takePage(chooseTools(services.tools.list().items, principal.token, input), (tool) => tool.name, input),
        cli: {
          words: "list",
          summary: "List the tools by name",
          examples: [
            ["toolroom tools list --search weather", "tools with this word in their name or description"],
            ["toolroom tools list --server files --json", "the tools of one server, as JSON"],
          ],
          options: {
            server: ["--server <name>", "only the tools of this server"],
            tag: ["--tag <tag>", "only tools with this tag"],
            search: ["--search <words>", "only tools with these words in name, title or description"],
          },
          table: {
            columns: {
              NAME: (tool) => tool.name,
              STATE: ({ enabled }) => ({ text: enabled ? "on" : "off", color: enabled ? undefined : "gray" }),
              SERVER: ({ server }) => server ?? "",
              DESCRIPTION: ({ description }) => description,
            },
            empty: "No tools.",
            whole: true,
          },
        },
      }),
    ),
    create: act({
      rest: "POST /tools",
      summary: "Create a tool",
      allow: "edit",
      input: z.strictObject({ definition: text }),
      texts,
      output: toolDetailSchema,
      status: 201,
      hasDefinitions: true,
      versioned: true,
      audit: {
        target: (input, made) => ({ kind: "tool", name: made?.name ?? readNameInText(input.definition) }),
        after: (made, _, services) => toState(services, made.name),
      },
      run: ({ services, actor }, input) => services.tools.create(actor, input.definition),
    }),
    checkDefinition: act({
      rest: "POST /tools/check",
      summary: "Check a definition without creating a tool: its problems, and notes on its quality",
      allow: "read",
      input: z.object({
        definition: text,
        editing: name.optional().describe("The tool that would get the definition: its own name is free"),
      }),
      texts: { definition: z.record(z.string(), z.unknown()).describe("Whatever is wrong with it") },
      output: draftCheckSchema,
      audit: { unrecorded: "It changes nothing" },
      run: ({ services }, input) => services.tools.checkDefinition(input.definition, input.editing),
    }),
    get: read({
      rest: "GET /tools/{name}",
      summary: "Get a tool with its definition",
      allow: "read",
      forLimitedTokens: true,
      input: byName,
      output: toolDetailSchema,
      hasDefinitions: true,
      versioned: true,
      run: ({ services, principal }, input) => getAdmitted(services.tools, principal.token, input.name),
      cli: {
        words: "show <tool>",
        fields: { tool: "name" },
        summary: "Show a tool with its fields",
        examples: [
          ["toolroom tools show get_weather", "what it does, and the fields it takes"],
          ["toolroom tools show get_weather --json", "with its whole definition, as JSON"],
        ],
        print: describeTool,
      },
    }),
    update: act({
      rest: "PUT /tools/{name}",
      summary: "Replace the definition of a tool of the console",
      allow: "edit",
      input: z.strictObject({ name, definition: text, revision }),
      texts,
      output: toolDetailSchema,
      hasDefinitions: true,
      versioned: readEdit,
      audit: {
        target: (input, made) => ({ kind: "tool", name: made?.name ?? input.name }),
        state: (services, input, made) => toState(services, made?.name ?? input.name),
      },
      run: ({ services, actor }, input) => services.tools.update(actor, input.name, input.definition, input.revision),
    }),
    set: restOnly(
      "The console sets each by an operation of its own",
      act({
        rest: "PATCH /tools/{name}",
        summary: "Switch a tool on or off, or set its approval mode",
        allow: "edit",
        input: z.strictObject({
          name,
          enabled: z.boolean().optional(),
          approval: approvalModeSchema.nullable().optional(),
        }),
        output: toolDetailSchema,
        hasDefinitions: true,
        versioned: readEdit,
        audit: { unrecorded: "Each setting leaves an entry of its own", target: ofTool },
        run: async (context, input) => {
          const { services, principal: actor } = context;
          const perform = (action: string, operation: typeof setApproval | typeof setEnabled, fields: object) =>
            performOperation(`tools.${action}`, operation, { ...context, actor }, { name: input.name, ...fields });
          if (input.approval !== undefined) await perform("setApproval", setApproval, { mode: input.approval });
          if (input.enabled !== undefined) await perform("setEnabled", setEnabled, { enabled: input.enabled });
          return services.tools.get(input.name);
        },
      }),
    ),
    setApproval,
    setEnabled,
    delete: act({
      rest: "DELETE /tools/{name}",
      summary: "Delete a tool of the console",
      allow: "edit",
      input: z.object({ name, revision }),
      output: z.object({ id: z.string() }),
      status: 204,
      versioned: readEdit,
      audit: { target: ofTool, state: (services, input) => toState(services, input.name) },
      run: ({ services, actor }, input) => services.tools.delete(actor, input.name, input.revision),
    }),
    restore: act({
      rest: null,
      unrouted: "It undoes a delete of the console, which alone is sent the id: POST /tools creates the tool again",
      summary: "Undo the delete of a tool",
      allow: "edit",
      input: z.object({ id: z.string().max(100) }),
      output: toolDetailSchema,
      audit: {
        target: (input, made) => ({ kind: "tool", name: made?.name ?? input.id }),
        after: (made, _, services) => toState(services, made.name),
      },
      run: ({ services, actor }, input) => services.tools.restore(actor, input.id),
    }),
    validateArguments: act({
      rest: "POST /tools/{name}/validate",
      summary: "Check arguments against a tool's schema, without a call",
      allow: "read",
      forLimitedTokens: true,
      input: z.strictObject({ name, arguments: text }),
      texts: { arguments: argumentsSchema },
      output: argumentVerdictSchema,
      audit: { unrecorded: "It changes nothing" },
      run: ({ services, principal, sent }, input) => {
        getAdmitted(services.tools, principal.token, input.name);
        return services.tools.validateArguments(input.name, sent?.readArguments() ?? input.arguments);
      },
    }),
    providerFormats: read({
      rest: "GET /tools/{name}/formats",
      summary: "Get a tool as each model provider and MCP client is sent it, and what is lost on the way",
      allow: "read",
      input: byName,
      output: z.array(providerTextSchema),
      run: ({ services }, input) => services.tools.providerFormats(input.name),
    }),
    versions: read({
      rest: "GET /tools/{name}/versions",
      summary: "List the versions of a tool, newest first",
      allow: "read",
      input: pageQuery.extend({ name }),
      output: describePage(toolVersionSchema).extend({
        current: z
          .number()
          .int()
          .nullable()
          .describe("The version that the tool has now; null where there is none yet"),
        readOnly: z.string().nullable().describe("Why an earlier version cannot be restored here; null where it can"),
      }),
      run: async ({ services }, input) => {
        const found = await services.tools.versions(input.name, input.cursor ?? null, input.limit);
        return { ...found, ...toPage(found) };
      },
    }),
    version: read({
      rest: "GET /tools/{name}/versions/{number}",
      summary: "Get a version of a tool with its definition, and what it changed",
      allow: "read",
      input: z.object({
        name,
        number,
        against: number.optional().describe("The version to compare it with; default: the one before"),
      }),
      output: toolVersionDetailSchema,
      hasDefinitions: true,
      run: ({ services }, input) => services.tools.version(input.name, input.number, input.against ?? null),
    }),
    restoreVersion: act({
      rest: "POST /tools/{name}/versions/{number}/restore",
      summary: "Make the definition of an earlier version the newest one",
      allow: "edit",
      input: z.object({ name, number }),
      output: toolDetailSchema,
      hasDefinitions: true,
      audit: {
        target: ofTool,
        state: (services, input) => toState(services, input.name),
        after: (_, input, services) => ({ ...toState(services, input.name), restoredFrom: input.number }),
      },
      run: ({ services, actor }, input) => services.tools.restoreVersion(actor, input.name, input.number),
    }),
    setOwner: act({
      rest: "PUT /tools/{name}/owner",
      summary: "Set the owner of a tool; null removes it",
      allow: "edit",
      input: z.object({ name, ownerId: z.string().min(1).max(100).nullable().describe("The id of a user") }),
      output: toolSummarySchema,
      audit: { target: ofTool, state: ({ tools }, input) => ({ owner: tools.get(input.name).owner }) },
      run: ({ services, actor }, input) => services.tools.setOwner(actor, input.name, input.ownerId),
    }),
    setDeprecation: act({
      rest: "PUT /tools/{name}/deprecation",
      summary: "Mark a tool as deprecated; null takes it back",
      allow: "edit",
      input: z.object({ name, deprecation: deprecation.nullable() }),
      output: toolSummarySchema,
      audit: { target: ofTool, state: ({ tools }, input) => ({ deprecation: tools.get(input.name).deprecation }) },
      run: ({ services, actor }, input) => services.tools.setDeprecation(actor, input.name, input.deprecation),
    }),
    setLens: act({
      rest: "PUT /tools/{name}/lens",
      summary: "Set the expression that reduces the results of a tool for models and MCP clients; null removes it",
      allow: "edit",
      input: z.object({
        name,
        expression: z.string().trim().min(1).max(MAX_LENS_CHARS).nullable().describe("JMESPath"),
      }),
      output: toolDetailSchema,
      hasDefinitions: true,
      audit: {
        target: ofTool,
        state: ({ tools }, input) => ({ lens: tools.get(input.name).lens?.expression ?? null }),
      },
      run: ({ services, actor }, input) => services.tools.setLens(actor, input.name, input.expression),
    }),
    handlers: read({
      rest: "GET /handlers",
      summary: "List the handlers that a tool can name, with the arguments of those that say what they read",
      allow: "read",
      output: handlerCatalogSchema,
      run: ({ services }) => services.tools.handlers(),
    }),
    favorites: read({
      rest: null,
      unrouted: "Favorites sort the lists of the console alone",
      summary: "List the names of your favorite tools",
      allow: "read",
      output: z.array(z.string()),
      run: ({ services, actor }) => services.tools.favorites(actor),
    }),
    setFavorite: act({
      rest: null,
      unrouted: "Favorites sort the lists of the console alone",
      summary: "Make a tool one of your favorites, or end that",
      allow: "read",
      input: z.object({ name, favorite: z.boolean() }),
      audit: { unrecorded: "It changes nothing for others", target: ofTool },
      run: ({ services, actor }, input) => services.tools.setFavorite(actor, input.name, input.favorite),
    }),
    keptApprovals: read({
      rest: "GET /kept-approvals",
      summary: "List the approval modes of names that no tool has now: they apply to the next tool of the name",
      allow: "read",
      output: z.array(keptApprovalSchema),
      run: ({ services }) => services.tools.keptApprovals(),
    }),
    liftApproval: act({
      rest: "DELETE /kept-approvals/{name}",
      summary: "Remove the approval mode that a name carries, also without a tool",
      allow: "edit",
      demand: (input, { tools }) => permissionForApproval(tools.approvalMode(input.name), null),
      input: byName,
      audit: { target: ofTool, state: ({ tools }, input) => ({ mode: tools.approvalMode(input.name) }) },
      run: async ({ services, actor }, input) => {
        await services.tools.liftApproval(actor, input.name);
      },
    }),
  },
  {
    summary: "List and show tools",
    description: "List and show the tools of the catalog.",
    examples: ["toolroom tools list", "toolroom tools show get_weather"],
  },
);
