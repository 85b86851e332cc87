import { randomUUID } from "node:crypto";
import { isPlainObject } from "../../lib/contract/json";
import { ToolFailure } from "../engine/failures";
import type { ApiBody } from "./operation";
import { encodePairs, toPairs, toText } from "./serialize-parameter";

interface BuiltBody {
  /** Media type. */
  type: string;
  content: string | Buffer;
}

/** Null where no argument of the body is given. */
export function buildBody(body: ApiBody, given: (arg: string) => unknown): BuiltBody | null {
  const value = readValue(body, given);
  if (value === undefined) return null;
  const { kind, type } = body;
  if (kind === "json") return { type, content: JSON.stringify(value) };
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
  const isNested = isPlainObject(value) || (Array.isArray(value) && value.some((item) => typeof item === "object"));
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
      named?.trim() ?? (isFile ? "application/octet-stream" : typeof value === "object" ? "application/json" : null);
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
    // Several files, or several values, have one part each.
    if (Array.isArray(value)) for (const item of value) add(name, item, isFile);
    else add(name, value, isFile);
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return { type: `${type.split(";", 1)[0]}; boundary=${boundary}`, content: Buffer.concat(parts) };
}

const CRLF = Buffer.from("\r\n");

function fromBase64(name: string, value: unknown): Buffer {
  const text = typeof value === "string" ? value.replace(/\s/g, "") : "!";
  if (/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return Buffer.from(text, "base64");
  throw new ToolFailure("invalid_arguments", `'${name}' must be Base64`);
}
