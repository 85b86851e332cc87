// Reads OpenAPI documents, which may be many megabytes.
import { gunzipSync } from "node:zlib";
import { $RefParser, type ParserOptions } from "@apidevtools/json-schema-ref-parser";
import type { ApiOutline } from "../../lib/contract/api-document";
import { isPlainObject } from "../../lib/contract/json";
import { getMessage } from "../../lib/get-message";
import { ownKeyword } from "../../lib/schema/resolve-ref";
import { SchemaReader, UNRESOLVED } from "../platform/workers/openapi-schema";
import { findServerUrl, matchesGlob, ServerChoice } from "../platform/workers/openapi-servers";
import { upgradeSwagger } from "../platform/workers/openapi-swagger";
import { serveJobs } from "../platform/workers/serve-jobs";
import type { DocumentAnswer, DocumentJob } from "./document-reader";
import { parseDocumentText } from "./document-text";
import { type FoundOperation, findOperations, listTags, MAX_OPERATIONS, ToolMaker } from "./openapi-tools";

const MAX_DOCUMENT_CHARS = 67_108_864;
const COMPRESSED = "data:application/gzip;base64,";
const MAX_LISTED = 500;

type Json = Record<string, unknown>;

/** An error that a user can fix, as opposed to a bug. */
class DocumentProblem extends Error {}

async function read(job: DocumentJob): Promise<DocumentAnswer> {
  const text = unpack(job.text);
  const { document: written, needs } = await bundle(text, job);
  if (needs.length > 0) return { needs };
  const isSwagger = /^2(\.0)?$/.test(String(ownKeyword(written, "swagger")));
  const document = isSwagger ? await upgradeSwagger(written) : written;
  const named = ownKeyword(document, "openapi");
  const version = readVersion(named);
  if (version === null) throw wrongVersion(document, named);
  const schemas = new SchemaReader(document, version.startsWith("3.0"));
  const all = findOperations(document, schemas);
  const outline = buildOutline(document, isSwagger ? "2.0" : version, all);
  if (job.outlineOnly) return { outline, tools: [], operations: [], omitted: 0, notes: [] };
  const selected = all.filter((found) => isSelected(found, job));
  const maker = new ToolMaker(schemas, new ServerChoice(document, job.url, all), job);
  const made = selected.slice(0, MAX_OPERATIONS).map((found) => maker.make(found));
  return {
    outline,
    tools: made.map(({ tool }) => JSON.stringify(tool)),
    operations: made.flatMap(({ operation }) => (operation === null ? [] : [JSON.stringify(operation)])),
    omitted: selected.length - made.length,
    notes: maker.notes,
  };
}

/** YAML without quotes has a number: 3.1, and 3 for 3.0. Null for other versions. */
function readVersion(written: unknown): string | null {
  const version = written === 3 ? "3.0" : String(written);
  return ["string", "number"].includes(typeof written) && /^3\.[01](?:\.|$)/.test(version) ? version : null;
}

/** Removes a byte order mark. */
function unpack(given: string): string {
  const text = given.replace(/^\uFEFF/, "");
  if (!text.startsWith(COMPRESSED)) return text;
  try {
    const packed = Buffer.from(text.slice(COMPRESSED.length), "base64");
    return gunzipSync(packed, { maxOutputLength: MAX_DOCUMENT_CHARS })
      .toString("utf8")
      .replace(/^\uFEFF/, "");
  } catch (error) {
    throw new DocumentProblem(`The compressed document cannot be read: ${getMessage(error)}`);
  }
}

/**
 * The document with everything from other files in it. Only files that the job brings are read; `needs` lists the others.
 */
async function bundle(
  text: string,
  { base, files: brought }: DocumentJob,
): Promise<{ document: Json; needs: string[] }> {
  const given = new Map(Object.entries(brought));
  const address = base ?? "toolroom:/document.yaml";
  const needs = new Set<string>();
  const options = {
    continueOnError: true,
    parse: { text: false, binary: false },
    resolve: {
      file: false,
      http: false,
      given: {
        order: 1,
        canRead: true,
        read: ({ url }: { url: string }) => {
          const found = url === address ? text : given.get(url);
          if (found !== undefined) return parseDocumentText(found);
          if (base !== null && isNear(url, base)) needs.add(url);
          throw new Error("not available");
        },
      },
    },
  } as ParserOptions;
  const parser = new $RefParser();
  let document: unknown;
  try {
    document = parseDocumentText(text);
    if (!isPlainObject(document)) throw unreadable(text, null);
    await parser.resolve(address, document, options);
  } catch (error) {
    // Errors of references are reported with the operations that need them.
    if (error instanceof DocumentProblem) throw error;
    document = parser.schema ?? document;
    if (!isPlainObject(document)) throw unreadable(text, error);
  }
  if (needs.size > 0) return { document: {}, needs: [...needs] };
  // A file that could not be read is in the list as an error.
  const files = Object.entries(parser.$refs.values()).filter(([path]) => path === address || given.has(path));
  if (files.length > 1) {
    const known = new Set(files.map(([path]) => path));
    for (const [path, value] of files) {
      disarm(value, path, known);
      given.set(path, JSON.stringify(value));
    }
    await parser.bundle(address, parser.schema as Json, options).catch(() => undefined);
  }
  const schema = parser.schema ?? document;
  if (!isPlainObject(schema)) throw unreadable(text, null);
  return { document: schema, needs: [] };
}

