// Plain JavaScript: a worker thread loads this file directly.
import { createHash } from "node:crypto";
import { Fields, withText } from "../platform/workers/openapi-fields.mjs";
import { isObject, own, SchemaReader } from "../platform/workers/openapi-schema.mjs";
import { chooseContent, findFiles, isEncoded, isFlat, readEncodings } from "./openapi-body.mjs";

/** @typedef {import("./operation").ApiOperation} ApiOperation */
/** @typedef {import("./operation").ApiParameter} ApiParameter */
/** @typedef {import("./operation").ApiBody} ApiBody */
/** @typedef {Record<string, unknown>} Json */
/** @typedef {{ method: string, path: string, item: Json, operation: Json }} Found */
/** @typedef {Pick<import("./document-reader").DocumentJob, "server" | "provided" | "outputSchemas">} Settings */

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
/** More cannot be read by a model, or by a person. */
export const MAX_OPERATIONS = 2000;
/** The size of one tool's input. */
const MAX_INPUT_CHARS = 65_536;
const MAX_OUTPUT_CHARS = 16_384;
const MAX_DESCRIPTION_CHARS = 2000;
/** Set by Toolroom, or by HTTP itself. */
const FORBIDDEN_HEADERS = new Set([
  ...["accept", "content-type", "authorization", "host", "content-length", "connection", "transfer-encoding"],
  ...["cookie", "te", "trailer", "upgrade", "keep-alive", "expect", "proxy-authorization", "accept-encoding"],
]);
const STYLES = { path: "simple", query: "form", header: "simple", cookie: "form" };
/** The longest tool name, with its server's prefix, that model providers and clients accept. */
const MAX_NAME_CHARS = 64;
/** The least length of the tool's part, when the server's name is long. */
const MIN_NAME_CHARS = 24;
const HASH_CHARS = 8;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const MAX_NOTES = 20;
const LOCATIONS = /** @type {const} */ (["path", "query", "header", "cookie"]);

/** Every operation of a document, in its order. @param {Json} document @param {SchemaReader} schemas @returns {Found[]} */
export function findOperations(document, schemas) {
  /** @type {Found[]} */
  const found = [];
  for (const [path, value] of Object.entries(own(document, "paths") ?? {})) {
    const item = schemas.resolve(value);
    if (!isObject(item) || !path.startsWith("/")) continue;
    for (const method of METHODS) {
      const operation = own(item, method);
      if (isObject(operation)) found.push({ method: method.toUpperCase(), path, item, operation });
    }
  }
  return found;
}

/** @param {Found} found @returns {string[]} */
export function listTags({ operation }) {
  const tags = own(operation, "tags");
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
}

/** The tools of the operations, each with how it is called. */
export class ToolMaker {
  #names = new Set();
  /** Notes about omitted parts, for the server's log. @type {string[]} */
  notes = [];

  /** @param {SchemaReader} schemas @param {import("../platform/workers/openapi-servers.mjs").ServerChoice} servers @param {Settings} settings */
  constructor(schemas, servers, settings) {
    this.schemas = schemas;
    this.servers = servers;
    this.settings = settings;
    this.maxName = Math.max(MAX_NAME_CHARS - settings.server.length - "__".length, MIN_NAME_CHARS);
  }

  /** @param {Found} found @returns {{ tool: Json, operation: ApiOperation | null }} */
  make(found) {
    const { method, operation } = found;
    // A fragment tells operations with one address apart.
    const [address = "/"] = found.path.split("#", 1);
    const [path = "/", search] = splitOnce(address, "?");
    const name = this.#name(found);
    const texts = describeOperation(found, address);
    const server = this.servers.place(found);
    const problem = (/** @type {string} */ reason) => ({ tool: { name, ...texts, problem: reason }, operation: null });
    if ("refused" in server) {
      const other = server.refused.slice(0, 200);
      return problem(`Its server is ${other}: add the document as another server with that base URL`);
    }
    const input = this.schemas.begin(MAX_INPUT_CHARS);
    const fields = new Fields();
    const parameters = this.#parameters(found, fields, input);
    const missing = [...path.matchAll(/\{([^{}]+)\}/g)].find(
      ([, param]) => !parameters.some((each) => each.in === "path" && each.name === param),
    );
    if (missing) return problem(`The path parameter '${String(missing[1]).slice(0, 100)}' is not defined`);
    const body = this.#body(operation, fields, input);
    const defs = this.schemas.definitions(input);
    const [unresolved] = input.unresolved;
    if (unresolved !== undefined) return problem(`$ref '${unresolved.slice(0, 200)}' could not be resolved`);
    const output = !this.settings.outputSchemas || method === "HEAD" ? null : this.#output(operation);
    const tool = {
      name,
      ...texts,
      inputSchema: { type: "object", ...fields.schema(), ...defs, ...(input.cut && { $comment: CUT_NOTE }) },
      ...(output !== null && { outputSchema: output.schema }),
      annotations: toHints(method),
      // A document must not move an operation to another server unnoticed.
      _meta: {
        "toolroom/http": { method, path: address, ...(server.path !== this.servers.path && { server: server.path }) },
      },
    };
    const location = { basePath: server.path, path, ...(search !== undefined && { search }) };
    return { tool, operation: { name, method, ...location, parameters, body, wrap: output?.wrap ?? false } };
  }

