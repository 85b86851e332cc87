import type { IncomingHttpHeaders } from "node:http";
import { isPlainObject, type JsonSchema } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { STDIO_HEADER } from "../../../lib/http-guard/request-headers";

/** A parameter whose value a stateless client repeats in the header `Mcp-Param-<name>`, for proxies that route by it. */
interface ParameterHeader {
  path: string[];
  header: string;
  numeric: boolean;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const ENCODED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DECIMAL = /^-?\d+(\.\d+)?$/;
const MAX_DEPTH = 20;

const declared = new WeakMap<ToolDefinition, ParameterHeader[]>();

/** The same for a request; null for one that calls no tool of the view. */
export function callHeaderFault(
  { method, params }: { method: string; params?: Record<string, unknown> | undefined },
  view: { find(name: string): ToolDefinition | undefined },
  headers: IncomingHttpHeaders,
): string | null {
  // Over stdio there are no headers, and no proxy that could have read them.
  if (method !== "tools/call" || headers[STDIO_HEADER] !== undefined) return null;
  const tool = typeof params?.name === "string" ? view.find(params.name) : undefined;
  return tool === undefined ? null : parameterHeaderFault(tool, params?.arguments, headers);
}

/**
 * What is wrong with the headers of a stateless call, null when they say what its arguments say. The arguments are what
 * runs; a header that differs means that something on the way decided by another value.
 */
function parameterHeaderFault(tool: ToolDefinition, args: unknown, headers: IncomingHttpHeaders): string | null {
  for (const { path, header, numeric } of listHeaders(tool)) {
    const value = valueAt(args, path);
    const said = readText(value);
    if (said === null) continue;
    const given = headers[`mcp-param-${header.toLowerCase()}`];
    if (typeof given !== "string") return `Mcp-Param-${header} is missing, although '${path.join(".")}' has a value`;
    const decoded = decodeHeader(given);
    if (decoded === null) return `Mcp-Param-${header} is not valid Base64`;
    const same = numeric && DECIMAL.test(decoded) ? Number(decoded) === value : decoded === said;
    if (!same) return `Mcp-Param-${header} differs from '${path.join(".")}'`;
  }
  return null;
}

function listHeaders(tool: ToolDefinition): ParameterHeader[] {
  const known = declared.get(tool);
  if (known !== undefined) return known;
  const found: ParameterHeader[] = [];
  collect(tool.parameters, [], found);
  declared.set(tool, found);
  return found;
}

function collect(schema: JsonSchema, path: string[], found: ParameterHeader[]): void {
  const { properties } = schema;
  if (!isPlainObject(properties) || path.length >= MAX_DEPTH) return;
  for (const [key, property] of Object.entries(properties)) {
    if (!isPlainObject(property)) continue;
    const header = property["x-mcp-header"];
    const here = [...path, key];
    if (typeof header === "string" && TOKEN.test(header)) {
      found.push({ path: here, header, numeric: property.type === "integer" || property.type === "number" });
    }
    collect(property, here, found);
  }
}

function valueAt(args: unknown, path: string[]): unknown {
  let value = args;
  for (const key of path) {
    if (!isPlainObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Null for what has no header: nothing, objects, lists and numbers that a header cannot hold exactly. */
function readText(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? null : String(value);
}

function decodeHeader(value: string): string | null {
  const encoded = ENCODED.exec(value)?.[1];
  if (encoded === undefined) return value;
  if (!BASE64.test(encoded)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(encoded, "base64"));
  } catch {
    return null;
  }
}
