import type { ApprovalMode, KeptApproval, ToolApproval } from "../../../lib/contract/approval";
import type {
  DraftCheck,
  HandlerCatalog,
  ProviderText,
  QualityNote,
  ToolDetail,
} from "../../../lib/contract/catalog-tool";
import type { ArgumentVerdict, Fault } from "../../../lib/contract/envelope";
import { refusesCalls } from "../../../lib/contract/held-change";
import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import type { Problem } from "../../../lib/contract/problem";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import {
  getServerName,
  TOOL_FORMATS,
  type ToolDefinition,
  type ToolOrigin,
} from "../../../lib/contract/tool-definition";
import { toSentDescription } from "../../../lib/contract/tool-facts";
import { getMessage } from "../../../lib/get-message";
import { formatJson } from "../../../lib/json/format-json";
import { PROVIDER_NAME_RULE } from "../../../lib/name-rule";
import { aliasesByName, portableName } from "../../../lib/portable-name";
import { toChatTool } from "../../../lib/to-chat-tool";
import type { ToRequestBody, ToWireFormat } from "../../engine/agent/chat-ports";
import { isSameTool } from "../../engine/approvals/approval-gate";
import { type CallArguments, maskFaults } from "../../engine/executor/call-arguments";
import type { ArgumentValidator, ExecutionLimits, Handlers } from "../../engine/ports";
import { checkDefinition } from "../../engine/registry/check-definition";
import { findServedChanges, listTool } from "../../engine/registry/list-tool";
import { TimeSlice } from "../../engine/time-slice";
import { checkArguments } from "../../engine/validation/validate-arguments";
import { parseArgumentsText, parseJsonText } from "../../platform/shared/parse-json-text";
import type { Catalog } from "./catalog";
import type { CatalogEntry, ToolViews } from "./catalog-entry";
import type { ServerPrefixes } from "./server-prefixes";
import type { ToolApprovals } from "./tool-approvals";

interface ToolReadPorts extends ProviderFormats {
  catalog: Catalog;
  prefixes: ServerPrefixes;
  approvals: ToolApprovals;
  views: ToolViews;
  validator: ArgumentValidator;
  checkSchema: (schema: JsonSchema) => string | null;
  hashDefinition: (definition: ToolDefinition) => string;
  handlers: { builtins: Handlers; internals: Handlers };
  limits: ExecutionLimits;
}

type FoundTool = Pick<ToolDefinition, "name" | "description" | "parameters">;

