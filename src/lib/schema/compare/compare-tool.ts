import { toRuleId } from "../../contract/change-rules";
import { isPlainObject, type JsonSchema, readOwn } from "../../contract/json";
import { HTTP_META_KEY } from "../../contract/openapi-constants";
import type { DefinitionChange } from "../../contract/tool-version";
import { canonicalJson } from "../../json/canonical-json";
import { equalJson } from "../../json/equal-json";
import { getTaskSupport } from "../../mcp-tasks";
import { findDialectDoubt } from "../dialect";
import { ChangeList, shorten } from "./change-list";
import { Containment } from "./containment";
import { dropNeutral } from "./drop-neutral";
import { otherSide } from "./prover";
import { BY_CONVENTION, CONVENTION, type Direction, SchemaComparison } from "./schema-comparison";

const COMPATIBLE: Readonly<Record<Direction, string>> = { sent: "input.compatible", answered: "output.compatible" };

type Entry = Record<string, unknown>;

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

/** Compares two entries of a server's list; null where they are equal. */
export function compareEntries(was: unknown, is: unknown): DefinitionChange | null {
  if (equalJson(was, is)) return null;
  const changes = listChanges(was, is);
  return { kind: changes.strongest ?? "wording", details: changes.sentences() };
}

/** The differences between two entries of a server's list. */
export function listChanges(was: unknown, is: unknown): ChangeList {
  const changes = new ChangeList();
  if (!isPlainObject(was) || !isPlainObject(is)) return changes;
  compareTool(was, is, changes);
  if (changes.strongest !== null) return changes;
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const differing = keys.filter((key) => !equalJson(readOwn(was, key), readOwn(is, key)));
  for (const key of differing) changes.add("wording", `${shorten(key)} changed`, "tool.other");
  return changes;
}

/** Adds what changed between two entries of a server's list. */
export function compareTool(was: Entry, is: Entry, changes: ChangeList): void {
  compareInput(readOwn(was, "inputSchema"), readOwn(is, "inputSchema"), changes);
  compareOutput(readOwn(was, "outputSchema"), readOwn(is, "outputSchema"), changes);
  compareAnnotations(readOwn(was, "annotations"), readOwn(is, "annotations"), changes);
  const ran = getTaskSupport(was) === "required";
  const runs = getTaskSupport(is) === "required";
  if (ran !== runs) changes.add("additive", `the tool ${runs ? "now" : "no longer"} runs as a task`, "tool.task");
  const sent = formatRequest(was);
  const sends = formatRequest(is);
  if (sent !== sends && sent !== "") {
    changes.add(
      "breaking",
      `the request changed from ${shorten(sent)} to ${sends === "" ? "another one" : shorten(sends)}`,
      "tool.request",
    );
  }
  for (const key of ["title", "description"]) {
    if (canonicalJson(readOwn(was, key)) !== canonicalJson(readOwn(is, key)))
      changes.add("wording", `the ${key} changed`, `tool.${key}`);
  }
}

function compareInput(was: unknown, is: unknown, changes: ChangeList): void {
  if (equalJson(was, is)) return;
  if (isPlainObject(was) && isPlainObject(is)) changes.addAll(compareSchemas(was, is, "sent"));
  else if (isPlainObject(was)) {
    const sentence = "the input schema is missing or not an object: arguments are no longer checked";
    changes.add("additive", sentence, "input.compatible");
  } else if (isPlainObject(is)) {
    changes.add("breaking", "the tool has an input schema now: arguments are checked", "input.schema");
  }
}

function compareOutput(was: unknown, is: unknown, changes: ChangeList): void {
  if (equalJson(was, is)) return;
  if (isPlainObject(was) && isPlainObject(is)) changes.addAll(compareSchemas(was, is, "answered"));
  else if (isPlainObject(was)) {
    const sentence = "the output schema was removed: structured output is no longer promised";
    changes.add("breaking", sentence, "output.schema");
  } else if (isPlainObject(is)) {
    const sentence = "an output schema was added: structured output is now promised";
    changes.add("additive", sentence, "output.compatible");
  }
}

