import { isPlainObject } from "../../lib/contract/json";
import { ToolFailure } from "../engine/failures";
import { buildBody } from "./build-body";
import type { ApiOperation, ApiParameter } from "./operation";
import { encodePairs, serializeValue, toPairs, toText } from "./serialize-parameter";

/** A request without credentials. */
export interface ApiRequest {
  url: URL;
  method: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string | Buffer | null;
}

/** @throws ToolFailure `invalid_arguments` for values that cannot be sent where they belong */
export function buildRequest(operation: ApiOperation, base: URL, args: Record<string, unknown>): ApiRequest {
  const given = (arg: string): unknown => (Object.hasOwn(args, arg) ? args[arg] : undefined);
  const headers: Record<string, string> = { accept: "application/json, */*;q=0.5" };
  const query: string[] = [];
  const cookies: string[] = [];
  for (const parameter of operation.parameters) {
    const value = given(parameter.arg);
    if (value === undefined || parameter.in === "path") continue;
    if (parameter.in === "query") {
      const text = encodePairs(toPairs(parameter, value), parameter.allowReserved);
      if (text !== "") query.push(text);
    } else if (parameter.in === "cookie") {
      for (const [name, text] of toPairs(parameter, value)) cookies.push(`${name}=${encodeURIComponent(text)}`);
    } else headers[parameter.name.toLowerCase()] = toHeaderValue(parameter, value);
  }
  if (cookies.length > 0) headers.cookie = cookies.join("; ");
  const url = toUrl(base, operation.basePath + fillPath(operation.path, operation, given));
  url.search = [url.search.slice(1), ...fillSearch(operation, given), ...query].filter((part) => part !== "").join("&");
  const built = operation.body === null ? null : buildBody(operation.body, given);
  if (built !== null) headers["content-type"] = built.type;
  return { url, method: operation.method, headers, body: built?.content ?? null };
}

function toHeaderValue(parameter: ApiParameter, value: unknown): string {
  const text = serializeValue(parameter, value);
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text;
  throw invalid(parameter.arg, "must be one line of characters that a header can carry");
}

/** The pairs of a query in the path, but for those that a parameter sends. */
function fillSearch(operation: ApiOperation, given: (arg: string) => unknown): string[] {
  const pairs = operation.search?.split("&") ?? [];
  const sent = operation.parameters.filter((each) => each.in === "query" && given(each.arg) !== undefined);
  return pairs
    .filter((pair) => !sent.some(({ name }) => pair.split("=", 1)[0] === encodeURIComponent(name)))
    .map((pair) => fillPath(pair, operation, given))
    .filter((pair) => !/\{[^{}]+\}/.test(pair));
}

function fillPath(path: string, { parameters }: ApiOperation, given: (arg: string) => unknown): string {
  return path.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name);
    if (parameter === undefined) return whole;
    const value = given(parameter.arg);
    const isEmpty = value === undefined || (!isPlainObject(value) && !Array.isArray(value) && toText(value) === "");
    // An empty segment would be another operation.
    if (isEmpty) throw invalid(parameter.arg, "must not be empty: it is part of the path");
    return serializeValue(parameter, value);
  });
}

/** Values must not lead out of the path. */
function toUrl(base: URL, path: string): URL {
  const url = new URL(base);
  if (path.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    throw new ToolFailure("invalid_arguments", "A path parameter must not be '.' or '..'");
  }
  url.pathname = path;
  url.hash = "";
  return url;
}

function invalid(arg: string, message: string): ToolFailure {
  return new ToolFailure("invalid_arguments", `'${arg}' ${message}`);
}
