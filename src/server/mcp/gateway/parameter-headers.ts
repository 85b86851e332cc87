import type { IncomingHttpHeaders } from "node:http";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { STDIO_HEADER } from "../../../lib/http-guard/request-headers";
import { normalizeDecimal } from "../../../lib/json/decimal";
import type { CallArguments } from "../../engine/executor/call-arguments";
import { toCallArguments } from "../fast-path/call-argument-texts";
import { listParameterHeaders, readLargeNumber, readParameter } from "../fast-path/header-parameters";

const ENCODED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DECIMAL = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;

/** The fault of a request's headers; null for a request that calls no tool of the view. */
export function callHeaderFault(
  { method, params }: { method: string; params?: Record<string, unknown> | undefined },
  view: { find(name: string): ToolDefinition | undefined },
  headers: IncomingHttpHeaders,
): string | null {
  // Over stdio there are no headers, and no proxy that could have read them.
  if (method !== "tools/call" || headers[STDIO_HEADER] !== undefined) return null;
  const tool = typeof params?.name === "string" ? view.find(params.name) : undefined;
  return tool === undefined ? null : parameterHeaderFault(tool, toCallArguments(params?.arguments), headers);
}

/**
 * What is wrong with the headers of a stateless call, null when they say what its arguments say. The arguments are what
 * runs; a header that differs means that something on the way decided by another value.
 */
function parameterHeaderFault(tool: ToolDefinition, args: CallArguments, headers: IncomingHttpHeaders): string | null {
  for (const { path, header } of listParameterHeaders(tool.parameters)) {
    const parameter = readParameter(args, path);
    const said = parameter === null ? null : readText(parameter);
    if (parameter === null || said === null) continue;
    const given = headers[`mcp-param-${header.toLowerCase()}`];
    // Clients whose numbers are all doubles send none.
    if (given === undefined && readLargeNumber(parameter) !== null) continue;
    if (typeof given !== "string") return `Mcp-Param-${header} is missing, although '${path.join(".")}' has a value`;
    const decoded = decodeHeader(given);
    if (decoded === null) return `Mcp-Param-${header} is not valid Base64`;
    const isNumber = typeof parameter.value === "number" && DECIMAL.test(decoded);
    const same = isNumber ? normalizeDecimal(decoded) === normalizeDecimal(said) : decoded === said;
    if (!same) return `Mcp-Param-${header} differs from '${path.join(".")}'`;
  }
  return null;
}

/** Null for a value without a header: undefined, objects and lists. */
function readText({ value, text }: Pick<CallArguments, "value" | "text">): string | null {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  return typeof value === "number" ? text.trim() : null;
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
