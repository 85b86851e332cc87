import { isPlainObject, type ToolChange } from "../../../lib/contract";
import { canonicalJson } from "../json/canonical-json";
import { equalJson } from "../json/equal-json";
import { TimeSlice } from "../time-slice";
import { ChangeList } from "./change-list";
import { compareSchemas } from "./schema-changes";

type Entry = Record<string, unknown>;

/** Whether two lists hold the same tools, whatever their order and the order of their keys. */
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

/**
 * What changed between two lists of tools, as a server sent them, by name: a step for each name, null where nothing did. One
 * tool gives one change, named by the strongest of its details. Entries that are no tools are passed over; of several with
 * one name the first counts, as in the catalogue. Never throws.
 */
export function* compareTools(
  before: readonly unknown[],
  after: readonly unknown[],
): Generator<ToolChange | null, void, undefined> {
  const [former, present] = [byName(before), byName(after)];
  const names = [...new Set([...former.keys(), ...present.keys()])].sort();
  for (const tool of names) yield changeOf(tool, former.get(tool), present.get(tool));
}

function changeOf(tool: string, was: Entry | undefined, is: Entry | undefined): ToolChange | null {
  if (was === undefined) return { kind: "added", tool, details: [] };
  if (is === undefined) return { kind: "removed", tool, details: [] };
  if (equalJson(was, is)) return null;
  const changes = new ChangeList();
  compareTool(was, is, changes);
  return changes.strongest === null ? null : { kind: changes.strongest, tool, details: changes.sentences() };
}

function byName(tools: readonly unknown[]): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const tool of tools) {
    if (!isPlainObject(tool) || !Object.hasOwn(tool, "name")) continue;
    const { name } = tool;
    if (typeof name === "string" && name !== "" && !found.has(name)) found.set(name, tool);
  }
  return found;
}

function compareTool(was: Entry, is: Entry, changes: ChangeList): void {
  compareInput(own(was, "inputSchema"), own(is, "inputSchema"), changes);
  compareOutput(own(was, "outputSchema"), own(is, "outputSchema"), changes);
  compareAnnotations(own(was, "annotations"), own(is, "annotations"), changes);
  if (taskSupport(was) !== taskSupport(is) && (taskSupport(was) === "required" || taskSupport(is) === "required")) {
    if (taskSupport(is) === "required") changes.add("breaking", "the tool can now only be run as a task");
    else changes.add("additive", "the tool can now be run without a task");
  }
  for (const key of ["title", "description"]) {
    if (canonicalJson(own(was, key)) !== canonicalJson(own(is, key))) changes.add("wording", `the ${key} changed`);
  }
}

function compareInput(was: unknown, is: unknown, changes: ChangeList): void {
  if (equalJson(was, is)) return;
  if (isPlainObject(was) && isPlainObject(is)) compareSchemas(was, is, "sent", changes);
  else if (isPlainObject(was))
    changes.add("additive", "the input schema is missing or not an object: arguments are no longer checked");
  else if (isPlainObject(is)) changes.add("breaking", "the tool has an input schema now: arguments are checked");
}

function compareOutput(was: unknown, is: unknown, changes: ChangeList): void {
  if (equalJson(was, is)) return;
  if (isPlainObject(was) && isPlainObject(is)) compareSchemas(was, is, "answered", changes);
  else if (isPlainObject(was))
    changes.add("breaking", "the output schema was removed: structured output is no longer promised");
  else if (isPlainObject(is)) changes.add("additive", "an output schema was added: structured output is now promised");
}

/** The protocol's defaults: a tool that says nothing may write, and may destroy. */
function compareAnnotations(was: unknown, is: unknown, changes: ChangeList): void {
  const [former, present] = [isPlainObject(was) ? was : {}, isPlainObject(is) ? is : {}];
  const readOnly = (hints: Entry): boolean => own(hints, "readOnlyHint") === true;
  const destructive = (hints: Entry): boolean => !readOnly(hints) && own(hints, "destructiveHint") !== false;
  if (readOnly(former) && !readOnly(present)) {
    changes.add("breaking", "the tool is no longer marked read-only (readOnlyHint)");
  } else if (!readOnly(former) && readOnly(present)) {
    changes.add("wording", "the tool is now marked read-only (readOnlyHint)");
  }
  if (!destructive(former) && destructive(present)) {
    changes.add("breaking", "the tool is no longer marked non-destructive (destructiveHint)");
  } else if (destructive(former) && !destructive(present)) {
    changes.add("wording", "the tool is now marked non-destructive (destructiveHint)");
  }
  const said = (hints: Entry, key: string): string => canonicalJson(own(hints, key) ?? null);
  for (const key of ["title", "idempotentHint", "openWorldHint"]) {
    if (said(former, key) === said(present, key)) continue;
    const value =
      key === "title" ? "changed" : `is now ${said(present, key) === "null" ? "not given" : said(present, key)}`;
    changes.add("wording", `annotation ${key} ${value.slice(0, 100)}`);
  }
}

function taskSupport(tool: Entry): unknown {
  const execution = own(tool, "execution");
  return isPlainObject(execution) ? own(execution, "taskSupport") : undefined;
}

function own(entry: Entry, key: string): unknown {
  return Object.hasOwn(entry, key) ? entry[key] : undefined;
}
