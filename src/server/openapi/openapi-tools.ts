import { createHash } from "node:crypto";
import { isPlainObject } from "../../lib/contract/json";
import { HTTP_META_KEY } from "../../lib/contract/openapi-constants";
import { ownKeyword } from "../../lib/schema/resolve-ref";
import type { Draft, SchemaReader } from "../platform/workers/openapi-schema";
import type { ServerChoice } from "../platform/workers/openapi-servers";
import type { DocumentJob } from "./document-reader";
import { chooseContent, findFiles, isEncoded, isFlat, readEncodings } from "./openapi-body";
import type { ApiBody, ApiOperation, ApiParameter } from "./operation";

type Json = Record<string, unknown>;

export interface FoundOperation {
  method: string;
  path: string;
  item: Json;
  operation: Json;
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
/** The limit of operations that a model, or a user, can read. */
export const MAX_OPERATIONS = 2000;
/** The size of one tool's input. */
const MAX_INPUT_CHARS = 65_536;
const MAX_OUTPUT_CHARS = 16_384;
const MAX_DESCRIPTION_CHARS = 2000;
/** Set by Toolroom, or by HTTP itself. */
const FORBIDDEN_HEADERS = new Set([
  "accept",
  "content-type",
  "authorization",
  "host",
  "content-length",
  "connection",
  "transfer-encoding",
  "cookie",
  "te",
  "trailer",
  "upgrade",
  "keep-alive",
  "expect",
  "proxy-authorization",
  "accept-encoding",
]);
const STYLES = { path: "simple", query: "form", header: "simple", cookie: "form" };
/** The longest tool name, with its server's prefix, that model providers and clients accept. */
const MAX_NAME_CHARS = 64;
/** The least length of the tool's part, when the server's name is long. */
const MIN_NAME_CHARS = 24;
const HASH_CHARS = 8;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const MAX_NOTES = 20;
const LOCATIONS = ["path", "query", "header", "cookie"] as const;

/** Every operation of a document, in its order. */
export function findOperations(document: Json, schemas: SchemaReader): FoundOperation[] {
  const found: FoundOperation[] = [];
  for (const [path, value] of Object.entries(ownKeyword(document, "paths") ?? {})) {
    const item = schemas.resolve(value);
    if (!isPlainObject(item) || !path.startsWith("/")) continue;
    for (const method of METHODS) {
      const operation = ownKeyword(item, method);
      if (isPlainObject(operation)) found.push({ method: method.toUpperCase(), path, item, operation });
    }
  }
  return found;
}

export function listTags({ operation }: FoundOperation): string[] {
  const tags = ownKeyword(operation, "tags");
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [];
}

/** The arguments of one tool: names are taken in order, and a taken one gets its location as a prefix. */
class Fields {
  readonly #properties = new Map<string, unknown>();
  readonly #required: string[] = [];

  add(name: string, where: string, schema: unknown, required: boolean): string {
    let arg = name;
    for (let number = 1; this.#properties.has(arg); number += 1) {
      arg = number === 1 ? `${where}_${name}` : `${where}_${name}_${number}`;
    }
    this.#properties.set(arg, schema);
    if (required) this.#required.push(arg);
    return arg;
  }

  schema(): Json {
    const properties = Object.fromEntries(this.#properties);
    return { properties, ...(this.#required.length > 0 && { required: this.#required }) };
  }
}

/** The tools of the operations, each with how it is called. */
export class ToolMaker {
  readonly #names = new Set<string>();
  readonly #maxName: number;
  /** Notes about omitted parts, for the server's log. */
  readonly notes: string[] = [];

  constructor(
    private readonly schemas: SchemaReader,
    private readonly servers: ServerChoice,
    private readonly settings: Pick<DocumentJob, "server" | "provided" | "outputSchemas">,
  ) {
    this.#maxName = Math.max(MAX_NAME_CHARS - settings.server.length - "__".length, MIN_NAME_CHARS);
  }

  make(found: FoundOperation): { tool: Json; operation: ApiOperation | null } {
    const { method, operation } = found;
    // A fragment distinguishes operations with one address.
    const [address = "/"] = found.path.split("#", 1);
    const [path = "/", ...queries] = address.split("?");
    const search = queries.length > 0 ? { search: queries.join("?") } : {};
    const name = this.#name(found);
    const texts = describeOperation(found, address);
    const server = this.servers.place(found);
    const problem = (reason: string) => ({ tool: { name, ...texts, problem: reason }, operation: null });
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
        [HTTP_META_KEY]: { method, path: address, ...(server.path !== this.servers.path && { server: server.path }) },
      },
    };
    const location = { basePath: server.path, path, ...search };
    return { tool, operation: { name, method, ...location, parameters, body, wrap: output?.wrap ?? false } };
  }

  /** Names an operation by `operationId`, else by method and path; unique in the document's order. */
  #name({ method, path, operation }: FoundOperation): string {
    const id = ownKeyword(operation, "operationId");
    const wanted = typeof id === "string" && /[A-Za-z0-9]/.test(id) ? id : `${method.toLowerCase()}${path}`;
    const plain = wanted.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+|_+$/g, "");
    let name = shorten(plain, this.#maxName);
    for (let number = 2; this.#names.has(name); number += 1) {
      name = `${shorten(plain, this.#maxName - 1 - String(number).length)}_${number}`;
    }
    this.#names.add(name);
    return name;
  }

