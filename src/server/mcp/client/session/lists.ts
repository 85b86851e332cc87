import { isPlainObject } from "../../../../lib/contract/json";
import { getKeptText } from "../../../../lib/json/known-text";
import { markEntries } from "../../../../lib/json/mark-entries";
import { getTaskSupport } from "../../../../lib/mcp-tasks";
import { dropNulls } from "../transport/normalize-message";
import { toAccessError } from "./access-error";
import { isSessionForgotten } from "./call-failure";
import { getMessage } from "./describe-error";
import type { ProtocolSession } from "./protocol-session";

const KEY = "x-mcp-header";
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = ["string", "integer", "boolean"];
/** Keywords that hold values, not schemas. */
const VALUES = ["default", "examples", "enum", "const", KEY];
const MAX_DEPTH = 64;
const MAX_REASON_CHARS = 300;

/**
 * All entries of a paged list, as received except for members that are null and secrets of the server in texts for
 * users. Stops with a warning at the limits, at a repeated cursor, and at a later page that fails.
 */
export async function listAll(
  session: ProtocolSession,
  method: string,
  key: string,
  signal?: AbortSignal,
): Promise<unknown[]> {
  const { maxPages, maxListed } = session.limits;
  const entries: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  session.listProblems.delete(method);
  for (let page = 1; ; page += 1) {
    let listed: unknown[];
    let nextCursor: unknown;
    try {
      ({ listed, nextCursor } = await readPage(session, method, key, cursor, signal));
    } catch (error) {
      const isFatal = page === 1 || signal?.aborted || session.ended || toAccessError(error, session) !== null;
      if (isFatal || isSessionForgotten(error, session)) throw error;
      const reason = session.log.quote(getMessage(error), MAX_REASON_CHARS);
      const problem = `${method} ended after ${entries.length} entries, since page ${page} failed: ${reason}`;
      session.listProblems.set(method, problem);
      session.log.add("toolroom", "error", problem);
      return entries;
    }
    for (const entry of listed.slice(0, maxListed - entries.length)) {
      entries.push(session.log.readEntry(dropNulls(entry)));
    }
    if (nextCursor === undefined || nextCursor === null) return entries;
    // An empty one ends the list of an older server; the newer protocol says that it is a cursor.
    if (nextCursor === "" && !session.modern) return entries;
    cursor = String(nextCursor);
    let stop: string | null = null;
    if (seen.has(cursor)) stop = "the server gave the same cursor twice";
    else if (page >= maxPages) stop = `more than ${maxPages} pages`;
    else if (entries.length >= maxListed) stop = `more than ${maxListed} entries`;
    if (stop !== null) {
      session.log.add("toolroom", "warn", `${method} was stopped after ${entries.length} entries: ${stop}`);
      return entries;
    }
    seen.add(cursor);
  }
}

async function readPage(
  session: ProtocolSession,
  method: string,
  key: string,
  cursor: string | undefined,
  signal: AbortSignal | undefined,
): Promise<{ listed: unknown[]; nextCursor: unknown }> {
  const result = await session.request(method, cursor === undefined ? {} : { cursor }, { signal });
  const { [key]: listed, nextCursor, cacheScope } = isPlainObject(result) ? result : {};
  // Each page has to allow public caching.
  if (cacheScope !== "public") session.publicLists.delete(method);
  else if (cursor === undefined) session.publicLists.add(method);
  if (!Array.isArray(listed)) throw new Error(`The answer to ${method} has no list '${key}'`);
  const text = isPlainObject(result) ? getKeptText(result) : undefined;
  // Tools are stored and served with the digits of their numbers.
  if (text !== undefined && key === "tools") await markEntries(listed, text, key);
  return { listed, nextCursor };
}

/**
 * Empty without a request where the server has no tools. All pages together may take as long as connecting: a server may
 * send pages forever.
 */
export async function listTools(session: ProtocolSession, callerSignal?: AbortSignal): Promise<unknown[]> {
  if (session.capabilities.tools === undefined) return [];
  const { connectTimeoutMs } = session.settings;
  const deadline = AbortSignal.timeout(connectTimeoutMs);
  const signal = callerSignal === undefined ? deadline : AbortSignal.any([callerSignal, deadline]);
  const tools = await listAll(session, "tools/list", "tools", signal).catch((error: unknown) => {
    if (!deadline.aborted || callerSignal?.aborted || session.ended) throw error;
    throw new Error(`tools/list took longer than ${connectTimeoutMs / 1000} s: set a longer connect timeout`);
  });
  session.headerTools.clear();
  rememberRepeatable(session, tools);
  rememberTasks(session, tools);
  if (!session.modern || session.channel.kind !== "http") return tools;
  return tools.filter((tool) => acceptHeaders(session, tool));
}

