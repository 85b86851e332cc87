import { isVisibleTo } from "../../../lib/apps/tool-app";
import type { EvalOffering } from "../../../lib/contract/eval";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { Toolset } from "../../../lib/contract/toolset";
import type { CreateToolFinder } from "../../engine/ports";
import { type PreparedTool, type PreparedToolset, prepareToolset } from "../../engine/toolsets/prepare-toolset";

export interface OfferPorts {
  /** Lists the enabled tools. */
  definitions: () => readonly ToolDefinition[];
  aliasNames: (names: readonly string[]) => ReadonlyMap<string, string>;
  createFinder: CreateToolFinder;
  /** @throws AppError NOT_FOUND */
  toolset: (name: string) => Toolset;
}

/** A definition that is not saved yet. @param name the tool that it replaces; null for a new one */
export interface EditedTool {
  name: string | null;
  definition: ToolDefinition;
}

/** A model is not offered what only Apps may call. */
export const isOfferedToModels = ({ original }: PreparedTool): boolean => isVisibleTo(original, "model");

const ALL: Toolset = {
  name: "all-tools",
  title: "",
  description: "",
  tools: [],
  patterns: ["*"],
  servers: [],
  contents: [],
  overrides: [],
  discovery: false,
  pinned: [],
  askReason: false,
  createdAt: 0,
  updatedAt: 0,
};

/**
 * The tools of a toolset, or all enabled ones, as a model gets them.
 * @param offering absent: as the toolset offers them
 */
export function offerTools(
  { definitions, aliasNames, createFinder, toolset }: OfferPorts,
  name: string | null,
  { offering, edit }: { offering?: EvalOffering | undefined; edit?: EditedTool | null | undefined } = {},
): PreparedToolset {
  const chosen = name === null ? ALL : toolset(name);
  const wanted: Toolset =
    offering === undefined ? chosen : { ...chosen, discovery: offering === "discovery", pinned: [], askReason: false };
  return prepareToolset(wanted, {
    definitions: edit ? replaceTool(definitions(), edit) : definitions(),
    aliasNames,
    createFinder,
  });
}

/** A tool that is renamed stays where its toolsets had it, under its new name only where they select by pattern or server. */
function replaceTool(definitions: readonly ToolDefinition[], { name, definition }: EditedTool): ToolDefinition[] {
  const others = definitions.filter((each) => each.name !== (name ?? definition.name) && each.name !== definition.name);
  return [...others, definition];
}