  #parameters({ method, path, item, operation }: FoundOperation, fields: Fields, draft: Draft): ApiParameter[] {
    /** The operation's parameters replace those of its path. */
    const byKey = new Map<string, Json>();
    for (const value of [ownKeyword(item, "parameters"), ownKeyword(operation, "parameters")].flat()) {
      const parameter = this.schemas.resolve(value, draft);
      const name = ownKeyword(parameter, "name");
      const where = ownKeyword(parameter, "in");
      if (isPlainObject(parameter) && typeof name === "string" && typeof where === "string") {
        byKey.set(`${where} ${name}`, parameter);
      }
    }
    const read: ApiParameter[] = [];
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

  #note(text: string): void {
    if (this.notes.length < MAX_NOTES) this.notes.push(text.slice(0, 300));
  }

  #isSet(where: string, name: string): boolean {
    const { headers, query } = this.settings.provided;
    if (where === "query") return query.includes(name);
    const folded = name.toLowerCase();
    return where === "header" && (FORBIDDEN_HEADERS.has(folded) || headers.includes(folded));
  }

  #parameter(parameter: Json, where: ApiParameter["in"], name: string, fields: Fields, draft: Draft): ApiParameter {
    const [content] = Object.entries(ownKeyword(parameter, "content") ?? {});
    const schema = this.schemas.read(ownKeyword(content?.[1] ?? parameter, "schema") ?? {}, draft);
    const shown = withText(schema, ownKeyword(parameter, "description"));
    const arg = fields.add(name, where, shown, where === "path" || ownKeyword(parameter, "required") === true);
    const style = ownKeyword(parameter, "style");
    const known = typeof style === "string" ? style : STYLES[where];
    const explode = ownKeyword(parameter, "explode");
    return {
      arg,
      name,
      in: where,
      style: known,
      explode: typeof explode === "boolean" ? explode : known === "form",
      ...(ownKeyword(parameter, "allowReserved") === true && { allowReserved: true }),
      ...(content !== undefined && { json: true }),
    };
  }

  #body(operation: Json, fields: Fields, draft: Draft): ApiBody | null {
    const body = this.schemas.resolve(ownKeyword(operation, "requestBody"), draft);
    const chosen = chooseContent(ownKeyword(body, "content"));
    if (chosen === null) return null;
    const { type, media } = chosen;
    const required = ownKeyword(body, "required") === true;
    const schema = this.schemas.inlined(ownKeyword(media, "schema") ?? {});
    const isBase64 = chosen.kind === "binary";
    const kind: ApiBody["kind"] = isBase64 && isEncoded(schema) ? "text" : chosen.kind;
    const encoding = readEncodings(ownKeyword(media, "encoding"));
    const files = kind === "multipart" ? findFiles(schema, this.schemas) : new Map<string, { isList: boolean }>();
    const names = [...files.keys()];
    const common = { kind, type, ...(encoding !== null && { encoding }), ...(names.length > 0 && { files: names }) };
    if (kind === "text" || kind === "binary") {
      const text = isBase64 ? { type: "string", contentEncoding: "base64" } : { type: "string" };
      const hint = isBase64 ? `The body (${type}) in Base64` : `The body as ${type}`;
      return { ...common, arg: fields.add("body", "body", { ...text, description: hint }, required), fields: null };
    }
    if (!isFlat(schema, required)) {
      const read = withText(
        this.schemas.read(ownKeyword(media, "schema") ?? {}, draft),
        ownKeyword(body, "description"),
      );
      const texts = [
        ownKeyword(read, "description"),
        names.length > 0 && `Files in Base64: ${names.join(", ")}`,
      ].filter(Boolean);
      const shown = isPlainObject(read) && texts.length > 0 ? { ...read, description: texts.join("\n\n") } : read;
      return { ...common, arg: fields.add("body", "body", shown, required), fields: null };
    }
    const needed = ownKeyword(schema, "required");
    const flat = Object.entries(schema.properties).flatMap(([name, part]) => {
      if (name === "__proto__" || ownKeyword(this.schemas.resolve(part), "readOnly") === true) return [];
      const file = files.get(name);
      const read =
        file === undefined ? this.schemas.read(part, draft) : file.isList ? { type: "array", items: FILE } : FILE;
      const isNeeded = Array.isArray(needed) && needed.includes(name) && required;
      return [{ arg: fields.add(name, "body", read, isNeeded), name }];
    });
    return { ...common, arg: null, fields: flat, ...(required && { required }) };
  }

  /** The promise of the 2xx responses; null where one of them is not JSON. */
  #output(operation: Json): { schema: Json; wrap: boolean } | null {
    const responses = Object.entries(ownKeyword(operation, "responses") ?? {}).filter(([status]) =>
      /^2(\d\d|XX)$/i.test(status),
    );
    // A response with one of these statuses has no body, even if the document describes one.
    const contents = responses.map(([status, response]) =>
      /^20[45]$/.test(status) ? null : chooseContent(ownKeyword(this.schemas.resolve(response), "content")),
    );
    const [first] = contents;
    if (!first || contents.some((content) => content?.kind !== "json")) return null;
    const source = this.schemas.inlined(ownKeyword(first.media, "schema"));
    // A string of any type may be plain text.
    if (!isPlainObject(source) || (first.isAny && !["object", "array"].includes(String(ownKeyword(source, "type")))))
      return null;
    const draft = this.schemas.begin(MAX_OUTPUT_CHARS);
    const schema = this.schemas.read(source, draft);
    const isWhole = isPlainObject(schema) && schema.type === "object";
    const root = isWhole ? schema : { type: "object", properties: { result: schema }, required: ["result"] };
    const defs = this.schemas.definitions(draft);
    return { schema: { ...root, ...defs, ...(draft.cut && { $comment: CUT_NOTE }) }, wrap: !isWhole };
  }
}

