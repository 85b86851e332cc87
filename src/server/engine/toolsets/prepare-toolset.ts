import { isPlainObject } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { getServerName } from "../../../lib/contract/tool-definition";
import type { ToolOverride, Toolset, ToolsetProblem } from "../../../lib/contract/toolset";
import { argumentNames, REASON, toShownSchema } from "../../../lib/schema/describe/shown-schema";
import { matchesPattern, selectsTool, type ToolsetSelection } from "../../../lib/select-tool";
import type { CreateToolFinder, ToolFinder } from "../ports";
import { CALL_TOOL, SEARCH_TOOLS } from "./discovery-names";

/** The key of `_meta` that holds the catalog name of a tool that is shown under another name. */
const ORIGINAL_META = "toolroom/tool";

/** A tool of a toolset: as clients see it, and the one that runs. */
export interface PreparedTool {
  /** Calls run and are recorded under its name. */
  readonly original: ToolDefinition;
  /** The definition with the name, texts and schema that clients receive. Never run. */
  readonly shown: ToolDefinition;
  readonly override: ToolOverride | null;
  /** The schema has the toolset's own argument `reason`. */
  readonly takesReason: boolean;
}

/** A toolset with the tools that the catalog has now. */
export interface PreparedToolset {
  readonly toolset: Toolset;
  /** The tools, sorted by shown name. */
  readonly tools: readonly PreparedTool[];
  /** The tools by the name that clients call: the shown name, or the name in the catalog unless the toolset renames it. */
  readonly byName: ReadonlyMap<string, PreparedTool>;
  readonly pinned: ReadonlySet<PreparedTool>;
  /** The tools that have words of the query, best first. */
  readonly search: (query: string) => PreparedTool[];
  /** Selected tools whose names other tools already have. */
  readonly leftOut: readonly PreparedTool[];
  readonly problems: readonly ToolsetProblem[];
}

interface Preparation {
  definitions: readonly ToolDefinition[];
  /** For names that providers refuse: name → alias. */
  aliasNames: (names: readonly string[]) => ReadonlyMap<string, string>;
  createFinder: CreateToolFinder;
  /** The toolset before the catalog changed: unchanged parts stay the same objects. */
  before?: PreparedToolset | undefined;
}

export function prepareToolset(
  toolset: Toolset,
  { definitions, aliasNames, createFinder, before }: Preparation,
): PreparedToolset {
  const overrides = new Map(toolset.overrides.map((override) => [override.tool, override]));
  const known = new Map(
    before?.toolset === toolset ? before.tools.map((tool) => [`${tool.shown.name} ${tool.original.name}`, tool]) : [],
  );
  const selected = selectTools(toolset, definitions);
  const problems = findMissing(toolset, selected, definitions);
  const wantedName = ({ name }: ToolDefinition): string => overrides.get(name)?.name ?? name;
  const aliases = aliasNames(selected.map(wantedName));
  const byShownName = new Map<string, PreparedTool>();
  const leftOut: PreparedTool[] = [];
  // A name from an override comes first, so that it keeps its tool when a server adds one with the same name.
  for (const original of selected.toSorted((left, right) => rank(left) - rank(right))) {
    const override = overrides.get(original.name) ?? null;
    const wanted = wantedName(original);
    const name = aliases.get(wanted) ?? wanted;
    const same = known.get(`${name} ${original.name}`);
    const tool = same?.original === original ? same : prepareTool(original, name, override, toolset.askReason);
    const holder = findHolder(name);
    if (holder !== null) {
      const message = `'${name}' is the name of ${holder}: the tool is left out. Give it another name`;
      problems.push({ severity: "error", tool: original.name, path: `overrides.${original.name}.name`, message });
      leftOut.push(tool);
      continue;
    }
    problems.push(...argumentProblems(tool));
    byShownName.set(name, tool);
  }
  const tools = [...byShownName.values()].sort((left, right) => (left.shown.name < right.shown.name ? -1 : 1));
  const byName = new Map(
    tools.flatMap((tool) => (tool.override?.name === undefined ? [[tool.original.name, tool]] : [])),
  );
  for (const tool of tools) byName.set(tool.shown.name, tool);
  const pinned = new Set(tools.filter(({ original }) => toolset.pinned.includes(original.name)));
  let finder: ToolFinder | null = null;
  const search = (query: string): PreparedTool[] => {
    finder ??= createFinder(tools.map(({ shown }) => shown));
    return finder.search(query).flatMap((name) => byShownName.get(name) ?? []);
  };
  return { toolset, tools, byName, pinned, search, leftOut, problems };

  function findHolder(name: string): string | null {
    if (toolset.discovery && (name === SEARCH_TOOLS || name === CALL_TOOL)) return "a tool that discovery adds";
    const holder = byShownName.get(name);
    return holder === undefined ? null : `the tool '${holder.original.name}'`;
  }

  function rank({ name }: ToolDefinition): number {
    return overrides.get(name)?.name === undefined ? 1 : 0;
  }
}

