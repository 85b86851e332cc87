import {
  isPlainObject,
  type JsonSchema,
  type ServerTool,
  TOOL_SEPARATOR,
  type ToolAnnotations,
  type ToolDefinition,
} from "../../../lib/contract";
import { catalogueToolName } from "../../../lib/portable-name";
import type { ListedTool } from "../../engine/mcp-ports";
import { measureJson } from "../../engine/measure-json";

export interface ReadTools {
  /** Every entry as the console shows it, in the server's order. */
  tools: ServerTool[];
  /** The usable ones, as the registry takes them. */
  definitions: ToolDefinition[];
}

export interface CallLimits {
  timeoutMs?: number | undefined;
  maxTotalTimeoutMs?: number | undefined;
  /** Of a result; images and audio stand in it as text. */
  maxStoredBytes?: number | undefined;
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
const MAX_RAW_CHARS = 65_536;

/**
 * Makes definitions of what a server listed. One malformed entry is shown as such and the others work: nothing about a
 * server's entries is taken for granted.
 */
export function readServerTools(server: string, listed: readonly ListedTool[], limits: CallLimits): ReadTools {
  const read: ReadTools = { tools: [], definitions: [] };
  const seen = new Set<string>();
  for (const entry of listed) {
    const tool = readEntry(entry);
    const fault = faultOf(entry, seen);
    if (tool.name !== null) seen.add(tool.name);
    if (fault !== null) {
      read.tools.push({ ...tool, ...fault });
      continue;
    }
    const definition = toDefinition(server, entry as UsableTool, tool, limits);
    read.definitions.push(definition);
    read.tools.push({ ...tool, catalogueName: definition.name });
  }
  return read;
}

const MAX_TOOL_BYTES = 1_048_576;
const MAX_TOOL_DEPTH = 200;
/** Stands in the place of an entry that is too large or too deep to be looked at; what it says is the reason. */
const UNREADABLE = "toolroom_unreadable";

/**
 * What a server listed, without what could not even be walked: nothing behind this has to fear depth or size. Comparing,
 * storing and showing walk entries recursively.
 */
export function boundEntries(listed: readonly ListedTool[]): ListedTool[] {
  return listed.map((entry) => {
    const { depth, bytes } = measureJson(entry, { maxBytes: MAX_TOOL_BYTES, maxDepth: MAX_TOOL_DEPTH });
    const deep = depth > MAX_TOOL_DEPTH;
    if (!deep && bytes <= MAX_TOOL_BYTES) return entry;
    const name = isPlainObject(entry) ? text(entry.name)?.slice(0, 256) : undefined;
    const reason = deep
      ? `The entry is nested deeper than ${MAX_TOOL_DEPTH} levels`
      : `The entry is larger than ${MAX_TOOL_BYTES} bytes`;
    return { ...(name === undefined ? {} : { name }), [UNREADABLE]: reason };
  });
}

type UsableTool = Record<string, unknown> & { name: string; inputSchema: JsonSchema };

function readEntry(entry: ListedTool): ServerTool {
  const raw = isPlainObject(entry) ? entry : {};
  const annotations = isPlainObject(raw.annotations) ? raw.annotations : {};
  return {
    name: text(raw.name),
    catalogueName: null,
    title: text(raw.title) ?? text(annotations.title),
    description: text(raw.description) ?? "",
    status: "usable",
    reason: null,
    annotations: Object.fromEntries(
      HINTS.filter((hint) => typeof annotations[hint] === "boolean").map((hint) => [hint, annotations[hint]]),
    ),
    rawText: (JSON.stringify(entry, null, 2) ?? "null").slice(0, MAX_RAW_CHARS),
  };
}

function faultOf(entry: ListedTool, seen: ReadonlySet<string>): Pick<ServerTool, "status" | "reason"> | null {
  const malformed = (reason: string) => ({ status: "malformed" as const, reason });
  if (!isPlainObject(entry)) return malformed("The entry is not an object");
  const unreadable = text(entry[UNREADABLE]);
  if (unreadable !== null) return malformed(unreadable);
  const name = text(entry.name);
  if (name === null) return malformed("name must be a non-empty string");
  if (seen.has(name)) return malformed(`Listed twice: the first '${name}' is used`);
  const { inputSchema, execution } = entry;
  if (!isPlainObject(inputSchema)) return malformed("inputSchema must be a JSON Schema object");
  if (inputSchema.type !== "object") {
    const got = inputSchema.type === undefined ? "nothing" : JSON.stringify(inputSchema.type);
    return malformed(`inputSchema.type must be "object", got ${got}`);
  }
  if (isPlainObject(execution) && execution.taskSupport === "required") {
    return {
      status: "unsupported",
      reason: "The tool can only be run as a task, an experimental extension that has been replaced since",
    };
  }
  return null;
}

function toDefinition(server: string, entry: UsableTool, tool: ServerTool, limits: CallLimits): ToolDefinition {
  const { outputSchema, icons, _meta } = entry;
  const title = tool.title;
  return {
    name: catalogueToolName(server, entry.name),
    ...(title === null ? {} : { title }),
    // A definition needs a description; one that says nothing more than the name is flagged in the catalogue.
    description: tool.description.trim() === "" ? (title ?? entry.name) : tool.description,
    type: "function",
    handler: entry.name,
    parameters: entry.inputSchema,
    implementation: { type: "mcp", server, tool: entry.name },
    annotations: { ...annotationTitle(entry), ...tool.annotations },
    ...(isPlainObject(outputSchema) ? { outputSchema } : {}),
    ...(Array.isArray(icons) ? { icons } : {}),
    ...(isPlainObject(_meta) ? { _meta } : {}),
    ...(limits.timeoutMs === undefined ? {} : { timeout_ms: limits.timeoutMs }),
    ...(limits.maxStoredBytes === undefined ? {} : { max_stored_bytes: limits.maxStoredBytes }),
    ...(limits.maxTotalTimeoutMs === undefined ? {} : { max_total_timeout_ms: limits.maxTotalTimeoutMs }),
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
export function prefixOf(toolName: string): string | null {
  const at = toolName.indexOf(TOOL_SEPARATOR);
  return at > 0 ? toolName.slice(0, at) : null;
}
