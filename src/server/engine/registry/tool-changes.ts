import { isPlainObject, readOwn } from "../../../lib/contract/json";
import type { ToolChange } from "../../../lib/contract/server-tool";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { describeFactChange } from "../../../lib/contract/tool-facts";
import type { DefinitionChange } from "../../../lib/contract/tool-version";
import { canonicalJson } from "../../../lib/json/canonical-json";
import { equalJson } from "../../../lib/json/equal-json";
import { equalDigits } from "../../../lib/json/number-digits";
import { ChangeList, shorten } from "../../../lib/schema/compare/change-list";
import { byName, compareTool } from "../../../lib/schema/compare/compare-tool";
import { TimeSlice } from "../time-slice";

type Entry = Record<string, unknown>;

/** Whether two lists hold the same tools, regardless of their order and the order of their keys. */
export async function sameTools(before: readonly unknown[], after: readonly unknown[]): Promise<boolean> {
  if (before.length !== after.length) return false;
  const slice = new TimeSlice();
  const moved: number[] = [];
  for (const [index, tool] of before.entries()) {
    if (!equalJson(tool, after[index])) moved.push(index);
    await slice.pause();
  }
  const counts = new Map<string, number>();
  for (const index of moved) {
    const text = canonicalJson(before[index]);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    await slice.pause();
  }
  for (const index of moved) {
    const text = canonicalJson(after[index]);
    const left = counts.get(text) ?? 0;
    if (left === 0) return false;
    counts.set(text, left - 1);
    await slice.pause();
  }
  return true;
}

/** Whether the digits of a number differ between two lists of the same tools. Tools are compared by name. */
export async function differsInDigits(before: readonly unknown[], after: readonly unknown[]): Promise<boolean> {
  const former = byName(before);
  const slice = new TimeSlice();
  for (const [name, is] of byName(after)) {
    const was = former.get(name);
    if (was !== undefined && !equalDigits(was, is)) return true;
    await slice.pause();
  }
  return false;
}

/**
 * What changed between two lists of tools, as a server sent them, by name: a step for each name, null where nothing did. One
 * tool gives one change, named by the strongest of its details. Entries that are no tools are passed over. Never throws.
 */
export function* compareTools(
  before: readonly unknown[],
  after: readonly unknown[],
): Generator<ToolChange | null, void, undefined> {
  const former = byName(before);
  const present = byName(after);
  const names = [...new Set([...former.keys(), ...present.keys()])].sort();
  for (const tool of names) yield findChange(tool, former.get(tool), present.get(tool));
}

function findChange(tool: string, was: Entry | undefined, is: Entry | undefined): ToolChange | null {
  if (was === undefined) return { kind: "added", tool, details: [] };
  if (is === undefined) return { kind: "removed", tool, details: [] };
  // The texts have null in place of a number that is too large for JSON, as earlier versions stored it.
  if (equalJson(was, is) || canonicalJson(was) === canonicalJson(is)) return null;
  const changes = new ChangeList();
  compareTool(was, is, changes);
  return changes.strongest === null ? null : { kind: changes.strongest, tool, details: changes.sentences() };
}

/**
 * The changes from one definition to another; null where they are equal. Input, output, annotations and texts are
 * checked as in a server's list; among the other keys, only what runs can break a call.
 */
export function compareDefinitions(was: ToolDefinition, is: ToolDefinition): DefinitionChange | null {
  if (equalJson(was, is)) return null;
  const changes = new ChangeList();
  compareTool(toEntry(was), toEntry(is), changes);
  if (was.name !== is.name)
    changes.add("breaking", `the name changed from ${shorten(was.name)} to ${shorten(is.name)}`, "tool.other");
  compareImplementations(was, is, changes);
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (COMPARED_KEYS.has(key) || equalJson(readOwn(was, key), readOwn(is, key))) continue;
    changes.add("wording", describeFactChange(key, is, shorten) ?? `${shorten(key)} changed`, "tool.other");
  }
  return { kind: changes.strongest ?? "wording", details: changes.sentences() };
}

/** Checked as the entry of a server's list, or as the implementation. `handler` is a label. */
const COMPARED_KEYS: ReadonlySet<string> = new Set([
  "name",
  "title",
  "description",
  "annotations",
  "parameters",
  "outputSchema",
  "implementation",
]);

/** A definition as a server would list it. */
function toEntry({ title, description, annotations, parameters, outputSchema, listed, _meta }: ToolDefinition): Entry {
  return {
    title,
    description,
    annotations,
    inputSchema: parameters,
    outputSchema,
    _meta,
    execution: isPlainObject(listed) ? readOwn(listed, "execution") : undefined,
  };
}

/** The keys of an implementation that name the code that runs. */
const CODE_KEYS = ["type", "handler", "tool"] as const;

function compareImplementations(was: ToolDefinition, is: ToolDefinition, changes: ChangeList): void {
  const former: Entry = was.implementation;
  const present: Entry = is.implementation;
  if (equalJson(former, present)) return;
  if (CODE_KEYS.some((key) => !equalJson(readOwn(former, key), readOwn(present, key)))) {
    changes.add("breaking", "the implementation changed: other code runs", "tool.other");
  } else {
    changes.add("wording", "the settings of the implementation changed", "tool.other");
  }
}
