import {
  type ImportEntry,
  isPlainObject,
  type Problem,
  permissionForToolset,
  TOOL_SEPARATOR,
  type Toolset,
  type ToolsetInput,
} from "../../../lib/contract";
import { changedKeys } from "./compare-entries";
import { freeName } from "./plan-servers";
import type { SharedToolsets } from "./sharing-ports";
import type { BatchToolset } from "./sharing-store";

export interface PlannedToolset {
  entry: ImportEntry;
  /** Null for an invalid one. */
  toolset: ToolsetInput | null;
  before: Toolset | null;
}

/** The names that entries of the file get, by those that they have in it. */
export type Renames = Record<"tool" | "server", ReadonlyMap<string, string>>;

/** Compares a toolset of a file with the known ones. @param isTaken names of the file and the known toolsets */
export function planToolset(
  toolsets: SharedToolsets,
  candidate: unknown,
  position: number,
  isTaken: (name: string) => boolean,
): PlannedToolset {
  const given = isPlainObject(candidate) && Object.hasOwn(candidate, "name") ? candidate.name : null;
  const name = typeof given === "string" && given !== "" ? given : `toolsets[${position}]`;
  const entry: ImportEntry = {
    ...{ kind: "toolset", position, name: name.slice(0, 200), status: "invalid", problems: [], notes: [] },
    ...{ conflict: null, details: [], breaking: false, target: null, secrets: [], denied: null, needs: "edit" },
    freeName: freeName(name, "toolset", isTaken),
  };
  const read = toolsets.read(candidate);
  if ("problems" in read) return { entry: { ...entry, problems: read.problems }, toolset: null, before: null };
  const { toolset } = read;
  const before = toolsets.has(toolset.name) ? toolsets.get(toolset.name) : null;
  const unasked = toolset.overrides.filter(({ approval }) => approval === "never").map(({ tool }) => `'${tool}'`);
  if (unasked.length > 0) entry.notes.push(`approval: calls of ${unasked.join(", ")} will not require approval`);
  entry.needs = before === null ? permissionForToolset(toolset) : strictest(before, toolset);
  if (before === null) return { entry: { ...entry, status: "add" }, toolset, before };
  const { createdAt: _createdAt, updatedAt: _updatedAt, ...known } = before;
  const details = changedKeys(known, toolset).map((key) => `${key} changed`);
  return { entry: { ...entry, status: details.length === 0 ? "same" : "change", details }, toolset, before };
}

/** An edit takes the permission for the toolset before it too. */
function strictest(before: Toolset, toolset: ToolsetInput): ImportEntry["needs"] {
  return permissionForToolset(before) === "administer" ? "administer" : permissionForToolset(toolset);
}

/** What an import writes: under its new name, with the new names of the tools and servers that the file brings. */
export function toBatchToolset(
  toolsets: SharedToolsets,
  { toolset, before }: PlannedToolset,
  name: string,
  renamed: Renames,
): BatchToolset | { problems: Problem[] } {
  const toServer = (server: string): string => renamed.server.get(server) ?? server;
  const toTool = (tool: string): string => {
    const [server, ...rest] = tool.split(TOOL_SEPARATOR);
    const moved = rest.length === 0 || server === undefined ? undefined : renamed.server.get(server);
    return renamed.tool.get(tool) ?? (moved === undefined ? tool : [moved, ...rest].join(TOOL_SEPARATOR));
  };
  const read = toolsets.read({
    ...{ ...toolset, name },
    tools: toolset?.tools.map(toTool),
    patterns: toolset?.patterns.map(toTool),
    pinned: toolset?.pinned.map(toTool),
    servers: toolset?.servers.map(toServer),
    contents: toolset?.contents.map(toServer),
    overrides: toolset?.overrides.map((override) => ({ ...override, tool: toTool(override.tool) })),
  });
  if ("problems" in read) return read;
  return { toolset: read.toolset, before: before?.name === name ? before.updatedAt : null };
}
