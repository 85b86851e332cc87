// Reads OpenAPI documents, which may be many megabytes. The server terminates this thread when a job takes too long.
import { parentPort } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import { $RefParser } from "@apidevtools/json-schema-ref-parser";
import { isObject, own, SchemaReader, UNRESOLVED } from "../platform/workers/openapi-schema.mjs";
import { findServerUrl, matchesGlob, ServerChoice } from "../platform/workers/openapi-servers.mjs";
import { findOperations, listTags, MAX_OPERATIONS, ToolMaker } from "./openapi-tools.mjs";

const MAX_DOCUMENT_CHARS = 67_108_864;
const COMPRESSED = "data:application/gzip;base64,";
const MAX_LISTED = 500;

/**
 * @typedef {import("./document-reader").DocumentJob} DocumentJob
 * @typedef {import("./document-reader").DocumentAnswer} DocumentAnswer
 */

/** An error that a person can fix, as opposed to a bug. */
class DocumentProblem extends Error {}

/** @param {DocumentJob} job @returns {Promise<DocumentAnswer>} */
async function read(job) {
  const text = unpack(job.text);
  const { document: written, needs } = await bundle(text, job);
  if (needs.length > 0) return { needs };
  const isSwagger = /^2(\.0)?$/.test(String(own(written, "swagger")));
  // Loaded where it is needed: each document begins a thread.
  const document = isSwagger
    ? (await import("../platform/workers/openapi-swagger.mjs")).upgradeSwagger(written)
    : written;
  const version = own(document, "openapi");
  if (typeof version !== "string" || !/^3\.[01]\./.test(version)) throw wrongVersion(document, version);
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

/** @param {string} text */
function unpack(text) {
  if (!text.startsWith(COMPRESSED)) return text;
  try {
    const packed = Buffer.from(text.slice(COMPRESSED.length), "base64");
    return gunzipSync(packed, { maxOutputLength: MAX_DOCUMENT_CHARS }).toString("utf8");
  } catch (error) {
    throw new DocumentProblem(`The compressed document cannot be read: ${getMessage(error)}`);
  }
}

/**
 * The document with everything from other files in it. Only files that the job brings are read; `needs` lists the others.
 * @param {string} text @param {DocumentJob} job @returns {Promise<{ document: Record<string, unknown>, needs: string[] }>}
 */
async function bundle(text, { base, files: brought }) {
  const given = new Map(Object.entries(brought));
  const address = base ?? "toolroom:/document.yaml";
  /** @type {Set<string>} */
  const needs = new Set();
  const isJson = /^\s*\{/.test(text);
  const options = /** @type {import("@apidevtools/json-schema-ref-parser").ParserOptions} */ ({
    continueOnError: true,
    parse: { text: false, binary: false },
    resolve: {
      file: false,
      http: false,
      given: {
        order: 1,
        canRead: true,
        read: (/** @type {{ url: string }} */ { url }) => {
          if (url === address) return text;
          const found = given.get(url);
          if (found !== undefined) return found;
          if (base !== null && isNear(url, base)) needs.add(url);
          throw new Error("not available");
        },
      },
    },
  });
  const parser = new $RefParser();
  let document;
  try {
    if (isJson) {
      document = JSON.parse(text);
      await parser.resolve(address, document, options);
    } else await parser.resolve(address, options);
  } catch (error) {
    // Errors of references are reported with the operations that need them.
    document = parser.schema ?? document;
    if (!isObject(document)) throw unreadable(text, error);
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
    await parser.bundle(address, /** @type {any} */ (parser.schema), options).catch(() => undefined);
  }
  const schema = parser.schema ?? document;
  if (!isObject(schema)) throw unreadable(text, null);
  return { document: schema, needs: [] };
}

/** @param {string} text @param {unknown} error */
function unreadable(text, error) {
  if (/^\s*</.test(text)) {
    return new DocumentProblem("The document is a web page (HTML) or XML: use the JSON or YAML behind it");
  }
  if (error === null) return new DocumentProblem("The document is not an object: it must begin with 'openapi'");
  // The parser collects errors: the first one says where the text is broken.
  const { errors } = /** @type {{ errors?: unknown[] }} */ (error);
  const reason = firstLine(errors?.[0] ?? error).replace(/^Error parsing \S+: /, "");
  return new DocumentProblem(`The document is neither JSON nor YAML: ${reason}`);
}

/**
 * References to files that were not read would end the bundling: they are marked as unresolved.
 * @param {unknown} value @param {string} path @param {Set<string>} known
 */
function disarm(value, path, known) {
  const waiting = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== "object" || next === null) continue;
    const ref = own(next, "$ref");
    if (typeof ref === "string" && !ref.startsWith("#")) {
      const file = URL.canParse(ref, path) ? new URL(ref, path).href.split("#", 1)[0] : undefined;
      if (file === undefined || !known.has(file)) /** @type {any} */ (next).$ref = UNRESOLVED + ref;
    }
    for (const part of Object.values(next)) waiting.push(part);
  }
}

