// Plain JavaScript: a worker thread loads this file directly.
import { upgradeFromTwoToThree } from "@scalar/openapi-upgrader/2.0-to-3.0";
import { isObject, own, SchemaReader } from "./openapi-schema.mjs";

/** @typedef {Record<string, unknown>} Json */

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch"];
const MULTIPART = "multipart/form-data";
const FORM = "application/x-www-form-urlencoded";
/** Carries the encoding of form fields through the converter. */
const ENCODING = "x-toolroom-encoding";

/** @param {Json} document Swagger 2.0, which is changed @returns {Json} OpenAPI 3.0 */
export function upgradeSwagger(document) {
  const schemas = new SchemaReader(document, true);
  const operations = Object.values(own(document, "paths") ?? {}).flatMap((item) => takeOperations(item, schemas));
  for (const each of operations) prepare(each, document, schemas);
  // The converter lets those of the document win over those of an operation.
  for (const key of ["consumes", "produces"]) delete document[key];
  const upgraded = /** @type {Json} */ (upgradeFromTwoToThree({ ...document, swagger: "2.0" }));
  for (const item of Object.values(own(upgraded, "paths") ?? {})) {
    for (const method of METHODS) moveEncoding(own(own(item, method), "requestBody"));
  }
  return upgraded;
}

/** @typedef {{ operation: Json, parameters: Json[] }} Taken */

/** The methods of a path with all their parameters; the rest of the path, which could stop the converter, is removed.
 * @param {unknown} item @param {SchemaReader} schemas @returns {Taken[]} */
function takeOperations(item, schemas) {
  if (!isObject(item)) return [];
  const shared = readParameters(item, schemas);
  /** @type {Taken[]} */
  const taken = [];
  for (const [key, operation] of Object.entries(item)) {
    if (METHODS.includes(key) && isObject(operation)) {
      const all = [...shared, ...readParameters(operation, schemas)];
      const byKey = new Map(all.map((each) => [`${each.in} ${each.name ?? each.$ref}`, each]));
      taken.push({ operation, parameters: [...byKey.values()] });
    } else if (key !== "$ref") delete item[key];
  }
  return taken;
}

/** Copies, since the converter changes what it reads. @param {Json} owner @param {SchemaReader} schemas @returns {Json[]} */
function readParameters(owner, schemas) {
  const list = own(owner, "parameters");
  return (Array.isArray(list) ? list : []).flatMap((value) => {
    const found = schemas.resolve(value);
    if (found === undefined) return [value];
    return isObject(found) && typeof found.in === "string" ? [structuredClone(found)] : [];
  });
}

/**
 * Writes what the converter would lose in a form that it keeps: bodies behind a reference or of a whole path, lists,
 * choices and defaults of form fields, and media types.
 * @param {Taken} taken @param {Json} document @param {SchemaReader} schemas
 */
function prepare({ operation, parameters }, document, schemas) {
  const fields = parameters.filter((each) => each.in === "formData");
  const types = [own(operation, "consumes"), own(document, "consumes")].find(
    (each) => Array.isArray(each) && each.length,
  );
  const consumes = /** @type {unknown[]} */ (types ?? []);
  if (fields.length > 0) {
    const isMultipart = consumes.includes(MULTIPART) || fields.some(({ type }) => type === "file");
    operation.consumes = [isMultipart ? MULTIPART : FORM];
  } else operation.consumes = consumes.length > 0 ? consumes : ["application/json"];
  const others = parameters.filter((each) => each.in !== "formData");
  operation.parameters = fields.length === 0 ? others : [...others, toFormBody(fields)];
  const produces = own(operation, "produces") ?? own(document, "produces");
  if (Array.isArray(produces)) operation.produces = produces;
  const responses = own(operation, "responses");
  if (!isObject(responses)) delete operation.responses;
  for (const [status, response] of Object.entries(isObject(responses) ? responses : {})) {
    const found = schemas.resolve(response);
    if (isObject(found)) /** @type {Json} */ (responses)[status] = structuredClone(found);
    else delete (/** @type {Json} */ (responses)[status]);
  }
}

/** @param {Json[]} fields @returns {Json} */
function toFormBody(fields) {
  const properties = fields.map(({ name, in: _, required: __, collectionFormat: ___, ...schema }) => [name, schema]);
  const required = fields.filter((field) => field.required === true).map(({ name }) => name);
  const encodings = fields
    .filter(({ type }) => type === "array")
    .map(({ name, collectionFormat }) => [name, { style: "form", explode: collectionFormat === "multi" }]);
  const schema = {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
  return { in: "body", required: required.length > 0, schema, [ENCODING]: Object.fromEntries(encodings) };
}

/** @param {unknown} body */
function moveEncoding(body) {
  const encoding = own(body, ENCODING);
  for (const media of Object.values(own(body, "content") ?? {})) {
    if (isObject(media) && encoding !== undefined) media.encoding = encoding;
  }
}