function rememberRepeatable({ repeatableTools }: ProtocolSession, tools: readonly unknown[]): void {
  repeatableTools.clear();
  for (const tool of tools) {
    const { name, annotations } = isPlainObject(tool) ? tool : {};
    const { readOnlyHint, idempotentHint } = isPlainObject(annotations) ? annotations : {};
    if (typeof name === "string" && (readOnlyHint === true || idempotentHint === true)) repeatableTools.add(name);
  }
}

/** In 2025-11-25 the client decides which call is a task; a server that does not declare tasks receives none. */
function rememberTasks({ taskTools, capabilities, modern }: ProtocolSession, tools: readonly unknown[]): void {
  taskTools.clear();
  const { requests } = isPlainObject(capabilities.tasks) ? capabilities.tasks : {};
  const { tools: declared } = isPlainObject(requests) ? requests : {};
  if (modern || !isPlainObject(declared) || declared.call === undefined) return;
  for (const tool of tools) {
    const support = getTaskSupport(tool);
    const { name } = isPlainObject(tool) ? tool : {};
    if (typeof name === "string" && (support === "required" || support === "optional")) taskTools.set(name, support);
  }
}

/** Keeps the schema of a tool with headers. The protocol requires tools with invalid declarations to be left out. */
function acceptHeaders(session: ProtocolSession, tool: unknown): boolean {
  const { name, inputSchema } = isPlainObject(tool) ? tool : {};
  if (typeof name !== "string" || !isPlainObject(inputSchema)) return true;
  const { declared, problem } = checkHeaderDeclarations(inputSchema);
  if (problem !== null) {
    session.log.add("toolroom", "warn", `Tool '${name}' is left out: ${problem}`);
    return false;
  }
  if (declared) session.headerTools.set(name, inputSchema);
  return true;
}

interface HeaderDeclarations {
  /** Whether calls repeat arguments in headers. */
  declared: boolean;
  problem: string | null;
}

/**
 * Checks a tool's `x-mcp-header` declarations (2026-07-28 over HTTP): each names a header, once, on a property of a simple
 * type that is reached through `properties` alone.
 */
export function checkHeaderDeclarations(inputSchema: Record<string, unknown>): HeaderDeclarations {
  const names = new Set<string>();
  const problem = visit(inputSchema, { path: "", depth: 0, isProperty: false, viaProperties: true }, names);
  return { declared: names.size > 0, problem };
}

interface SchemaLocation {
  path: string;
  depth: number;
  isProperty: boolean;
  /** Whether the schema is reached through `properties` alone. */
  viaProperties: boolean;
}

function visit(schema: unknown, location: SchemaLocation, names: Set<string>): string | null {
  if (typeof schema !== "object" || schema === null) return null;
  if (location.depth > MAX_DEPTH) return `the schema of '${location.path}' is too deep`;
  const own = Object.hasOwn(schema, KEY)
    ? findDeclarationProblem(schema as Record<string, unknown>, location, names)
    : null;
  if (own !== null) return own;
  for (const [keyword, value] of Object.entries(schema)) {
    if (VALUES.includes(keyword)) continue;
    const problem =
      keyword === "properties" && isPlainObject(value)
        ? visitProperties(value, location, names)
        : visit(
            value,
            {
              path: `${location.path}<${keyword}>`,
              depth: location.depth + 1,
              isProperty: false,
              viaProperties: false,
            },
            names,
          );
    if (problem !== null) return problem;
  }
  return null;
}

function visitProperties(
  properties: Record<string, unknown>,
  location: SchemaLocation,
  names: Set<string>,
): string | null {
  for (const [name, schema] of Object.entries(properties)) {
    const path = location.path === "" ? name : `${location.path}.${name}`;
    const problem = visit(
      schema,
      { path, depth: location.depth + 1, isProperty: true, viaProperties: location.viaProperties },
      names,
    );
    if (problem !== null) return problem;
  }
  return null;
}

function findDeclarationProblem(
  schema: Record<string, unknown>,
  location: SchemaLocation,
  names: Set<string>,
): string | null {
  const name = schema[KEY];
  const where = `${KEY} of '${location.path}'`;
  if (!location.isProperty || !location.viaProperties) return `${where} is not reached through 'properties' alone`;
  if (typeof name !== "string" || !HEADER_NAME.test(name)) return `${where} is not a valid header name`;
  if (typeof schema.type !== "string" || !TYPES.includes(schema.type))
    return `${where} is not on a string, integer or boolean`;
  if (names.has(name.toLowerCase())) return `${where} names the header '${name}' a second time`;
  names.add(name.toLowerCase());
  return null;
}