/** The protocol's defaults: a tool that says nothing may write, and may destroy. */
function compareAnnotations(was: unknown, is: unknown, changes: ChangeList): void {
  const former = isPlainObject(was) ? was : {};
  const present = isPlainObject(is) ? is : {};
  const readOnly = (hints: Entry): boolean => readOwn(hints, "readOnlyHint") === true;
  const destructive = (hints: Entry): boolean => !readOnly(hints) && readOwn(hints, "destructiveHint") !== false;
  if (readOnly(former) && !readOnly(present)) {
    changes.add("breaking", "the tool is no longer marked read-only (readOnlyHint)", "tool.read-only");
  } else if (!readOnly(former) && readOnly(present)) {
    changes.add("wording", "the tool is now marked read-only (readOnlyHint)", "tool.hint");
  }
  if (!destructive(former) && destructive(present)) {
    changes.add("breaking", "the tool is no longer marked non-destructive (destructiveHint)", "tool.destructive");
  } else if (destructive(former) && !destructive(present)) {
    changes.add("wording", "the tool is now marked non-destructive (destructiveHint)", "tool.hint");
  }
  // An approval may depend on the hint: without it, none is required.
  if (readOwn(former, "destructiveHint") === true && readOwn(present, "destructiveHint") !== true) {
    changes.add(
      "breaking",
      "the tool is no longer marked destructive (destructiveHint): its calls may need no approval",
      "tool.approval",
    );
  } else if (readOwn(former, "destructiveHint") !== true && readOwn(present, "destructiveHint") === true) {
    // The comparison above reports the other cases.
    if (destructive(former) === destructive(present)) {
      changes.add("wording", "the tool is now marked destructive (destructiveHint)", "tool.hint");
    }
  }
  const said = (hints: Entry, key: string): string => canonicalJson(readOwn(hints, key) ?? null);
  for (const key of ["title", "idempotentHint", "openWorldHint"]) {
    if (said(former, key) === said(present, key)) continue;
    const value =
      key === "title" ? "changed" : `is now ${said(present, key) === "null" ? "not given" : said(present, key)}`;
    changes.add("wording", `annotation ${key} ${value.slice(0, 100)}`, "tool.hint");
  }
}

/** Returns the request of an OpenAPI server's tool: `GET /pets/{id}`. */
function formatRequest(tool: Entry): string {
  const meta = readOwn(tool, "_meta");
  const http = isPlainObject(meta) ? readOwn(meta, HTTP_META_KEY) : undefined;
  if (!isPlainObject(http)) return "";
  return `${String(readOwn(http, "method"))} ${String(readOwn(http, "server") ?? "")}${String(readOwn(http, "path"))}`;
}

/**
 * Tells how what a tool takes (`sent`) or answers (`answered`) changed. Without a breaking sentence it is proven that no
 * value which has to fit stops to fit; `BY_CONVENTION` names the only exception.
 */
export function compareSchemas(was: JsonSchema, is: JsonSchema, direction: Direction): ChangeList {
  const changes = new ChangeList();
  const before = dropNeutral(was);
  const after = dropNeutral(is);
  const proof = new Containment(before, after);
  const [inner, outer] = direction === "sent" ? [before, after] : [after, before];
  const side = direction === "sent" ? "before" : "after";
  const doubt = findDialectDoubt(before, after);
  const isProven = doubt === null && proof.proves(inner, side, outer);
  const isCompatible = isProven || (doubt === null && direction === "sent" && proof.proves(inner, side, outer, true));
  const excepted = [...proof.excepted];
  const comparison = new SchemaComparison({ before, after, direction, proof, isProven });
  comparison.compare(before, after, "", 0, changes);
  const whole = direction === "sent" ? "the input schema" : "the output schema";
  const unproven = toRuleId(direction === "sent" ? "input" : "output", "unproven", "breaking");
  if (comparison.isCut || (proof.isCut && !isCompatible)) {
    changes.add("breaking", `${whole} changed and is too large to compare in full`, unproven);
  } else if (doubt !== null) changes.add("breaking", `${whole} may break: ${doubt}`, unproven);
  else if (!isCompatible && changes.strongest !== "breaking") {
    const values =
      direction === "sent" ? "every call that was valid stays valid" : "every result fits the former schema";
    changes.add("breaking", `${whole} may break: it is not proven that ${values}`, unproven);
  }
  if (changes.strongest === null && !new Containment(before, after).proves(outer, otherSide(side), inner)) {
    // The walk does not describe what refers to itself.
    changes.add(
      "additive",
      `${whole} now takes ${direction === "sent" ? "more" : "less"} than before`,
      COMPATIBLE[direction],
    );
  }
  if (isProven || changes.strongest === "breaking") return changes;
  // The walk names an excepted property where it was added, but not one of an alternative.
  const told = changes.list().flatMap(({ rule, sentence }) => (rule === CONVENTION ? [sentence] : []));
  for (const name of excepted.map(shorten)) {
    if (told.some((sentence) => sentence.includes(`${name}'`) || sentence.includes(JSON.stringify(name)))) continue;
    changes.add("additive", `${whole} describes '${name}' now (${BY_CONVENTION})`, CONVENTION);
  }
  return changes;
}
