import { compareForReaders } from "../../../lib/compare-for-readers";
import type { Actor } from "../../../lib/contract/actor";
import type { ApiOutline } from "../../../lib/contract/api-document";
import type { ToolApproval } from "../../../lib/contract/approval";
import type { LoadProblem } from "../../../lib/contract/catalog-tool";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import type { ProtocolMessage, ServerDetail, ServerLogLine, ServerSummary } from "../../../lib/contract/server";
import type {
  ServerChangePage,
  ServerTool,
  ServerToolPage,
  ToolChange,
  ToolChangeSet,
} from "../../../lib/contract/server-tool";
import { createWordMatcher } from "../../../lib/match-words";
import { catalogToolName } from "../../../lib/portable-name";
import type { McpConnections } from "../../engine/mcp-ports";
import { AppError } from "../../platform/shared/app-error";
import type { KnownServers } from "./known-servers";
import { describeDocument } from "./openapi-outline";
import { getState, type KnownServer, toDetail, toSummary } from "./server-directory";
import type { ServerServicePorts } from "./server-ports";

const PAGE_TOOLS = 100;
const PAGE_CHANGES = 100;
/** A row shows two lines; a description may be a megabyte. */
const DESCRIPTION_CHARS = 1_000;
const NAME_CHARS = 300;
/** A row shows this many and the number of the others. */
const MAX_NOTES = 20;
const MAX_DETAILS = 20;
const DETAIL_CHARS = 300;

type QueryPorts = Pick<
  ServerServicePorts,
  "connections" | "documents" | "getApproval" | "schemaNotes" | "getMask" | "others"
>;

interface QueriedServers extends Pick<KnownServers, "servers" | "find"> {
  problems: readonly LoadProblem[];
}

/** Reads from memory, without requests to servers or database; only a document is read from its address. */
export function createServerQueries(ports: QueryPorts, { servers, problems, find }: QueriedServers) {
  const { connections, others } = ports;
  return {
    /** @param viewer the user whose connections are shown, for servers with personal credentials */
    list: (viewer?: string): { items: ServerSummary[]; problems: LoadProblem[] } => ({
      items: Array.from(servers.values(), (server) => toSummary(server, ports, viewer)),
      problems: [...problems],
    }),

    count: (): number => servers.size,
    listNames: (): string[] => [...servers.keys()].sort(compareForReaders),
    listProblems: (): readonly LoadProblem[] => problems,

    get: (name: string, viewer?: string): ServerDetail => toDetail(find(name), ports, viewer),
    /** @param editing the server whose stored document and credentials may be used */
    describeDocument: async (_actor: Actor, candidate: unknown, editing: string | null): Promise<ApiOutline> =>
      describeDocument(candidate, editing === null ? undefined : find(editing), ports),

    /** The text of a pasted OpenAPI document; null where the settings have none. */
    documentText: (name: string): string | null => find(name).secrets.document ?? null,
    has: (name: string): boolean => servers.has(name),
    /** Tools of servers that are not in the catalog, with reasons. */
    listUnlisted: (viewer: string): UnlistedTool[] => [...listUnlisted(servers.values(), connections, viewer)],

    tools: (name: string, search: string, cursor: number): ServerToolPage =>
      toolPage(find(name).tools, { search, cursor, getApproval: ports.getApproval, listNotes: ports.schemaNotes }),

    /** An entry of the list as the server sent it. */
    toolJson(name: string, position: number, tool: string | null): { text: string } {
      const entry = find(name).tools[position];
      if (entry === undefined || (tool !== null && !entry.name?.startsWith(tool))) {
        throw new AppError("NOT_FOUND", `The tools of server '${name}' have changed: reload the list`);
      }
      return { text: entry.formatEntry() };
    },

    changes: (name: string, cursor: number): ServerChangePage => changePage(find(name).changes, cursor),

    /** The log of all instances of the server. */
    log: async (name: string, viewer?: string): Promise<ServerLogLine[]> =>
      (others?.logs ?? connections).log(find(name).settings.name, viewer),

    messages: async (name: string, viewer?: string): Promise<ProtocolMessage[]> =>
      (others?.logs ?? connections).messages(find(name).settings.name, viewer),
  };
}

interface ToolPageRequest {
  search: string;
  /** The number of tools on earlier pages. */
  cursor: number;
  /** Whether a tool of the catalog requires approval and why. */
  getApproval: (toolName: string) => ToolApproval | null;
  /** Lists the unchecked keywords of a tool of the catalog. */
  listNotes: (toolName: string) => readonly SchemaNote[] | null;
}

