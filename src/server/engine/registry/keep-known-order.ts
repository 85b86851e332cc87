import { isPlainObject } from "../../../lib/contract/json";
import { equalJson } from "../../../lib/json/equal-json";
import { byName } from "../../../lib/schema/compare/compare-tool";
import type { ListedTool } from "../mcp-ports";
import { TimeSlice } from "../time-slice";

/** Keywords whose lists are sets. */
const SETS: ReadonlySet<string> = new Set(["enum", "required", "type"]);
/** Keywords with data in place of schemas, in which the order of a list may mean something. */
const DATA: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"]);

/**
 * Replaces entries by the known ones that they equal but for the order of `enum`, `required` and `type`. Programs that write
 * a set of their language's there list it in another order at each start, which is no change of the tool.
 */
export async function keepKnownOrder(
  known: readonly ListedTool[],
  listed: readonly ListedTool[],
): Promise<ListedTool[]> {
  const before = byName(known);
  const slice = new TimeSlice();
  const kept: ListedTool[] = [];
  for (const entry of listed) {
    await slice.pause();
    const was = isPlainObject(entry) ? before.get(String(entry.name)) : undefined;
    if (was === undefined || !isPlainObject(entry) || equalJson(was, entry)) kept.push(entry);
    else kept.push(equalJson(sortTool(was), sortTool(entry)) ? was : entry);
  }
  return kept;
}

function sortTool(tool: Readonly<Record<string, unknown>>): unknown {
  return { ...tool, inputSchema: sortSets(tool.inputSchema), outputSchema: sortSets(tool.outputSchema) };
}

function sortSets(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(sortSets);
  if (!isPlainObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (SETS.has(key) && Array.isArray(value)) return [key, value.map((item) => JSON.stringify(item)).sort()];
      return [key, DATA.has(key) || key.startsWith("x-") ? value : sortSets(value)];
    }),
  );
}
