// Plain JavaScript: a worker thread loads this file directly.
import { isObject, own } from "../platform/workers/openapi-schema.mjs";

/** @typedef {import("./operation").ApiBody} ApiBody */
/** @typedef {Record<string, unknown>} Json */

/** An object with one of these is not the sum of its properties. */
const COMPOSED = ["allOf", "anyOf", "oneOf", "not", "if", "patternProperties", "minProperties", "maxProperties"];

/** Levels of composed schemas in which files are looked for. */
const MAX_COMPOSED = 3;

/** A body whose properties can stand beside the parameters. @param {unknown} schema @param {boolean} required */
export function isFlat(schema, required) {
  const properties = own(schema, "properties");
  if (!isObject(schema) || !isObject(properties) || Object.keys(properties).length === 0) return false;
  if (COMPOSED.some((key) => Object.hasOwn(schema, key)) || own(schema, "nullable") === true) return false;
  const additional = own(schema, "additionalProperties");
  if (isObject(additional) || additional === true) return false;
  const needed = own(schema, "required");
  // Without the body nothing in it is required, which a flat schema cannot say.
  return required || !Array.isArray(needed) || needed.length === 0;
}

/** @typedef {{ resolve(value: unknown): unknown }} References */

/** Without `null` as the other choice. @param {unknown} part @param {References} schemas */
function readPart(part, schemas) {
  const schema = schemas.resolve(part);
  const choices = ["anyOf", "oneOf"].flatMap((key) => own(schema, key) ?? []);
  const others = choices.filter((each) => own(each, "type") !== "null");
  return others.length === 1 ? schemas.resolve(others[0]) : schema;
}

/** True for a value that is sent as Base64, unlike bytes. @param {unknown} schema */
export function isEncoded(schema) {
  return own(schema, "format") === "byte" || typeof own(schema, "contentEncoding") === "string";
}

/** @param {unknown} schema */
function isFile(schema) {
  const isBinary = own(schema, "format") === "binary" || typeof own(schema, "contentMediaType") === "string";
  return isBinary && !isEncoded(schema);
}

/**
 * The properties of a multipart body that are files, or lists of files.
 * @param {unknown} schema @param {References} schemas @returns {Map<string, { isList: boolean }>}
 */
export function findFiles(schema, schemas, depth = 0) {
  const parts = depth < MAX_COMPOSED ? ["allOf", "anyOf", "oneOf"].flatMap((key) => own(schema, key) ?? []) : [];
  const found = parts.flatMap((part) => [...findFiles(schemas.resolve(part), schemas, depth + 1)]);
  const named = Object.entries(own(schema, "properties") ?? {}).flatMap(([name, part]) => {
    const read = readPart(part, schemas);
    const isList = isFile(readPart(own(read, "items"), schemas));
    return isList || isFile(read) ? [/** @type {const} */ ([name, { isList }])] : [];
  });
  return new Map([...found, ...named]);
}

/** @param {unknown} content @returns {{ kind: ApiBody["kind"], type: string, isAny: boolean, media: Json } | null} */
export function chooseContent(content) {
  if (!isObject(content)) return null;
  /** @type {[ApiBody["kind"], RegExp][]} */
  const wanted = [
    ["json", /^application\/json\b|[/+]json\b|^\*\/\*$/i],
    ["form", /^application\/x-www-form-urlencoded\b/i],
    ["multipart", /^multipart\/form-data\b/i],
    ["text", /^text\/|[/+]xml\b|[/+]yaml\b/i],
    ["binary", /./],
  ];
  for (const [kind, pattern] of wanted) {
    const found = Object.entries(content).find(([type, media]) => pattern.test(type) && isObject(media));
    if (found === undefined) continue;
    const isAny = found[0].includes("*");
    const type = isAny ? (kind === "json" ? "application/json" : "application/octet-stream") : found[0];
    return { kind, type, isAny, media: /** @type {Json} */ (found[1]) };
  }
  return null;
}

/** @param {unknown} encoding @returns {ApiBody["encoding"] | null} */
export function readEncodings(encoding) {
  if (!isObject(encoding)) return null;
  const entries = Object.entries(encoding).flatMap(([name, value]) => {
    const [style, explode, contentType] = ["style", "explode", "contentType"].map((key) => own(value, key));
    const kept = {
      ...(typeof style === "string" && { style }),
      ...(typeof explode === "boolean" && { explode }),
      ...(typeof contentType === "string" && !/[\r\n]/.test(contentType) && { contentType }),
    };
    return name === "__proto__" || Object.keys(kept).length === 0 ? [] : [[name, kept]];
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