  /** From `operationId`, else from method and path; unique in the document's order. @param {Found} found */
  #name({ method, path, operation }) {
    const id = own(operation, "operationId");
    const wanted = typeof id === "string" && /[A-Za-z0-9]/.test(id) ? id : `${method.toLowerCase()}${path}`;
    const plain = wanted.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+|_+$/g, "");
    let name = shorten(plain, this.maxName);
    for (let number = 2; this.#names.has(name); number += 1) {
      name = `${shorten(plain, this.maxName - 1 - String(number).length)}_${number}`;
    }
    this.#names.add(name);
    return name;
  }

  /** @param {Found} found @param {Fields} fields @param {import("../platform/workers/openapi-schema.mjs").Draft} draft @returns {ApiParameter[]} */
  #parameters({ method, path, item, operation }, fields, draft) {
    /** The operation's parameters replace those of its path. @type {Map<string, Json>} */
    const byKey = new Map();
    for (const value of [own(item, "parameters"), own(operation, "parameters")].flat()) {
      const parameter = this.schemas.resolve(value, draft);
      const [name, where] = [own(parameter, "name"), own(parameter, "in")];
      if (isObject(parameter) && typeof name === "string" && typeof where === "string") {
        byKey.set(`${where} ${name}`, parameter);
      }
    }
    /** @type {ApiParameter[]} */
    const read = [];
    for (const where of LOCATIONS) {
      for (const parameter of byKey.values()) {
        const name = String(parameter.name);
        if (parameter.in !== where || name === "__proto__" || this.#isSet(where, name)) continue;
        if (where === "header" || where === "cookie" ? !HEADER_NAME.test(name) : name === "") {
          this.#note(`${method} ${path}: the ${where} parameter '${name}' is left out, since it has no valid name`);
          continue;
        }
        read.push(this.#parameter(parameter, where, name, fields, draft));
      }
    }
    return read;
  }

  /** @param {string} text */
  #note(text) {
    if (this.notes.length < MAX_NOTES) this.notes.push(text.slice(0, 300));
  }

  /** @param {string} where @param {string} name */
  #isSet(where, name) {
    const { headers, query } = this.settings.provided;
    if (where === "query") return query.includes(name);
    const folded = name.toLowerCase();
    return where === "header" && (FORBIDDEN_HEADERS.has(folded) || headers.includes(folded));
  }

  /**
   * @param {Json} parameter @param {typeof LOCATIONS[number]} where @param {string} name @param {Fields} fields
   * @param {import("../platform/workers/openapi-schema.mjs").Draft} draft @returns {ApiParameter}
   */
  #parameter(parameter, where, name, fields, draft) {
    const [content] = Object.entries(own(parameter, "content") ?? {});
    const schema = this.schemas.read(own(content?.[1] ?? parameter, "schema") ?? {}, draft);
    const shown = withText(schema, own(parameter, "description"));
    const arg = fields.add(name, where, shown, where === "path" || own(parameter, "required") === true);
    const style = own(parameter, "style");
    const known = typeof style === "string" ? style : STYLES[where];
    const explode = own(parameter, "explode");
    return {
      ...{ arg, name, in: where, style: known, explode: typeof explode === "boolean" ? explode : known === "form" },
      ...(own(parameter, "allowReserved") === true && { allowReserved: true }),
      ...(content !== undefined && { json: true }),
    };
  }

  /** @param {Json} operation @param {Fields} fields @param {import("../platform/workers/openapi-schema.mjs").Draft} draft @returns {ApiBody | null} */
  #body(operation, fields, draft) {
    const body = this.schemas.resolve(own(operation, "requestBody"), draft);
    const chosen = chooseContent(own(body, "content"));
    if (chosen === null) return null;
    const { type, media } = chosen;
    const required = own(body, "required") === true;
    const schema = this.schemas.inlined(own(media, "schema") ?? {});
    const isBase64 = chosen.kind === "binary";
    const kind = isBase64 && isEncoded(schema) ? "text" : chosen.kind;
    const encoding = readEncodings(own(media, "encoding"));
    const files = kind === "multipart" ? findFiles(schema, this.schemas) : new Map();
    const names = [...files.keys()];
    const common = { kind, type, ...(encoding !== null && { encoding }), ...(names.length > 0 && { files: names }) };
    if (kind === "text" || kind === "binary") {
      const text = isBase64 ? { type: "string", contentEncoding: "base64" } : { type: "string" };
      const hint = isBase64 ? `The body (${type}) in Base64` : `The body as ${type}`;
      return { ...common, arg: fields.add("body", "body", { ...text, description: hint }, required), fields: null };
    }
    if (!isFlat(schema, required)) {
      const read = withText(this.schemas.read(own(media, "schema") ?? {}, draft), own(body, "description"));
      const texts = [own(read, "description"), names.length > 0 && `Files in Base64: ${names.join(", ")}`].filter(
        Boolean,
      );
      const shown = isObject(read) && texts.length > 0 ? { ...read, description: texts.join("\n\n") } : read;
      return { ...common, arg: fields.add("body", "body", shown, required), fields: null };
    }
    const needed = own(schema, "required");
    const flat = Object.entries(/** @type {Json} */ (own(schema, "properties"))).flatMap(([name, part]) => {
      if (name === "__proto__" || own(this.schemas.resolve(part), "readOnly") === true) return [];
      const file = files.get(name);
      const read =
        file === undefined ? this.schemas.read(part, draft) : file.isList ? { type: "array", items: FILE } : FILE;
      const isNeeded = Array.isArray(needed) && needed.includes(name) && required;
      return [{ arg: fields.add(name, "body", read, isNeeded), name }];
    });
    return { ...common, arg: null, fields: flat, ...(required && { required }) };
  }

  /** The promise of the 2xx responses; null where one of them is not JSON. @param {Json} operation @returns {{ schema: Json, wrap: boolean } | null} */
  #output(operation) {
    const responses = Object.entries(own(operation, "responses") ?? {}).filter(([status]) =>
      /^2(\d\d|XX)$/i.test(status),
    );
    // Neither status has a body, whatever the document says.
    const contents = responses.map(([status, response]) =>
      /^20[45]$/.test(status) ? null : chooseContent(own(this.schemas.resolve(response), "content")),
    );
    const [first] = contents;
    if (!first || contents.some((content) => content?.kind !== "json")) return null;
    const source = this.schemas.inlined(own(first.media, "schema"));
    // A string of any type may be plain text.
    if (!isObject(source) || (first.isAny && !["object", "array"].includes(String(own(source, "type"))))) return null;
    const draft = this.schemas.begin(MAX_OUTPUT_CHARS);
    const schema = this.schemas.read(source, draft);
    const isWhole = isObject(schema) && schema.type === "object";
    const root = isWhole ? schema : { type: "object", properties: { result: schema }, required: ["result"] };
    const defs = this.schemas.definitions(draft);
    return { schema: { ...root, ...defs, ...(draft.cut && { $comment: CUT_NOTE }) }, wrap: !isWhole };
  }
}

