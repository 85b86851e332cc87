import { createHash } from "node:crypto";
import { isPlainObject } from "../../../lib/contract/json";
import { canonicalJson } from "../../../lib/json/canonical-json";
import { equalJson } from "../../../lib/json/equal-json";
import type { ListedTool } from "../../engine/mcp-ports";

/** Begins the hash of a change that removes a tool. */
const REMOVED = "removed:";

export function hashEntry(entry: ListedTool): string {
  return createHash("sha256").update(canonicalJson(entry)).digest("hex");
}

/** The hash of a change: of the entry that is listed now, or of the removal of the one before. */
export function hashChanged(entry: ListedTool | undefined, beforeHash: string): string {
  return entry === undefined ? `${REMOVED}${beforeHash}` : hashEntry(entry);
}

export const isRemoval = (hash: string): boolean => hash.startsWith(REMOVED);

/** The server's name of a tool; null for an entry without one. */
export function getToolName(entry: ListedTool): string | null {
  if (!isPlainObject(entry) || !Object.hasOwn(entry, "name")) return null;
  const { name } = entry;
  return typeof name === "string" && name !== "" ? name : null;
}

/** The first of several entries with one name counts, as in the catalog. */
export function byName(listed: readonly ListedTool[]): Map<string, ListedTool> {
  const found = new Map<string, ListedTool>();
  for (const entry of listed) {
    const tool = getToolName(entry);
    if (tool !== null && !found.has(tool)) found.set(tool, entry);
  }
  return found;
}

export function findEntry(listed: readonly ListedTool[], tool: string): ListedTool | undefined {
  return listed.find((entry) => getToolName(entry) === tool);
}

/** The name of a listed tool that differs only in its name and title; null where there is none. */
export function findSameTool(entry: ListedTool, listed: readonly ListedTool[]): string | null {
  const wanted = toUnnamed(entry);
  if (wanted === null) return null;
  const same = listed.find((each) => {
    const other = toUnnamed(each);
    return other !== null && equalJson(wanted, other);
  });
  return same === undefined ? null : getToolName(same);
}

function toUnnamed(entry: ListedTool): Record<string, unknown> | null {
  if (!isPlainObject(entry)) return null;
  const { name: _name, title: _title, ...rest } = entry;
  return rest;
}
