import type { ExecutionEnvelope } from "../../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import type { Toolset } from "../../../../lib/contract/toolset";
import { selectsTool } from "../../../../lib/select-tool";
import type { ServedCassette } from "../../../engine/cassettes/cassette-ports";
import type { CallArguments } from "../../../engine/executor/call-arguments";
import { type ListedTool, listTool } from "../../../engine/registry/list-tool";
import type { PreparedTool, PreparedToolset } from "../../../engine/toolsets/prepare-toolset";
import { resolveToolsetCall, shownTools } from "../../../engine/toolsets/resolve-call";
import { type ToolsetCall, withoutHiddenArguments } from "../../../engine/toolsets/toolset-call";

/** A tool of a view. */
export interface Entry {
  definition: ToolDefinition;
  listed: ListedTool;
}

/** The call that one `tools/call` runs. */
export interface GatewayCall {
  /** The name in the catalog. */
  name: string;
  args: CallArguments;
  definition: ToolDefinition;
  /** The name that the caller knows. */
  calledAs: string;
  options: Partial<ToolsetCall["options"]>;
  /** Removes facts that the caller must not see; absent: it may see all. */
  conclude?(envelope: ExecutionEnvelope): ExecutionEnvelope;
}

/** The name in the catalog of a tool that a toolset may show under another one. */
export function catalogName(toolset: Toolset | undefined, name: string): string {
  return toolset?.overrides.find((override) => override.name === name)?.tool ?? name;
}

export function isSelected(toolset: Toolset | undefined, name: string, server: string | null): boolean {
  return toolset !== undefined && selectsTool(toolset, name, server);
}

/** The entries that the address of a toolset serves to one caller. */
export class ToolsetEntries {
  readonly entries: Entry[];
  /** Every tool that may be called by its name, listed or not. */
  readonly byName: ReadonlyMap<string, ToolDefinition>;

  /**
   * @param prepared null for a toolset that was deleted @param admits whether the caller may use a tool
   * @param adapt what is listed of a tool of the catalog
   */
  constructor(
    private readonly prepared: PreparedToolset | null,
    private readonly admits: (tool: PreparedTool) => boolean,
    adapt: (listed: ListedTool, tool: PreparedTool) => ListedTool = (listed) => listed,
  ) {
    const tools = (prepared?.tools ?? []).filter(admits);
    const admitted = new Set(tools);
    const shownNames = new Map(tools.map(({ original, shown }) => [original.name, shown.name]));
    const getName = (name: string): string => shownNames.get(name) ?? name;
    const byShown = new Map(tools.map((tool) => [tool.shown, tool]));
    const listed = prepared === null ? [] : shownTools(prepared, admits);
    const callable = [...(prepared?.byName ?? [])].filter(([, tool]) => admitted.has(tool));
    this.byName = new Map([
      ...callable.map(([name, tool]) => [name, tool.shown] as const),
      ...listed.map((tool) => [tool.name, tool] as const),
    ]);
    const toEntry = (definition: ToolDefinition): Entry => {
      const tool = byShown.get(definition);
      const own = listTool(definition, definition.name, getName);
      return { definition, listed: tool === undefined ? own : adapt(own, tool) };
    };
    this.entries = listed.map(toEntry).sort((left, right) => (left.listed.name < right.listed.name ? -1 : 1));
  }

  resolve(name: string, args: CallArguments): GatewayCall | null {
    const call = this.prepared === null ? null : resolveToolsetCall(this.prepared, name, args, this.admits);
    if (call === null) return null;
    const { tool, ...resolved } = call;
    if (tool === null) return resolved;
    return { ...resolved, conclude: (envelope) => withoutHiddenArguments(envelope, tool) };
  }
}

/** The recorded tools for `tools/list`. */
export function listRecorded({ tools }: ServedCassette): Entry[] {
  return tools.map((definition) => {
    // Removes `execution`, which every list adds for clients that support tasks.
    const { execution: _, ...listed } = definition.listed as ListedTool;
    return { definition, listed: listed as ListedTool };
  });
}