/** Tools that match every word of `search`, those that cannot be called first, without their JSON. */
export function toolPage(
  tools: readonly ServerTool[],
  { search, cursor, getApproval, listNotes }: ToolPageRequest,
): ServerToolPage {
  const matches = createWordMatcher(search);
  const listed = tools.map((tool, position) => ({ tool, position }));
  const matching = listed.filter(({ tool: { name, catalogName, title, description } }) =>
    matches(name, catalogName, title, description),
  );
  const unusable = matching.filter(({ tool }) => tool.status !== "usable");
  const ordered = [...unusable, ...matching.filter(({ tool }) => tool.status === "usable")];
  const end = cursor + PAGE_TOOLS;
  return {
    items: ordered.slice(cursor, end).map(({ tool: { formatEntry: _format, ...tool }, position }) => ({
      ...tool,
      approval: tool.catalogName === null ? null : getApproval(tool.catalogName),
      notes: [...((tool.catalogName === null ? null : listNotes(tool.catalogName)) ?? tool.notes)].slice(0, MAX_NOTES),
      name: tool.name?.slice(0, NAME_CHARS) ?? null,
      title: tool.title?.slice(0, NAME_CHARS) ?? null,
      description: tool.description.slice(0, DESCRIPTION_CHARS),
      reason: tool.reason?.slice(0, DESCRIPTION_CHARS) ?? null,
      position,
    })),
    total: tools.length,
    matching: ordered.length,
    unusable: unusable.length,
    nextCursor: end < ordered.length ? end : null,
  };
}

/** `cursor` counts changes over all sets: a large set may be on several pages. */
export function changePage(sets: readonly ToolChangeSet[], cursor: number): ServerChangePage {
  const items: ToolChangeSet[] = [];
  const end = cursor + PAGE_CHANGES;
  let before = 0;
  for (const { at, changes } of sets) {
    const part = changes.slice(Math.max(0, cursor - before), Math.max(0, end - before));
    if (part.length > 0) items.push({ at, changes: part.map(shorten) });
    before += changes.length;
  }
  return { items, nextCursor: end < before ? end : null };
}

function shorten({ kind, tool, details }: ToolChange): ToolChange {
  const left = details.length - MAX_DETAILS;
  const shown = details.slice(0, MAX_DETAILS).map((detail) => detail.slice(0, DETAIL_CHARS));
  return { kind, tool: tool.slice(0, NAME_CHARS), details: left > 0 ? [...shown, `and ${left} more`] : shown };
}

/** A tool of a server that is not in the catalog; `name` is the server's own where its tools are not known. */
interface UnlistedTool {
  name: string;
  kind: "tool" | "server";
  server: string;
  reason: "disabled" | "unusable" | "not_connected" | "credentials";
  detail: string;
}

/** Why tools that servers have, or may have, are not in the catalog. @param viewer whose connections count */
function* listUnlisted(
  servers: Iterable<KnownServer>,
  connections: Pick<McpConnections, "state">,
  viewer: string,
): Iterable<UnlistedTool> {
  for (const server of servers) {
    const { settings, enabled, tools } = server;
    const { name } = settings;
    if (!enabled) {
      const detail = `The server ${name} is disabled`;
      yield { name, kind: "server", server: name, reason: "disabled", detail };
    } else if (server.listedAt === null) yield explainUnread(server, connections, viewer);
    const usable = new Set(tools.flatMap((tool) => (enabled && tool.status === "usable" ? [tool.name] : [])));
    for (const tool of tools) {
      if (tool.name === null || usable.has(tool.name)) continue;
      yield {
        name: catalogToolName(name, tool.name),
        kind: "tool",
        server: name,
        reason: tool.status === "malformed" ? "unusable" : "disabled",
        detail:
          tool.status === "usable"
            ? `The server ${name} is disabled`
            : `${tool.reason ?? "It cannot be called"} (${name})`,
      };
    }
  }
}

function explainUnread(server: KnownServer, connections: Pick<McpConnections, "state">, viewer: string): UnlistedTool {
  const { name, credentials } = server.settings;
  const { status, reason } = getState(server, connections, viewer);
  const unread = { name, kind: "server" as const, server: name };
  if (credentials?.mode === "personal") {
    const detail = `The tools of the server ${name} are not known yet: it takes personal credentials, and no one has connected an account`;
    return { ...unread, reason: "credentials", detail };
  }
  const state = status === "sign_in_needed" ? "needs a sign-in" : `is ${status === "idle" ? "not connected" : status}`;
  const detail = `The tools of the server ${name} are not known yet: it ${state}${reason === null ? "" : ` (${reason})`}`;
  return { ...unread, reason: "not_connected", detail };
}
