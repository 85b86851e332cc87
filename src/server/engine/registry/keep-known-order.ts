import { isPlainObject } from "../../../lib/contract/json";
import { equalJson } from "../../../lib/json/equal-json";
import { hasDigits, inheritDigits, pickItems } from "../../../lib/json/number-digits";
import { byName } from "../../../lib/schema/compare/compare-tool";
import type { ListedTool } from "../mcp-ports";
import { TimeSlice } from "../time-slice";

type Entry = Readonly<Record<string, unknown>>;

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
    else kept.push(equalJson(sortTool(was), sortTool(entry)) ? toKnownOrder(was, entry) : entry);
  }
  return kept;
}

/** The known entry; where numbers are written with other digits, the entry with the known order of its sets. */
function toKnownOrder(was: Entry, is: Entry): ListedTool {
  if (!hasDigits(was) && !hasDigits(is)) return was;
  const inputSchema = orderSets(was.inputSchema, is.inputSchema);
  return {
    ...is,
    inputSchema,
    ...("outputSchema" in is && { outputSchema: orderSets(was.outputSchema, is.outputSchema) }),
  };
}

/** @param was equal to `is` but for the order of sets */
function orderSets(was: unknown, is: unknown): unknown {
  if (Array.isArray(was) && Array.isArray(is)) {
    const ordered = is.map((item, index) => orderSets(was[index], item));
    return inheritDigits(is, ordered);
  }
  if (!isPlainObject(was) || !isPlainObject(is)) return is;
  const members = Object.entries(is).map(([key, value]) => {
    const known = was[key];
    if (SETS.has(key) && Array.isArray(value) && Array.isArray(known)) return [key, orderSet(known, value)];
    return [key, DATA.has(key) || key.startsWith("x-") ? value : orderSets(known, value)];
  });
  return inheritDigits(is, Object.fromEntries(members));
}

function orderSet(was: readonly unknown[], is: readonly unknown[]): unknown {
  const positions = new Map<string, number[]>();
  for (const [index, item] of is.entries()) {
    const text = JSON.stringify(item);
    positions.set(text, [...(positions.get(text) ?? []), index]);
  }
  const order = was.map((item) => positions.get(JSON.stringify(item))?.shift());
  return pickItems(
    is,
    order.filter((position) => position !== undefined),
  );
}

function sortTool(tool: Entry): unknown {
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
