import { permissionForToolset } from "../../../lib/contract/access";
import type { ImportEntry } from "../../../lib/contract/catalog-file";
import { isPlainObject } from "../../../lib/contract/json";
import type { Problem } from "../../../lib/contract/problem";
import type { Toolset, ToolsetInput } from "../../../lib/contract/toolset";
import { toToolsetInput } from "../../../lib/contract/toolset";
import { type Renames, renameInToolset } from "../../engine/toolsets/rename-in-toolset";
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
    kind: "toolset",
    position,
    name: name.slice(0, 200),
    status: "invalid",
    problems: [],
    notes: [],
    conflict: null,
    details: [],
    breaking: false,
    target: null,
    secrets: [],
    denied: null,
    needs: "edit",
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
  const details = changedKeys(toToolsetInput(before), toolset).map((key) => `${key} changed`);
  return { entry: { ...entry, status: details.length === 0 ? "same" : "change", details }, toolset, before };
}

/** An edit requires the permission for the previous toolset too. */
function strictest(before: Toolset, toolset: ToolsetInput): ImportEntry["needs"] {
  return permissionForToolset(before) === "administer" ? "administer" : permissionForToolset(toolset);
}

/** Returns the toolset that an import writes: under its new name, with the new names of the tools and servers that the file brings. */
export function toBatchToolset(
  toolsets: SharedToolsets,
  { toolset, before }: PlannedToolset,
  name: string,
  renamed: Renames,
): BatchToolset | { problems: Problem[] } {
  const read = toolsets.read(toolset === null ? null : renameInToolset({ ...toolset, name }, renamed));
  if ("problems" in read) return read;
  return { toolset: read.toolset, before: before?.name === name ? before.updatedAt : null };
}
