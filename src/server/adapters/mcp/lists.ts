import type { ServerPrompt, ServerResource } from "../../../lib/contract";
import { isPlainObject } from "../../../lib/contract/json";
import { cutText } from "./cut-text";
import { checkHeaderDeclarations } from "./header-declarations";
import type { ProtocolSession } from "./protocol-session";

const MAX_TEXT_CHARS = 4096;

/** Every entry of a paged list, as it came. Stops, and says so, at the limits and when a server goes round in circles. */
async function listAll(
  session: ProtocolSession,
  method: string,
  key: string,
  signal?: AbortSignal,
): Promise<unknown[]> {
  const { maxPages, maxListed } = session.limits;
  const entries: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const result = await session.request(method, cursor === undefined ? {} : { cursor }, { signal });
    const { [key]: listed, nextCursor } = isPlainObject(result) ? result : {};
    if (!Array.isArray(listed)) throw new Error(`The answer to ${method} has no list '${key}'`);
    for (const entry of listed.slice(0, maxListed - entries.length)) entries.push(entry);
    if (nextCursor === undefined || nextCursor === null || nextCursor === "") return entries;
    cursor = String(nextCursor);
    const stop = reasonToStop(seen.has(cursor), page >= maxPages, entries.length >= maxListed, session);
    if (stop !== null) {
      session.log.add("toolroom", "warn", `${method} was stopped after ${entries.length} entries: ${stop}`);
      return entries;
    }
    seen.add(cursor);
  }
}

function reasonToStop(
  repeated: boolean,
  tooManyPages: boolean,
  tooMany: boolean,
  session: ProtocolSession,
): string | null {
  if (repeated) return "the server gave the same cursor twice";
  if (tooManyPages) return `more than ${session.limits.maxPages} pages`;
  return tooMany ? `more than ${session.limits.maxListed} entries` : null;
}

/**
 * Empty where the server has no tools, without asking it. All pages together get no more time than connecting: a server
 * may go on for ever without being silent.
 */
export async function listTools(session: ProtocolSession, given?: AbortSignal): Promise<unknown[]> {
  if (session.capabilities.tools === undefined) return [];
  const { connectTimeoutMs } = session.settings;
  const deadline = AbortSignal.timeout(connectTimeoutMs);
  const signal = given === undefined ? deadline : AbortSignal.any([given, deadline]);
  const tools = await listAll(session, "tools/list", "tools", signal).catch((error: unknown) => {
    if (!deadline.aborted || given?.aborted || session.ended) throw error;
    throw new Error(`tools/list took longer than ${connectTimeoutMs / 1000} s: set a longer connect timeout`);
  });
  session.headerTools.clear();
  if (!session.modern || session.channel.kind !== "http") return tools;
  return tools.filter((tool) => takeHeaders(session, tool));
}

/** Keeps what calls need to know of a tool's headers. The protocol wants a tool left out that declares them wrongly. */
function takeHeaders(session: ProtocolSession, tool: unknown): boolean {
  const { name, inputSchema } = isPlainObject(tool) ? tool : {};
  if (typeof name !== "string" || !isPlainObject(inputSchema)) return true;
  const { declared, fault } = checkHeaderDeclarations(inputSchema);
  if (fault !== null) {
    session.log.add("toolroom", "warn", `Tool '${name}' is left out: ${fault}`);
    return false;
  }
  if (declared) session.headerTools.set(name, inputSchema);
  return true;
}

export async function listResources(session: ProtocolSession): Promise<ServerResource[]> {
  if (session.capabilities.resources === undefined) return [];
  const resources = await listAll(session, "resources/list", "resources");
  // Many servers have no templates and do not know the request.
  const templates = await listAll(session, "resources/templates/list", "resourceTemplates").catch(() => []);
  return [
    ...resources.flatMap((entry) => resourceOf(entry, "uri")),
    ...templates.flatMap((entry) => resourceOf(entry, "uriTemplate")),
  ];
}

function resourceOf(entry: unknown, key: "uri" | "uriTemplate"): ServerResource[] {
  if (!isPlainObject(entry)) return [];
  const uri = textOf(entry[key]);
  if (uri === null) return [];
  return [
    {
      uri,
      name: textOf(entry.name) ?? uri,
      title: textOf(entry.title),
      description: textOf(entry.description),
      mimeType: textOf(entry.mimeType),
      size: typeof entry.size === "number" ? entry.size : null,
      template: key === "uriTemplate",
    },
  ];
}

export async function listPrompts(session: ProtocolSession): Promise<ServerPrompt[]> {
  if (session.capabilities.prompts === undefined) return [];
  const prompts = await listAll(session, "prompts/list", "prompts");
  return prompts.flatMap((entry) => {
    const { name, title, description, arguments: wanted } = isPlainObject(entry) ? entry : {};
    if (typeof name !== "string") return [];
    const args = (Array.isArray(wanted) ? wanted : []).filter(isPlainObject);
    return [
      {
        name,
        title: textOf(title),
        description: textOf(description),
        arguments: args.flatMap((argument) => {
          const argumentName = textOf(argument.name);
          if (argumentName === null) return [];
          return [
            { name: argumentName, description: textOf(argument.description), required: argument.required === true },
          ];
        }),
      },
    ];
  });
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? cutText(value, MAX_TEXT_CHARS) : null;
}