/** Reads of the catalog that other services use. */
export function createToolReads(ports: ToolReadPorts) {
  const { catalog, approvals, views, handlers, validator } = ports;
  const { entries } = catalog;
  const find = (name: string) => catalog.find(name);
  const handlerNames = () => ({
    builtin: Object.keys(handlers.builtins).sort(),
    internal: Object.keys(handlers.internals).sort(),
  });

  /** The executor's own verdict on arguments for a tool. @throws AppError for an unknown tool */
  const check = (name: string, args: unknown): Promise<ArgumentVerdict> =>
    checkArguments(validator, find(name).definition, args, ports.limits);

  return {
    get: (name: string): ToolDetail => views.detail(find(name)),

    has: (name: string): boolean => entries.has(name),

    /** The hash of a tool's definition; null for an unknown tool. Each read of a call compares it. */
    findHash(name: string): string | null {
      const entry = entries.get(name);
      return entry === undefined ? null : ports.hashDefinition(entry.definition);
    },

    find(name: string): ToolDetail | null {
      const entry = entries.get(name);
      return entry === undefined ? null : views.detail(entry);
    },

    /** The enabled tools that have words of the query, best first; all of them for an empty query. */
    search: (query: string, limit: number): FoundTool[] =>
      catalog
        .search(query)
        .slice(0, limit)
        .map((tool) => ({ name: tool.name, description: toSentDescription(tool), parameters: tool.parameters })),
    /** The tools that models and clients are not offered. */
    listHidden: () => listHidden(entries.values()),
    isSwitchedOff: (name: string): boolean => entries.get(name)?.enabled === false,

    /** Parts of the tool's schema that are not checked; null for an unknown tool. */
    schemaNotes(name: string): readonly SchemaNote[] | null {
      const entry = entries.get(name);
      return entry === undefined ? null : views.listSchemaNotes(entry);
    },

    /** The approval setting of a name, in the catalog or not. */
    approvalMode: approvals.getMode,
    /** Names that carry an approval setting without a tool of the catalog. */
    keptApprovals: (): KeptApproval[] => approvals.list().filter(({ name }) => !entries.has(name)),
    /** True when a call of the tool requires approval; read for every call. @param inToolset the toolset's setting */
    asksFirst: approvals.required,
    /** The settings that decide it where no rule and no toolset does, in their order. */
    listApprovalSettings: approvals.listSettings,

    /** Whether a tool of the catalog requires approval and why; null for an unknown tool. */
    getApproval(name: string): ToolApproval | null {
      const entry = entries.get(name);
      return entry === undefined ? null : approvals.of(entry.definition);
    },

    /**
     * Everything wrong with a definition of a file, as at the start of the server: schemas are compiled when they are first used,
     * since thousands of them take a minute. A name that is taken is not wrong.
     */
    findProblems: (candidate: unknown): Problem[] =>
      checkDefinition(candidate, (schema) => validator.checkSchema(schema)),

    /** Why an own tool must not have this name, because of a server's tools; null where it may. */
    explainPrefix: (name: string): string | null => ports.prefixes.explain(name)[0]?.message ?? null,
    /** Lists own tools whose names have the prefix of a server with this name. */
    listOwnTools: (server: string): string[] => ports.prefixes.listOwn(server),

    /** Whether an approved call with this definition would run: the tool is the same, and no change of it waits. */
    runsNow(name: string, definition: ToolDefinition): boolean {
      const entry = entries.get(name);
      return entry !== undefined && !refusesCalls(entry.held) && isSameTool(definition, entry.definition);
    },

    checkDefinition: (definitionText: string, editing: string | undefined): DraftCheck =>
      checkDraft(definitionText, {
        schemaCheck: ports.checkSchema,
        checkQuality: views.checkCandidateQuality,
        getKeptApproval(name) {
          const mode = entries.has(name) ? null : approvals.getMode(name);
          return mode === "never" ? null : mode;
        },
        explainPrefix: (name) => (name === editing ? [] : ports.prefixes.explain(name)),
        getOrigin: (name) => (name === editing ? null : (entries.get(name)?.origin ?? null)),
      }),

    /** Checks arguments before they are sent: a text, or what a request parsed with its body. */
    validateArguments: async (name: string, sent: string | CallArguments): Promise<ArgumentVerdict> => {
      const args = typeof sent === "string" ? await parseArgumentsText(sent) : sent;
      const masks = maskFaults(args);
      const verdict = await check(name, args.value);
      if (masks.length === 0) return verdict;
      const isMasked = ({ pointer }: Fault): boolean => masks.some((mask) => mask.pointer === pointer);
      return { ...verdict, valid: false, faults: [...masks, ...verdict.faults.filter((fault) => !isMasked(fault))] };
    },

    /** The faults for which a call with these arguments is refused. */
    findFaults: async (name: string, args: unknown): Promise<Fault[]> => (await check(name, args)).faults,

    providerFormats: async (name: string): Promise<ProviderText[]> => providerTexts(find(name).definition, ports),

    handlerNames,

    handlers: async (): Promise<HandlerCatalog> => ({
      ...handlerNames(),
      parameters: {
        builtin: await listParameters(handlers.builtins),
        internal: await listParameters(handlers.internals),
      },
    }),
  };
}

