import { isPlainObject } from "../../../../lib/contract/json";
import type { ToolFilter } from "../../../../lib/contract/server";
import type { EntryPart } from "./entry-limits";
import type { Entry } from "./normalize-entry";

/** Lists of the tools that a client offers to the model, and of those that it does not. */
const ONLY = ["includeTools", "enabledTools", "enabled_tools", "allowedTools", "allowed_tools", "tools"];
const EXCEPT = ["excludeTools", "disabledTools", "disabled_tools"];
/** Approval settings of imported texts are ignored: Toolroom decides which tools run without approval. */
const APPROVALS = ["alwaysAllow", "autoApprove", "trust", "default_tools_approval_mode"];

export const TOOL_FIELDS: readonly string[] = [...ONLY, ...EXCEPT, ...APPROVALS];

/** Reads per-tool switches of other clients. Toolroom's own `toolFilter` wins. */
export function readTools(entry: Entry): EntryPart {
  const part: EntryPart = { fields: {}, notes: [], problems: [] };
  for (const field of APPROVALS) {
    const value = Object.hasOwn(entry, field) ? entry[field] : undefined;
    const says = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false && value !== null;
    if (says) part.notes.push(`${field}: not imported; set approvals in Toolroom instead`);
  }
  if (entry.toolFilter !== undefined) return part;
  const filter = mergeLists(
    ONLY.map((field) => readList(part, entry, field)),
    EXCEPT.map((field) => readList(part, entry, field)),
    switchedOffIn(entry.tools),
  );
  if (filter === null) return part;
  part.fields.toolFilter = filter;
  part.notes.push(describeFilter(filter));
  return part;
}

/** Null where the field is empty, `"*"` for all tools. */
function readList(part: EntryPart, entry: Entry, field: string): string[] | "*" | null {
  const value = Object.hasOwn(entry, field) ? entry[field] : undefined;
  if (value === undefined || value === null || (field === "tools" && isPlainObject(value))) return null;
  if (value === "*") return "*";
  if (!Array.isArray(value) || value.some((name) => typeof name !== "string")) {
    part.problems.push(`${field}: must be a list of tool names such as ["read_file"]`);
    return null;
  }
  const names = value as string[];
  if (names.includes("*")) return "*";
  // Gemini CLI allows `name(arguments)`.
  const given = names.map((name) => name.replace(/\(.*$/s, "").trim()).filter((name) => name !== "");
  // Amp allows patterns (ampcode.com/manual).
  const patterns = given.filter((name) => /[*?[\]{}]/.test(name));
  if (patterns.length > 0) {
    part.notes.push(`${field}: ${quoteList(patterns)} is a pattern, and the filter has names: ${PATTERN_ADVICE}`);
  }
  return given.filter((name) => !patterns.includes(name));
}

/** `tools: { name: false }`, or `{ name: { enabled: false } }` */
function switchedOffIn(tools: unknown): string[] {
  if (!isPlainObject(tools)) return [];
  return Object.entries(tools).flatMap(([name, value]) =>
    value === false || (isPlainObject(value) && value.enabled === false) ? [name] : [],
  );
}

function mergeLists(
  only: readonly (string[] | "*" | null)[],
  except: readonly (string[] | "*" | null)[],
  switchedOff: readonly string[],
): ToolFilter | null {
  if (except.includes("*")) return { mode: "only", names: [] };
  const excluded = new Set([...except.flatMap((list) => list ?? []), ...switchedOff]);
  const lists = only.filter((list): list is string[] => Array.isArray(list));
  if (lists.length > 0) {
    const names = new Set(
      lists.flat().filter((name) => !excluded.has(name) && lists.every((list) => list.includes(name))),
    );
    return { mode: "only", names: [...names] };
  }
  return excluded.size === 0 ? null : { mode: "except", names: [...excluded] };
}

const MAX_SHOWN = 20;
const PATTERN_ADVICE = "choose these tools on the server's page";

function quoteList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_SHOWN).map((name) => name.slice(0, 100));
  return shown.join(", ") + (names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : "");
}

function describeFilter({ mode, names }: ToolFilter): string {
  const list = quoteList(names);
  if (mode === "except") return `Excluded tools: ${list}`;
  return names.length === 0 ? "No tool is offered" : `Only these tools are offered: ${list}`;
}
