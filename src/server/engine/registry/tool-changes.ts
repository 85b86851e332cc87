import { isPlainObject, readOwn } from "../../../lib/contract/json";
import { HTTP_META_KEY } from "../../../lib/contract/openapi-constants";
import type { ToolChange } from "../../../lib/contract/server-tool";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { describeFactChange } from "../../../lib/contract/tool-facts";
import type { DefinitionChange } from "../../../lib/contract/tool-version";
import { canonicalJson } from "../../../lib/json/canonical-json";
import { equalJson } from "../../../lib/json/equal-json";
import { getTaskSupport } from "../../../lib/mcp-tasks";
import { ChangeList, shorten } from "../../../lib/schema/compare/change-list";
import { compareSchemas } from "../../../lib/schema/compare/schema-changes";
import { TimeSlice } from "../time-slice";

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
 * tool gives one change, named by the strongest of its details. Entries that are no tools are passed over. Never throws.
 */
export function* compareTools(
  before: readonly unknown[],
  after: readonly unknown[],
): Generator<ToolChange | null, void, undefined> {
  const [former, present] = [byName(before), byName(after)];
  const names = [...new Set([...former.keys(), ...present.keys()])].sort();
  for (const tool of names) yield findChange(tool, former.get(tool), present.get(tool));
}

function findChange(tool: string, was: Entry | undefined, is: Entry | undefined): ToolChange | null {
  if (was === undefined) return { kind: "added", tool, details: [] };
  if (is === undefined) return { kind: "removed", tool, details: [] };
  if (equalJson(was, is)) return null;
  const changes = new ChangeList();
  compareTool(was, is, changes);
  return changes.strongest === null ? null : { kind: changes.strongest, tool, details: changes.sentences() };
}

/**
 * What changed from one definition to another; null where they are equal. Input, output, annotations and texts are judged as
 * in a server's list; of the rest only what runs can break a call.
 */
export function compareDefinitions(was: ToolDefinition, is: ToolDefinition): DefinitionChange | null {
  if (equalJson(was, is)) return null;
  const changes = new ChangeList();
  compareTool(toEntry(was), toEntry(is), changes);
  if (was.name !== is.name)
    changes.add("breaking", `the name changed from ${shorten(was.name)} to ${shorten(is.name)}`);
  compareImplementations(was, is, changes);
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (COMPARED_KEYS.has(key) || equalJson(readOwn(was, key), readOwn(is, key))) continue;
    changes.add("wording", describeFactChange(key, is, shorten) ?? `${shorten(key)} changed`);
  }
  return { kind: changes.strongest ?? "wording", details: changes.sentences() };
}

/** Judged as the entry of a server's list, or as the implementation. `handler` is a label. */
const COMPARED_KEYS: ReadonlySet<string> = new Set([
  ...["name", "title", "description", "annotations", "parameters", "outputSchema", "implementation"],
]);

/** A definition as a server would list it. */
function toEntry({ title, description, annotations, parameters, outputSchema, listed, _meta }: ToolDefinition): Entry {
  return {
    ...{ title, description, annotations, inputSchema: parameters, outputSchema, _meta },
    execution: isPlainObject(listed) ? readOwn(listed, "execution") : undefined,
  };
}

/** The keys of an implementation that name the code that runs. */
const CODE_KEYS = ["type", "handler", "tool"] as const;

function compareImplementations(was: ToolDefinition, is: ToolDefinition, changes: ChangeList): void {
  const [former, present]: [Entry, Entry] = [was.implementation, is.implementation];
  if (equalJson(former, present)) return;
  if (CODE_KEYS.some((key) => !equalJson(readOwn(former, key), readOwn(present, key)))) {
    changes.add("breaking", "the implementation changed: other code runs");
  } else {
    changes.add("wording", "the settings of the implementation changed");
  }
}

/** Compares two entries of a server's list; null where they are equal. */
export function compareEntries(was: unknown, is: unknown): DefinitionChange | null {
  if (equalJson(was, is)) return null;
  const changes = new ChangeList();
  if (isPlainObject(was) && isPlainObject(is)) {
    compareTool(was, is, changes);
    if (changes.strongest === null) {
      const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
      const differing = keys.filter((key) => !equalJson(readOwn(was, key), readOwn(is, key)));
      for (const key of differing) changes.add("wording", `${shorten(key)} changed`);
    }
  }
  return { kind: changes.strongest ?? "wording", details: changes.sentences() };
}

/** The first of several entries with one name counts, as in the catalog. */
export function byName(tools: readonly unknown[]): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const tool of tools) {
    if (!isPlainObject(tool) || !Object.hasOwn(tool, "name")) continue;
    const { name } = tool;
    if (typeof name === "string" && name !== "" && !found.has(name)) found.set(name, tool);
  }
  return found;
}

function compareTool(was: Entry, is: Entry, changes: ChangeList): void {
  compareInput(readOwn(was, "inputSchema"), readOwn(is, "inputSchema"), changes);
  compareOutput(readOwn(was, "outputSchema"), readOwn(is, "outputSchema"), changes);
  compareAnnotations(readOwn(was, "annotations"), readOwn(is, "annotations"), changes);
  const [ran, runs] = [getTaskSupport(was) === "required", getTaskSupport(is) === "required"];
  if (ran !== runs) changes.add("additive", `the tool ${runs ? "now" : "no longer"} runs as a task`);
  const [sent, sends] = [formatRequest(was), formatRequest(is)];
  if (sent !== sends && sent !== "") {
    changes.add(
      "breaking",
      `the request changed from ${shorten(sent)} to ${sends === "" ? "another one" : shorten(sends)}`,
    );
  }
  for (const key of ["title", "description"]) {
    if (canonicalJson(readOwn(was, key)) !== canonicalJson(readOwn(is, key)))
      changes.add("wording", `the ${key} changed`);
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
  const readOnly = (hints: Entry): boolean => readOwn(hints, "readOnlyHint") === true;
  const destructive = (hints: Entry): boolean => !readOnly(hints) && readOwn(hints, "destructiveHint") !== false;
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
  // An approval may depend on the hint: without it, none is required.
  if (readOwn(former, "destructiveHint") === true && readOwn(present, "destructiveHint") !== true) {
    changes.add(
      "breaking",
      "the tool is no longer marked destructive (destructiveHint): its calls may need no approval",
    );
  } else if (readOwn(former, "destructiveHint") !== true && readOwn(present, "destructiveHint") === true) {
    // Otherwise the comparison above has said so.
    if (destructive(former) === destructive(present)) {
      changes.add("wording", "the tool is now marked destructive (destructiveHint)");
    }
  }
  const said = (hints: Entry, key: string): string => canonicalJson(readOwn(hints, key) ?? null);
  for (const key of ["title", "idempotentHint", "openWorldHint"]) {
    if (said(former, key) === said(present, key)) continue;
    const value =
      key === "title" ? "changed" : `is now ${said(present, key) === "null" ? "not given" : said(present, key)}`;
    changes.add("wording", `annotation ${key} ${value.slice(0, 100)}`);
  }
}

/** Returns the request of an OpenAPI server's tool: `GET /pets/{id}`. */
function formatRequest(tool: Entry): string {
  const meta = readOwn(tool, "_meta");
  const http = isPlainObject(meta) ? readOwn(meta, HTTP_META_KEY) : undefined;
  if (!isPlainObject(http)) return "";
  return `${String(readOwn(http, "method"))} ${String(readOwn(http, "server") ?? "")}${String(readOwn(http, "path"))}`;
}
