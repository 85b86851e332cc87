import { isPlainObject } from "../../lib/contract/json";
import { ownKeyword } from "../../lib/schema/resolve-ref";
import type { ApiBody } from "./operation";

type Json = Record<string, unknown>;

/** An object with one of these is not the sum of its properties. */
const COMPOSED = ["allOf", "anyOf", "oneOf", "not", "if", "patternProperties", "minProperties", "maxProperties"];

/** Levels of composed schemas in which files are searched. */
const MAX_COMPOSED = 3;

/** Whether the properties of a body can stand beside the parameters. */
export function isFlat(schema: unknown, required: boolean): schema is Json & { properties: Json } {
  const properties = ownKeyword(schema, "properties");
  if (!isPlainObject(schema) || !isPlainObject(properties) || Object.keys(properties).length === 0) return false;
  if (COMPOSED.some((key) => Object.hasOwn(schema, key)) || ownKeyword(schema, "nullable") === true) return false;
  const additional = ownKeyword(schema, "additionalProperties");
  if (isPlainObject(additional) || additional === true) return false;
  const needed = ownKeyword(schema, "required");
  // If the body is left out, nothing in it is required, which a flat schema cannot express.
  return required || !Array.isArray(needed) || needed.length === 0;
}

interface References {
  resolve(value: unknown): unknown;
}

/** Reads a part without `null` as the other choice. */
function readPart(part: unknown, schemas: References): unknown {
  const schema = schemas.resolve(part);
  const choices = ["anyOf", "oneOf"].flatMap((key) => ownKeyword(schema, key) ?? []);
  const others = choices.filter((each) => ownKeyword(each, "type") !== "null");
  return others.length === 1 ? schemas.resolve(others[0]) : schema;
}

/** True for a value that is sent as Base64, unlike bytes. */
export function isEncoded(schema: unknown): boolean {
  return ownKeyword(schema, "format") === "byte" || typeof ownKeyword(schema, "contentEncoding") === "string";
}

function isFile(schema: unknown): boolean {
  const isBinary =
    ownKeyword(schema, "format") === "binary" || typeof ownKeyword(schema, "contentMediaType") === "string";
  return isBinary && !isEncoded(schema);
}

/** The properties of a multipart body that are files, or lists of files. */
export function findFiles(schema: unknown, schemas: References, depth = 0): Map<string, { isList: boolean }> {
  const parts = depth < MAX_COMPOSED ? ["allOf", "anyOf", "oneOf"].flatMap((key) => ownKeyword(schema, key) ?? []) : [];
  const found = parts.flatMap((part) => [...findFiles(schemas.resolve(part), schemas, depth + 1)]);
  const named = Object.entries(ownKeyword(schema, "properties") ?? {}).flatMap(([name, part]) => {
    const read = readPart(part, schemas);
    const isList = isFile(readPart(ownKeyword(read, "items"), schemas));
    return isList || isFile(read) ? [[name, { isList }] as const] : [];
  });
  return new Map([...found, ...named]);
}

/** The kinds of bodies, the preferred first. */
const KINDS: readonly [ApiBody["kind"], RegExp][] = [
  ["json", /^application\/json\b|[/+]json\b|^\*\/\*$/i],
  ["form", /^application\/x-www-form-urlencoded\b/i],
  ["multipart", /^multipart\/form-data\b/i],
  ["text", /^text\/|[/+]xml\b|[/+]yaml\b/i],
  ["binary", /./],
];

interface ChosenContent {
  kind: ApiBody["kind"];
  type: string;
  isAny: boolean;
  media: Json;
}

export function chooseContent(content: unknown): ChosenContent | null {
  if (!isPlainObject(content)) return null;
  for (const [kind, pattern] of KINDS) {
    const found = Object.entries(content).find(([type, media]) => pattern.test(type) && isPlainObject(media));
    if (found === undefined) continue;
    const isAny = found[0].includes("*");
    const type = isAny ? (kind === "json" ? "application/json" : "application/octet-stream") : found[0];
    return { kind, type, isAny, media: found[1] as Json };
  }
  return null;
}

export function readEncodings(encoding: unknown): ApiBody["encoding"] | null {
  if (!isPlainObject(encoding)) return null;
  const entries = Object.entries(encoding).flatMap(([name, value]) => {
    const [style, explode, contentType] = ["style", "explode", "contentType"].map((key) => ownKeyword(value, key));
    const kept = {
      ...(typeof style === "string" && { style }),
      ...(typeof explode === "boolean" && { explode }),
      ...(typeof contentType === "string" && !/[\r\n]/.test(contentType) && { contentType }),
    };
    return name === "__proto__" || Object.keys(kept).length === 0 ? [] : [[name, kept]];
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