function unreadable(text: string, error: unknown): DocumentProblem {
  if (/^\s*</.test(text)) {
    return new DocumentProblem("The document is a web page (HTML) or XML: use the JSON or YAML behind it");
  }
  if (error === null) return new DocumentProblem("The document is not an object: it must begin with 'openapi'");
  // The parser collects errors: the first one has the position of the fault.
  const { errors } = error as { errors?: unknown[] };
  const [line = ""] = getMessage(errors?.[0] ?? error).split("\n", 1);
  const reason = line.slice(0, 300).replace(/^Error parsing \S+: /, "");
  return new DocumentProblem(`The document is neither JSON nor YAML: ${reason}`);
}

/** References to files that were not read would end the bundling: they are marked as unresolved. */
function disarm(value: unknown, path: string, known: ReadonlySet<string>): void {
  const waiting = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const ref = ownKeyword(next, "$ref");
    if (typeof ref === "string" && !ref.startsWith("#")) {
      const file = URL.canParse(ref, path) ? new URL(ref, path).href.split("#", 1)[0] : undefined;
      if (file === undefined || !known.has(file)) Object.assign(next, { $ref: UNRESOLVED + ref });
    }
    for (const part of Object.values(next)) waiting.push(part);
  }
}

/** Whether a file may be read: only files of the document's own origin are. */
function isNear(url: string, base: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(base).origin && /^https?:/.test(url);
}

function wrongVersion(document: Json, version: unknown): DocumentProblem {
  const swagger = ownKeyword(document, "swagger") ?? ownKeyword(document, "swaggerVersion");
  if (swagger !== undefined) {
    const old = String(swagger).slice(0, 40);
    return new DocumentProblem(`The document is Swagger ${old}: Swagger 2.0 and OpenAPI 3.0 and 3.1 are supported`);
  }
  if (version === undefined)
    return new DocumentProblem("The document has no field 'openapi': is it an OpenAPI document?");
  return new DocumentProblem(
    `The document says openapi ${String(version).slice(0, 40)}: versions 3.0 and 3.1 are supported`,
  );
}

function isSelected(found: FoundOperation, { tags, paths }: DocumentJob): boolean {
  if (tags.length === 0 && paths.length === 0) return true;
  if (listTags(found).some((tag) => tags.includes(tag))) return true;
  return paths.some((pattern) => matches(pattern, found));
}

/** Whether an operation matches a pattern such as `/repos/*` or `GET /repos/*`. */
function matches(pattern: string, { method, path }: FoundOperation): boolean {
  const [, wanted, glob = ""] = /^(?:([A-Za-z]+)\s+)?(.*)$/s.exec(pattern.trim()) ?? [];
  if (wanted !== undefined && wanted.toUpperCase() !== method) return false;
  return matchesGlob(glob.split("*"), path);
}

function buildOutline(document: Json, version: string, all: readonly FoundOperation[]): ApiOutline {
  const counts = new Map<string, number>();
  for (const found of all) for (const tag of listTags(found)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const info = ownKeyword(document, "info");
  const schemes = Object.entries(ownKeyword(ownKeyword(document, "components"), "securitySchemes") ?? {});
  return {
    title: cutText(ownKeyword(info, "title"), 200) ?? "Untitled API",
    version: cutText(String(ownKeyword(info, "version") ?? ""), 100) ?? "",
    openapi: version.slice(0, 20),
    baseUrl: findServerUrl(document)?.slice(0, 2000) ?? null,
    operations: all.length,
    tags: [...counts].slice(0, MAX_LISTED).map(([name, operations]) => ({ name: name.slice(0, 200), operations })),
    security: schemes.slice(0, 20).flatMap(([, scheme]) => describeScheme(scheme) ?? []),
  };
}

function describeScheme(scheme: unknown): string | null {
  const name = cutText(ownKeyword(scheme, "name"), 100);
  switch (ownKeyword(scheme, "type")) {
    case "apiKey":
      return ownKeyword(scheme, "in") === "query" ? `query parameter ${name}` : `${ownKeyword(scheme, "in")} ${name}`;
    case "http":
      return `header Authorization (${cutText(ownKeyword(scheme, "scheme"), 40)})`;
    case "oauth2": {
      const tokenUrl = cutText(
        ownKeyword(ownKeyword(ownKeyword(scheme, "flows"), "clientCredentials"), "tokenUrl"),
        500,
      );
      return tokenUrl === null ? null : `client credentials at ${tokenUrl}`;
    }
    default:
      return null;
  }
}

function cutText(value: unknown, max: number): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, max) : null;
}

serveJobs(({ job }: { job: DocumentJob }) =>
  read(job).catch((error: unknown) => {
    if (error instanceof DocumentProblem) return { problem: error.message };
    throw error;
  }),
);
