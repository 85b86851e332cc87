import { randomUUID } from "node:crypto";
import { ExactNumber } from "../../lib/contract/exact-number";
import { isPlainObject } from "../../lib/contract/json";
import { readExact, writeExact } from "../../lib/json/exact-text";
import { ToolFailure } from "../engine/failures";
import type { ApiBody, ApiOperation, ApiParameter } from "./operation";
import { encodePairs, serializeValue, toPairs, toText } from "./serialize-parameter";

const CRLF = Buffer.from("\r\n");

/** A request without credentials. */
export interface ApiRequest {
  url: URL;
  method: string;
  /** Headers by names in lower case. */
  headers: Record<string, string>;
  body: string | Buffer | null;
}

/** @throws ToolFailure `invalid_arguments` for values that cannot be sent where they belong */
export function buildRequest(operation: ApiOperation, base: URL, args: Record<string, unknown>): ApiRequest {
  const exact = readExact(args);
  const given = (arg: string): unknown => (Object.hasOwn(exact, arg) ? exact[arg] : undefined);
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

interface BuiltBody {
  /** The media type. */
  type: string;
  content: string | Buffer;
}

/** Null where no argument of the body is given. */
function buildBody(body: ApiBody, given: (arg: string) => unknown): BuiltBody | null {
  const value = readValue(body, given);
  if (value === undefined) return null;
  const { kind, type } = body;
  if (kind === "json") return { type, content: writeExact(value) ?? "null" };
  if (kind === "text") return { type, content: toText(value) };
  if (kind === "binary") return { type, content: fromBase64(body.arg ?? "body", value) };
  const fields = isPlainObject(value) ? Object.entries(value) : [];
  if (kind === "form")
    return { type, content: encodePairs(fields.flatMap(([name, item]) => toFormPairs(body, name, item))) };
  return buildMultipart(body, fields);
}

function readValue({ arg, fields, required }: ApiBody, given: (arg: string) => unknown): unknown {
  if (fields === null) return arg === null ? undefined : given(arg);
  const present = fields.flatMap((field) => {
    const value = given(field.arg);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return present.length === 0 && !required ? undefined : Object.fromEntries(present);
}

/** Objects and lists of objects are nested in brackets, which is what form APIs read, unless the document says otherwise. */
function toFormPairs({ encoding }: ApiBody, name: string, value: unknown) {
  const own = encoding !== undefined && Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  const json = own?.contentType !== undefined && /json/i.test(own.contentType);
  const isNested =
    isPlainObject(value) ||
    (Array.isArray(value) && value.some((item) => isPlainObject(item) || Array.isArray(item) || item === null));
  const style = own?.style ?? (isNested && own?.explode === undefined ? "deepObject" : "form");
  return toPairs({ name, style, explode: own?.explode ?? style === "form", json }, value);
}

function buildMultipart(
  { type, files, encoding }: ApiBody,
  fields: readonly (readonly [string, unknown])[],
): BuiltBody {
  const boundary = `toolroom-${randomUUID()}`;
  const parts: Buffer[] = [];
  const add = (name: string, value: unknown, isFile: boolean): void => {
    const own = encoding !== undefined && Object.hasOwn(encoding, name) ? encoding[name]?.contentType : undefined;
    const named = own?.split(",").find((each) => !each.includes("*"));
    const contentType =
      named?.trim() ??
      (isFile
        ? "application/octet-stream"
        : typeof value === "object" && !(value instanceof ExactNumber)
          ? "application/json"
          : null);
    const quoted = name.replace(/["\r\n]/g, (char) => encodeURIComponent(char));
    const head = [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${quoted}"${isFile ? `; filename="${quoted}"` : ""}`,
      ...(contentType === null ? [] : [`Content-Type: ${contentType}`]),
    ].join("\r\n");
    parts.push(Buffer.from(`${head}\r\n\r\n`), isFile ? fromBase64(name, value) : Buffer.from(toText(value)), CRLF);
  };
  for (const [name, value] of fields) {
    const isFile = files?.includes(name) === true;
    // Several files, or several values, become one part each.
    if (Array.isArray(value)) for (const item of value) add(name, item, isFile);
    else add(name, value, isFile);
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return { type: `${type.split(";", 1)[0]}; boundary=${boundary}`, content: Buffer.concat(parts) };
}

function fromBase64(name: string, value: unknown): Buffer {
  const text = typeof value === "string" ? value.replace(/\s/g, "") : "!";
  if (/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return Buffer.from(text, "base64");
  throw new ToolFailure("invalid_arguments", `'${name}' must be Base64`);
}
