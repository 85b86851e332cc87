import type { ExecutionEnvelope, ToolDefinition, Toolset } from "../../lib/contract";
import type { CallArguments } from "../engine/executor/call-arguments";
import { type ListedTool, listTool } from "../engine/registry/list-tool";
import type { PreparedTool, PreparedToolset } from "../engine/toolsets/prepare-toolset";
import { selectsTool } from "../engine/toolsets/select-tools";
import { type ToolsetCall, toToolsetCall, withoutHiddenArguments } from "../engine/toolsets/toolset-call";

/** A tool of a view. */
export interface Entry {
  definition: ToolDefinition;
  listed: ListedTool;
}

/** What one `tools/call` runs. */
export interface GatewayCall {
  /** The name in the catalog. */
  name: string;
  args: CallArguments;
  definition: ToolDefinition;
  /** The name that the caller knows. */
  calledAs: string;
  options: ToolsetCall["options"] | Record<string, never>;
  /** Leaves out what the caller must not know. */
  conclude(envelope: ExecutionEnvelope): ExecutionEnvelope;
}

const NO_OPTIONS: Record<string, never> = {};
const unchanged = (envelope: ExecutionEnvelope): ExecutionEnvelope => envelope;

export function catalogueCall(definition: ToolDefinition, calledAs: string, args: CallArguments): GatewayCall {
  return { name: definition.name, args, definition, calledAs, options: NO_OPTIONS, conclude: unchanged };
}

/** The name in the catalog of a tool that a toolset may show under another one. */
export function catalogueName(toolset: Toolset | undefined, name: string): string {
  return toolset?.overrides.find((override) => override.name === name)?.tool ?? name;
}

export function isSelected(toolset: Toolset | undefined, name: string, server: string | null): boolean {
  return toolset !== undefined && selectsTool(toolset, name, server);
}

/** What the address of a toolset serves to one caller. */
export class ToolsetEntries {
  readonly entries: Entry[];
  readonly byName: ReadonlyMap<string, ToolDefinition>;
  readonly #tools: ReadonlyMap<string, PreparedTool>;
  readonly #toolset: string;

  /**
   * @param prepared null for a toolset that was deleted @param admits whether the caller may use a tool
   * @param adapt what is listed of a tool of the catalog
   */
  constructor(
    prepared: PreparedToolset | null,
    admits: (tool: PreparedTool) => boolean,
    adapt: (listed: ListedTool, original: ToolDefinition) => ListedTool = (listed) => listed,
  ) {
    const tools = (prepared?.tools ?? []).filter(admits);
    const admitted = new Set(tools);
    const shownNames = new Map(tools.map(({ original, shown }) => [original.name, shown.name]));
    const nameOf = (name: string): string => shownNames.get(name) ?? name;
    this.#toolset = prepared?.toolset.name ?? "";
    this.#tools = new Map([...(prepared?.byName ?? [])].filter(([, tool]) => admitted.has(tool)));
    this.byName = new Map(Array.from(this.#tools, ([name, { shown }]) => [name, shown]));
    this.entries = tools.map(({ shown, original }) => ({
      definition: shown,
      listed: adapt(listTool(shown, shown.name, nameOf), original),
    }));
  }

  resolve(name: string, args: CallArguments): GatewayCall | null {
    const tool = this.#tools.get(name);
    if (tool === undefined) return null;
    return {
      ...toToolsetCall(this.#toolset, tool, args),
      definition: tool.shown,
      calledAs: name,
      conclude: (envelope) => withoutHiddenArguments(envelope, tool),
    };
  }
}
