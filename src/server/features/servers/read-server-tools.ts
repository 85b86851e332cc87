import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import { toLimitKeys } from "../../../lib/contract/limit-keys";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import type { SensitiveSetting } from "../../../lib/contract/server";
import type { ServerTool } from "../../../lib/contract/server-tool";
import { TOOL_SEPARATOR, type ToolAnnotations, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { equalJson } from "../../../lib/json/equal-json";
import { formatJson } from "../../../lib/json/format-json";
import { inheritDigits } from "../../../lib/json/number-digits";
import { catalogToolName } from "../../../lib/portable-name";
import { type ListedTool, UNREADABLE } from "../../engine/mcp-ports";
import { TimeSlice } from "../../engine/time-slice";
import { measureJson } from "../../engine/validation/validate-arguments";

export interface ReadTools {
  /** Every entry as the console shows it, in the server's order. */
  tools: ServerTool[];
  /** The usable tools, in the form of the registry. */
  definitions: ToolDefinition[];
  /** Notes by catalog name: how an input schema is read that does not describe an object. */
  notes: Map<string, SchemaNote[]>;
}

export interface CallLimits {
  timeoutMs?: number | undefined;
  maxTotalTimeoutMs?: number | undefined;
  /** The limit of a result; images and audio stand in it as text. */
  maxStoredBytes?: number | undefined;
  /** Paths that the server's settings list. */
  sensitive?: readonly SensitiveSetting[] | undefined;
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
/** The length of one entry's JSON as the console shows it. */
const MAX_RAW_CHARS = 65_536;

/**
 * Converts a server's list to tool definitions. Excludes only entries that other clients cannot call either; assumes
 * nothing about the entries.
 */
export async function readServerTools(
  server: string,
  listed: readonly ListedTool[],
  limits: CallLimits,
): Promise<ReadTools> {
  const read: ReadTools = { tools: [], definitions: [], notes: new Map() };
  const seen = new Set<string>();
  const slice = new TimeSlice();
  for (const entry of listed) {
    await slice.pause();
    const tool = readEntry(entry);
    const problem = findEntryProblem(entry, seen);
    if (tool.name !== null) seen.add(tool.name);
    if (problem !== null) {
      read.tools.push({ ...tool, ...problem });
      continue;
    }
    const { definition, notes } = toDefinition(server, entry as UsableTool, tool, limits);
    if (notes.length > 0) read.notes.set(definition.name, notes);
    read.definitions.push(definition);
    read.tools.push({ ...tool, catalogName: definition.name, notes });
  }
  return read;
}

const MAX_TOOL_BYTES = 1_048_576;
/** The size of all entries of one server together: they stay in memory and are stored as one text. */
const MAX_SERVER_BYTES = 16_777_216;
const MAX_TOOL_DEPTH = 200;

/**
 * Replaces entries that are too large or too deep, since comparing, storing and rendering walk entries recursively.
 */
export async function boundEntries(listed: readonly ListedTool[]): Promise<ListedTool[]> {
  const bounded: ListedTool[] = [];
  const slice = new TimeSlice();
  let total = 0;
  for (const entry of listed) {
    await slice.pause();
    const { depth, bytes } = measureJson(entry, { maxBytes: MAX_TOOL_BYTES, maxDepth: MAX_TOOL_DEPTH });
    const reason = tooMuch(depth, bytes, total);
    if (reason === null) {
      total += bytes;
      bounded.push(entry);
      continue;
    }
    const name = isPlainObject(entry) ? text(entry.name)?.slice(0, 256) : undefined;
    bounded.push({ ...(name === undefined ? {} : { name }), [UNREADABLE]: reason });
  }
  return bounded;
}

function tooMuch(depth: number, bytes: number, total: number): string | null {
  if (depth > MAX_TOOL_DEPTH) return `The entry is nested deeper than ${MAX_TOOL_DEPTH} levels`;
  if (bytes > MAX_TOOL_BYTES) return `The entry is larger than ${MAX_TOOL_BYTES} bytes`;
  if (total + bytes <= MAX_SERVER_BYTES) return null;
  return `The server's tools are larger than ${MAX_SERVER_BYTES} bytes together, and this one is beyond that: let the server list fewer tools`;
}

type UsableTool = Record<string, unknown> & { name: string };

function readEntry(entry: ListedTool): ServerTool {
  const raw = isPlainObject(entry) ? entry : {};
  const annotations = isPlainObject(raw.annotations) ? raw.annotations : {};
  return {
    name: text(raw.name),
    catalogName: null,
    title: text(raw.title) ?? text(annotations.title),
    description: text(raw.description) ?? "",
    status: "usable",
    reason: null,
    held: null,
    approval: null,
    annotations: Object.fromEntries(
      HINTS.filter((hint) => typeof annotations[hint] === "boolean").map((hint) => [hint, annotations[hint]]),
    ),
    notes: [],
    formatEntry: () => formatJson(entry).slice(0, MAX_RAW_CHARS),
  };
}

function findEntryProblem(entry: ListedTool, seen: ReadonlySet<string>): Pick<ServerTool, "status" | "reason"> | null {
  const malformed = (reason: string) => ({ status: "malformed" as const, reason });
  if (!isPlainObject(entry)) return malformed("The entry is not an object");
  const unreadable = text(entry[UNREADABLE]);
  if (unreadable !== null) return malformed(unreadable);
  const name = text(entry.name);
  if (name === null) return malformed("name must be a non-empty string");
  if (seen.has(name)) return malformed(`Listed twice: the first '${name}' is used`);
  return null;
}

function toDefinition(
  server: string,
  entry: UsableTool,
  tool: ServerTool,
  limits: CallLimits,
): { definition: ToolDefinition; notes: SchemaNote[] } {
  const { outputSchema, icons, _meta } = entry;
  const { title } = tool;
  const { parameters, notes } = readParameters(entry.inputSchema);
  const shown = {
    ...(title === null ? {} : { title }),
    // A definition needs a description; the catalog flags one that only repeats the name.
    description: tool.description.trim() === "" ? (title ?? entry.name) : tool.description,
    annotations: { ...annotationTitle(entry), ...tool.annotations },
  };
  const definition: ToolDefinition = {
    name: catalogToolName(server, entry.name),
    ...shown,
    ...pickListedFields(entry, shown),
    type: "function",
    handler: entry.name,
    parameters,
    implementation: { type: "mcp", server, tool: entry.name },
    ...(isPlainObject(outputSchema) ? { outputSchema } : {}),
    ...(Array.isArray(icons) ? { icons } : {}),
    ...(isPlainObject(_meta) ? { _meta } : {}),
    ...toLimitKeys(limits),
    ...readSensitive(entry.name, limits.sensitive ?? []),
  };
  return { definition, notes };
}

function readSensitive(tool: string, settings: readonly SensitiveSetting[]): Pick<ToolDefinition, "sensitive"> {
  const own = settings.filter((setting) => setting.tool === undefined || setting.tool === tool);
  if (own.length === 0) return {};
  const pathsIn = (part: SensitiveSetting["in"]) =>
    own.filter((setting) => setting.in === part).map(({ path }) => path);
  return { sensitive: { arguments: pathsIn("arguments"), results: pathsIn("results") } };
}

/** Call arguments are always an object, regardless of the server's schema. */
function readParameters(inputSchema: unknown): { parameters: JsonSchema; notes: SchemaNote[] } {
  if (!isPlainObject(inputSchema)) {
    const problem = inputSchema === undefined ? "is missing" : "is not an object";
    const message = `\`inputSchema\` ${problem}: any arguments are accepted`;
    return { parameters: { type: "object" }, notes: [{ pointer: "", keyword: "inputSchema", message }] };
  }
  const type = Object.hasOwn(inputSchema, "type") ? inputSchema.type : undefined;
  if (type === "object") return { parameters: inputSchema, notes: [] };
  const problem = type === undefined ? "is missing" : `is ${JSON.stringify(type)?.slice(0, 80)}`;
  const message = `\`type\` of the arguments ${problem}: it is read as "object"`;
  return {
    parameters: { ...inputSchema, type: "object" },
    notes: [{ pointer: "/type", keyword: "type", message }],
  };
}

function annotationTitle(entry: UsableTool): ToolAnnotations {
  const title = isPlainObject(entry.annotations) ? text(entry.annotations.title) : null;
  return title === null ? {} : { title };
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** `files__read_file` → `files`: the first separator splits. Null for a name that has no prefix. */
export function readPrefix(toolName: string): string | null {
  const at = toolName.indexOf(TOOL_SEPARATOR);
  return at > 0 ? toolName.slice(0, at) : null;
}

/** Leaves room below the depth at which a definition is refused. */
const MAX_DEPTH = 150;
/** The definition has these keys in the server's form. */
const KEPT_ELSEWHERE: ReadonlySet<string> = new Set(["name", "inputSchema", "outputSchema", "icons", "_meta"]);

interface Shown {
  title?: string;
  description: string;
  annotations: ToolAnnotations;
}

/**
 * What a server listed for a tool where its definition says it differently or not at all: an empty description, foreign
 * annotations, `execution`, keys of other versions of the protocol. Values that would make a client refuse the whole list
 * are left out.
 * @param shown what the definition says
 */
function pickListedFields(entry: Record<string, unknown>, shown: Shown): Pick<ToolDefinition, "listed"> {
  const listed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entry)) {
    if (KEPT_ELSEWHERE.has(key)) continue;
    if (key === "title" || key === "description") {
      if (typeof value === "string") listed[key] = value;
    } else if (key === "annotations") {
      if (isPlainObject(value)) listed.annotations = filterAnnotations(value);
    } else if (key !== "execution" || isPlainObject(value)) listed[key] = value;
  }
  // The order in which a server lists its keys says nothing.
  if (equalJson(listed, shown)) return {};
  const { depth } = measureJson(listed, { maxBytes: Number.POSITIVE_INFINITY, maxDepth: MAX_DEPTH });
  return depth > MAX_DEPTH ? {} : { listed: inheritDigits(entry, listed) };
}

function filterAnnotations(annotations: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(annotations).filter(([key, value]) =>
    key === "title"
      ? typeof value === "string"
      : !(HINTS as readonly string[]).includes(key) || typeof value === "boolean",
  );
  return inheritDigits(annotations, Object.fromEntries(kept));
}