/** Only files of the document's own origin are read. @param {string} url @param {string} base */
function isNear(url, base) {
  return URL.canParse(url) && new URL(url).origin === new URL(base).origin && /^https?:/.test(url);
}

/** @param {unknown} document @param {unknown} version */
function wrongVersion(document, version) {
  const swagger = own(document, "swagger") ?? own(document, "swaggerVersion");
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

/** @param {import("./openapi-tools.mjs").Found} found @param {DocumentJob} job */
function isSelected(found, { tags, paths }) {
  if (tags.length === 0 && paths.length === 0) return true;
  if (listTags(found).some((tag) => tags.includes(tag))) return true;
  return paths.some((pattern) => matches(pattern, found));
}

/** `/repos/*`, or `GET /repos/*`. @param {string} pattern @param {import("./openapi-tools.mjs").Found} found */
function matches(pattern, { method, path }) {
  const [, wanted, glob = ""] = /^(?:([A-Za-z]+)\s+)?(.*)$/s.exec(pattern.trim()) ?? [];
  if (wanted !== undefined && wanted.toUpperCase() !== method) return false;
  return matchesGlob(glob.split("*"), path);
}

/**
 * @param {Record<string, unknown>} document @param {string} version @param {import("./openapi-tools.mjs").Found[]} all
 * @returns {import("../../lib/contract/api-document").ApiOutline}
 */
function buildOutline(document, version, all) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const found of all) for (const tag of listTags(found)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const info = own(document, "info");
  const schemes = Object.entries(own(own(document, "components"), "securitySchemes") ?? {});
  return {
    title: cutText(own(info, "title"), 200) ?? "Untitled API",
    version: cutText(own(info, "version"), 100) ?? "",
    openapi: version.slice(0, 20),
    baseUrl: findServerUrl(document)?.slice(0, 2000) ?? null,
    operations: all.length,
    tags: [...counts].slice(0, MAX_LISTED).map(([name, operations]) => ({ name: name.slice(0, 200), operations })),
    security: schemes.slice(0, 20).flatMap(([, scheme]) => describeScheme(scheme) ?? []),
  };
}

/** @param {unknown} scheme @returns {string | null} */
function describeScheme(scheme) {
  const name = cutText(own(scheme, "name"), 100);
  switch (own(scheme, "type")) {
    case "apiKey":
      return own(scheme, "in") === "query" ? `query parameter ${name}` : `${own(scheme, "in")} ${name}`;
    case "http":
      return `header Authorization (${cutText(own(scheme, "scheme"), 40)})`;
    case "oauth2": {
      const tokenUrl = cutText(own(own(own(scheme, "flows"), "clientCredentials"), "tokenUrl"), 500);
      return tokenUrl === null ? null : `client credentials at ${tokenUrl}`;
    }
    default:
      return null;
  }
}

/** @param {unknown} value @param {number} max */
function cutText(value, max) {
  return typeof value === "string" && value !== "" ? value.slice(0, max) : null;
}

/** @param {unknown} error */
function getMessage(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {unknown} error */
function firstLine(error) {
  return (getMessage(error).split("\n", 1)[0] ?? "").slice(0, 300);
}

parentPort?.on("message", ({ id, job }) => {
  read(job)
    .then((value) => parentPort?.postMessage({ id, value }))
    .catch((error) => {
      if (error instanceof DocumentProblem) parentPort?.postMessage({ id, value: { problem: error.message } });
      else parentPort?.postMessage({ id, failed: getMessage(error) });
    });
});
parentPort?.postMessage({ ready: true });