const FILE = { type: "string", contentEncoding: "base64", description: "A file in Base64" };
const CUT_NOTE = "Parts were left out: the schema is too large. They accept any value.";

/** A long name keeps its beginning; the hash of the whole name makes it unique. */
function shorten(name: string, most: number): string {
  if (name.length <= most) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_CHARS);
  return `${name.slice(0, most - HASH_CHARS - 1).replace(/_+$/, "")}_${hash}`;
}

function withText(schema: unknown, text: unknown): unknown {
  if (typeof text !== "string" || text === "" || !isPlainObject(schema) || Object.hasOwn(schema, "description"))
    return schema;
  return { ...schema, description: text.slice(0, 1000) };
}

function describeOperation({ method, operation }: FoundOperation, address: string) {
  const summary = ownKeyword(operation, "summary");
  const text = ownKeyword(operation, "description");
  const title = typeof summary === "string" && summary !== "" ? summary.slice(0, 200) : undefined;
  const said = typeof text === "string" && text.trim() !== "" ? text.slice(0, MAX_DESCRIPTION_CHARS) : (title ?? "");
  const parts = [ownKeyword(operation, "deprecated") === true ? "Deprecated." : "", said, `${method} ${address}`];
  return { ...(title !== undefined && { title }), description: parts.filter((part) => part !== "").join("\n\n") };
}

function toHints(method: string) {
  if (["GET", "HEAD", "OPTIONS"].includes(method)) return { readOnlyHint: true, openWorldHint: true };
  if (method === "DELETE")
    return { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };
  return { readOnlyHint: false, ...(method === "PUT" && { idempotentHint: true }), openWorldHint: true };
}
