import type { Actor } from "../../../lib/contract/actor";
import type { ApiOutline } from "../../../lib/contract/api-document";
import type { LoadProblem } from "../../../lib/contract/catalog-tool";
import { isPlainObject } from "../../../lib/contract/json";
import type { ProtocolMessage, ServerDetail, ServerLogLine, ServerSummary } from "../../../lib/contract/server";
import type { ServerChangePage, ServerToolPage } from "../../../lib/contract/server-tool";
import { getMessage } from "../../../lib/get-message";
import type { ApiConnectionSettings, ApiDocuments } from "../../engine/mcp-ports";
import { AppError } from "../../platform/shared/app-error";
import type { KnownServers } from "./known-servers";
import { type KnownServer, toDetail, toSummary } from "./server-directory";
import type { ServerServicePorts } from "./server-ports";
import { keepableSecrets, separateSecrets } from "./server-secrets";
import { readSettings, toConnectionSettings, toInvalidError } from "./server-settings";
import { changePage, toolPage } from "./server-tool-page";
import type { MaskOf } from "./setting-masks";
import { listUnlisted, type UnlistedTool } from "./unlisted-tools";

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
    /** @param viewer whose connections it shows, of servers with personal credentials */
    list: (viewer?: string): { items: ServerSummary[]; problems: LoadProblem[] } => ({
      items: Array.from(servers.values(), (server) => toSummary(server, ports, viewer)),
      problems: [...problems],
    }),

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
      return { text: entry.rawText };
    },

    changes: (name: string, cursor: number): ServerChangePage => changePage(find(name).changes, cursor),

    /** Of all copies of the server. */
    log: async (name: string, viewer?: string): Promise<ServerLogLine[]> =>
      (others?.logs ?? connections).log(find(name).settings.name, viewer),

    messages: async (name: string, viewer?: string): Promise<ProtocolMessage[]> =>
      (others?.logs ?? connections).messages(find(name).settings.name, viewer),
  };
}

/** Stands for a base URL that has not been entered: the document says which. */
const NO_BASE = "https://api.invalid";

/**
 * What the document of unfinished settings says of itself. Credentials are used once the settings are valid otherwise.
 * @param before the server that is edited
 */
export async function describeDocument(
  candidate: unknown,
  before: KnownServer | undefined,
  { documents, getMask }: { documents: ApiDocuments; getMask: MaskOf },
): Promise<ApiOutline> {
  const entered: Record<string, unknown> = isPlainObject(candidate) ? candidate : {};
  const { document, headers, query, auth } = entered;
  const url = typeof entered.url === "string" && entered.url !== "" ? entered.url : NO_BASE;
  const least = { name: "api", transport: "openapi", url: NO_BASE, document };
  const whole = readSettings({ ...least, url, headers, query, auth }, getMask, before?.settings);
  const { settings, problems } = whole.settings === null ? readSettings(least, getMask, before?.settings) : whole;
  if (settings === null) throw toInvalidError(problems);
  const stored = before === undefined ? {} : keepableSecrets(before, { ...entered, url });
  const { secrets, missing, settings: shown } = separateSecrets(settings, stored);
  if (missing.includes("document.text")) {
    throw toInvalidError([{ path: "document.text", message: "is required: paste the document" }]);
  }
  const connection = toConnectionSettings(shown, secrets, true);
  try {
    return await documents.outline(connection as ApiConnectionSettings);
  } catch (error) {
    throw new AppError("UNAVAILABLE", getMessage(error));
  }
}
