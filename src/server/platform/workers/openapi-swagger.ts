import { isPlainObject } from "../../../lib/contract/json";
import { ownKeyword } from "../../../lib/schema/resolve-ref";
import { SchemaReader } from "./openapi-schema";

type Json = Record<string, unknown>;

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch"];
const MULTIPART = "multipart/form-data";
const FORM = "application/x-www-form-urlencoded";
/** Carries the encoding of form fields through the converter. */
const ENCODING = "x-toolroom-encoding";

/** @param document Swagger 2.0, which is changed to OpenAPI 3.0 */
export async function upgradeSwagger(document: Json): Promise<Json> {
  // Loaded where it is needed: each document begins a thread.
  const { upgradeFromTwoToThree } = await import("@scalar/openapi-upgrader/2.0-to-3.0");
  const schemas = new SchemaReader(document, true);
  const operations = Object.values(ownKeyword(document, "paths") ?? {}).flatMap((item) =>
    takeOperations(item, schemas),
  );
  for (const each of operations) prepare(each, document, schemas);
  // The converter prefers those of the document to those of an operation.
  for (const key of ["consumes", "produces"]) delete document[key];
  const upgraded = upgradeFromTwoToThree({ ...document, swagger: "2.0" }) as Json;
  for (const item of Object.values(ownKeyword(upgraded, "paths") ?? {})) {
    for (const method of METHODS) moveEncoding(ownKeyword(ownKeyword(item, method), "requestBody"));
  }
  return upgraded;
}

interface Taken {
  operation: Json;
  parameters: Json[];
}

/** The methods of a path with all their parameters; the rest of the path, which could stop the converter, is removed. */
function takeOperations(item: unknown, schemas: SchemaReader): Taken[] {
  if (!isPlainObject(item)) return [];
  const shared = readParameters(item, schemas);
  const taken: Taken[] = [];
  for (const [key, operation] of Object.entries(item)) {
    if (METHODS.includes(key) && isPlainObject(operation)) {
      const all = [...shared, ...readParameters(operation, schemas)];
      const byKey = new Map(all.map((each) => [`${each.in} ${each.name ?? each.$ref}`, each]));
      taken.push({ operation, parameters: [...byKey.values()] });
    } else if (key !== "$ref") delete item[key];
  }
  return taken;
}

/** Copies the parameters, since the converter changes what it reads. */
function readParameters(owner: Json, schemas: SchemaReader): Json[] {
  const list = ownKeyword(owner, "parameters");
  return (Array.isArray(list) ? list : []).flatMap((value) => {
    const found = schemas.resolve(value);
    if (found === undefined) return [value];
    return isPlainObject(found) && typeof found.in === "string" ? [structuredClone(found)] : [];
  });
}

/**
 * Writes what the converter would lose in a form that it keeps: bodies behind a reference or of a whole path, lists,
 * choices and defaults of form fields, and media types.
 */
function prepare({ operation, parameters }: Taken, document: Json, schemas: SchemaReader): void {
  const fields = parameters.filter((each) => each.in === "formData");
  const types = [ownKeyword(operation, "consumes"), ownKeyword(document, "consumes")].find(
    (each) => Array.isArray(each) && each.length,
  );
  const consumes = (types ?? []) as unknown[];
  if (fields.length > 0) {
    const isMultipart = consumes.includes(MULTIPART) || fields.some(({ type }) => type === "file");
    operation.consumes = [isMultipart ? MULTIPART : FORM];
  } else operation.consumes = consumes.length > 0 ? consumes : ["application/json"];
  const others = parameters.filter((each) => each.in !== "formData");
  operation.parameters = fields.length === 0 ? others : [...others, toFormBody(fields)];
  const produces = ownKeyword(operation, "produces") ?? ownKeyword(document, "produces");
  if (Array.isArray(produces)) operation.produces = produces;
  const responses = ownKeyword(operation, "responses");
  if (!isPlainObject(responses)) {
    delete operation.responses;
    return;
  }
  for (const [status, response] of Object.entries(responses)) {
    const found = schemas.resolve(response);
    if (isPlainObject(found)) responses[status] = structuredClone(found);
    else delete responses[status];
  }
}

function toFormBody(fields: readonly Json[]): Json {
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

function moveEncoding(body: unknown): void {
  const encoding = ownKeyword(body, ENCODING);
  for (const media of Object.values(ownKeyword(body, "content") ?? {})) {
    if (isPlainObject(media) && encoding !== undefined) media.encoding = encoding;
  }
}