const FILE = { type: "string", contentEncoding: "base64", description: "A file in Base64" };
const CUT_NOTE = "Parts were left out: the schema is too large. They accept any value.";

/** A long name keeps its beginning; the hash of the whole one tells it apart. @param {string} name @param {number} most */
function shorten(name, most) {
  if (name.length <= most) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_CHARS);
  return `${name.slice(0, most - HASH_CHARS - 1).replace(/_+$/, "")}_${hash}`;
}

/** @param {string} text @param {string} mark */
function splitOnce(text, mark) {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** @param {Found} found @param {string} address */
function describeOperation({ method, operation }, address) {
  const [summary, text] = [own(operation, "summary"), own(operation, "description")];
  const title = typeof summary === "string" && summary !== "" ? summary.slice(0, 200) : undefined;
  const said = typeof text === "string" && text.trim() !== "" ? text.slice(0, MAX_DESCRIPTION_CHARS) : (title ?? "");
  const parts = [own(operation, "deprecated") === true ? "Deprecated." : "", said, `${method} ${address}`];
  return { ...(title !== undefined && { title }), description: parts.filter((part) => part !== "").join("\n\n") };
}

/** @param {string} method */
function toHints(method) {
  if (["GET", "HEAD", "OPTIONS"].includes(method)) return { readOnlyHint: true, openWorldHint: true };
  if (method === "DELETE")
    return { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
  return { readOnlyHint: false, ...(method === "PUT" && { idempotentHint: true }), openWorldHint: true };
}