function* listHidden(
  entries: Iterable<CatalogEntry>,
): Iterable<{ name: string; server: string | null; reason: "disabled" | "held" }> {
  for (const { definition, enabled, held } of entries) {
    if (enabled && held?.kind !== "added") continue;
    yield { name: definition.name, server: getServerName(definition), reason: enabled ? "held" : "disabled" };
  }
}

/** A module of a team may say anything in its handlers' `parameters`: only an object's schema is passed on. */
async function listParameters(handlers: Handlers): Promise<{ name: string; parameters: JsonSchema }[]> {
  const listed = await Promise.all(
    Object.entries(handlers).map(async ([name, { parameters, loadParameters }]) => ({
      name,
      parameters: parameters ?? (await loadParameters?.()),
    })),
  );
  return listed.flatMap(({ name, parameters }) =>
    isPlainObject(parameters) && parameters.type === "object" ? [{ name, parameters }] : [],
  );
}

interface DraftPorts {
  schemaCheck: (schema: ToolDefinition["parameters"]) => string | null;
  checkQuality: (definition: ToolDefinition) => QualityNote[];
  /** Where the tool comes from that has a name already; null for a free name. */
  getOrigin: (name: string) => ToolOrigin | null;
  getKeptApproval: (name: string) => ApprovalMode | null;
  /** The conflict of a name with the tools of a server. */
  explainPrefix: (name: string) => Problem[];
}

/** Finds every problem of a definition while it is being written. */
function checkDraft(definitionText: string, ports: DraftPorts): DraftCheck {
  let candidate: unknown;
  try {
    candidate = parseJsonText(definitionText, "definition");
  } catch (error) {
    return { problems: [{ path: "", message: getMessage(error) }], quality: [], keptApproval: null };
  }
  const problems = checkDefinition(candidate, ports.schemaCheck);
  const name = (candidate as { name?: unknown } | null)?.name;
  const origin = typeof name === "string" ? ports.getOrigin(name) : null;
  if (origin !== null) {
    problems.push({ path: "name", message: `'${String(name)}' is already taken by a tool from ${origin}` });
  }
  if (typeof name === "string") problems.push(...ports.explainPrefix(name));
  return {
    problems,
    quality: problems.length > 0 ? [] : ports.checkQuality(candidate as ToolDefinition),
    keptApproval: typeof name === "string" && origin === null ? ports.getKeptApproval(name) : null,
  };
}

interface ProviderFormats {
  wireFormat: ToWireFormat;
  requestBody: ToRequestBody;
}

/** A tool exactly as each model provider and MCP client is sent it, and what is lost on the way. */
export async function providerTexts(definition: ToolDefinition, formats: ProviderFormats): Promise<ProviderText[]> {
  const texts: ProviderText[] = [];
  const offered = toChatTool(definition);
  // A large schema takes a provider some 50 ms; other work gets a turn between them.
  const slice = new TimeSlice();
  for (const provider of TOOL_FORMATS) {
    if (provider === "mcp") continue;
    const { tool, notes } = formats.wireFormat(provider, offered);
    await slice.pause();
    const body = formats.requestBody(provider, offered);
    await slice.pause();
    texts.push({ format: provider, text: toText(tool), bodyText: toText(body), notes });
  }
  return [...texts, mcpText(definition)];
}

function mcpText(definition: ToolDefinition): ProviderText {
  const { name } = definition;
  const alias = aliasesByName([name]).get(name) ?? name;
  const tool = listTool(definition, alias, portableName);
  return {
    format: "mcp",
    text: toText(tool),
    bodyText: toText({ jsonrpc: "2.0", id: 1, result: { tools: [tool] } }),
    notes: [
      ...(alias === name ? [] : [`The name is sent as ${alias}. ${PROVIDER_NAME_RULE}`]),
      ...findServedChanges(definition).map(({ message }) => message),
    ],
  };
}

const toText = formatJson;