function prepareTool(
  original: ToolDefinition,
  name: string,
  override: ToolOverride | null,
  askReason: boolean,
): PreparedTool {
  // A tool's own argument of the same name is kept.
  const takesReason = askReason && !argumentNames(original.parameters).includes(REASON);
  const parameters = toShownSchema(original.parameters, override?.arguments ?? [], takesReason);
  const texts = {
    ...(override?.title === undefined ? {} : { title: override.title }),
    ...(override?.description === undefined ? {} : { description: override.description }),
  };
  const shown: ToolDefinition = { ...original, ...texts, name, parameters };
  if (original.listed !== undefined) shown.listed = { ...original.listed, ...texts };
  if (override?.name !== undefined || override?.meta !== undefined) {
    shown._meta = {
      ...(isPlainObject(original._meta) ? original._meta : {}),
      ...override.meta,
      ...(override.name === undefined ? {} : { [ORIGINAL_META]: original.name }),
    };
  }
  return { original, shown, override, takesReason };
}

/** Lists the tools, servers and patterns of a toolset that select nothing in the catalog now. */
function findMissing(
  toolset: Toolset,
  selected: readonly ToolDefinition[],
  definitions: readonly ToolDefinition[],
): ToolsetProblem[] {
  const available = new Set(definitions.map(({ name }) => name));
  const chosen = new Set(selected.map(({ name }) => name));
  const servers = new Set(selected.map(getServerName));
  const warning = (tool: string | null, path: string, message: string): ToolsetProblem => ({
    severity: "warning",
    tool,
    path,
    message,
  });
  return [
    ...toolset.tools.flatMap((tool, index) =>
      available.has(tool) ? [] : [warning(tool, `tools[${index}]`, `'${tool}' is not in the catalog, or is disabled`)],
    ),
    ...toolset.servers.flatMap((server, index) =>
      servers.has(server) ? [] : [warning(null, `servers[${index}]`, `'${server}' has no tool that is enabled`)],
    ),
    ...toolset.patterns.flatMap((pattern, index) =>
      selected.some(({ name }) => matchesPattern(pattern, name))
        ? []
        : [warning(null, `patterns[${index}]`, `'${pattern}' matches no tool that is enabled`)],
    ),
    ...toolset.overrides.flatMap(({ tool }) =>
      chosen.has(tool) ? [] : [warning(tool, `overrides.${tool}`, "is not in this toolset: it changes nothing")],
    ),
    ...toolset.pinned.flatMap((tool, index) =>
      !toolset.discovery || chosen.has(tool)
        ? []
        : [warning(tool, `pinned[${index}]`, `'${tool}' is not in this toolset`)],
    ),
  ];
}

function argumentProblems({ original, override }: PreparedTool): ToolsetProblem[] {
  const { properties, required } = original.parameters;
  return (override?.arguments ?? []).flatMap(({ name, mode }) => {
    const problem = (message: string): ToolsetProblem[] => [
      { severity: "warning", tool: original.name, path: `overrides.${original.name}.arguments.${name}`, message },
    ];
    if (isPlainObject(properties) && !Object.hasOwn(properties, name))
      return problem(`'${name}' is no argument of the tool`);
    const isRequired = mode === "hidden" && Array.isArray(required) && required.includes(name);
    return isRequired ? problem(`'${name}' is required: every call fails. Give it a fixed value`) : [];
  });
}

/** Selects tools in the order of the catalog. */
function selectTools(selection: ToolsetSelection, tools: readonly ToolDefinition[]): ToolDefinition[] {
  const names = new Set(selection.tools);
  return tools.filter(
    (tool) => names.has(tool.name) || selectsTool({ ...selection, tools: [] }, tool.name, getServerName(tool)),
  );
}
