import type {
  ConnectionState,
  ServerDetail,
  ServerSettings,
  ServerSummary,
  ServerTool,
  ToolChangeSet,
  ToolDefinition,
} from "../../../lib/contract";
import { DISABLED_CONNECTION } from "../../../lib/contract/server";
import type { ListedTool, McpConnections } from "../../engine/mcp-ports";
import { compareTools, fingerprintTools } from "../../engine/tool-changes";
import type { ServerSecrets } from "./server-secrets";
import { targetOf } from "./server-settings";
import { boundEntries, readServerTools } from "./server-tools";

/** One server as the process knows it. */
export interface KnownServer {
  /** Null for a server of the configuration. */
  id: string | null;
  settings: ServerSettings;
  secrets: ServerSecrets;
  originPath: string | null;
  enabled: boolean;
  /** Why it cannot be connected whatever the connection says: its secrets cannot be read. */
  fault: string | null;
  listed: readonly ListedTool[];
  fingerprint: string | null;
  listedAt: number | null;
  tools: ServerTool[];
  changes: ToolChangeSet[];
}

/** How a server's tools get into the catalogue. */
export interface Register {
  /** Of a result of such a tool. */
  maxStoredBytes: number;
  /** Gives back those that the catalogue refused, with why. */
  put(definitions: ToolDefinition[]): { name: string; error: string }[];
}

const MAX_CHANGE_SETS = 50;

export function newServer(
  server: Pick<KnownServer, "id" | "settings" | "secrets" | "originPath" | "enabled" | "fault">,
): KnownServer {
  return { ...server, listed: [], fingerprint: null, listedAt: null, tools: [], changes: [] };
}

/**
 * Takes what a server listed into what is known of it.
 * @returns whether the list differs from the one before
 */
export function takeTools(server: KnownServer, given: readonly ListedTool[], at: number, register: Register): boolean {
  const listed = boundEntries(given);
  const fingerprint = fingerprintTools(listed);
  const changed = fingerprint !== server.fingerprint;
  if (changed && server.fingerprint !== null) {
    const changes = compareTools(server.listed, listed);
    if (changes.length > 0) server.changes = [{ at, changes }, ...server.changes].slice(0, MAX_CHANGE_SETS);
  }
  Object.assign(server, { listed, fingerprint, listedAt: at });
  registerTools(server, register);
  return changed;
}

/** Reads the listed tools with the server's settings as they are now. */
export function registerTools(server: KnownServer, register: Register): void {
  const { maxStoredBytes, put } = register;
  const read = readServerTools(server.settings.name, server.listed, { ...server.settings, maxStoredBytes });
  const refused = new Map(
    put(server.enabled && server.fault === null ? read.definitions : []).map(({ name, error }) => [name, error]),
  );
  server.tools = read.tools.map((tool) => {
    const error = tool.catalogueName === null ? undefined : refused.get(tool.catalogueName);
    return error === undefined ? tool : { ...tool, catalogueName: null, status: "malformed", reason: error };
  });
}

export function toSummary(server: KnownServer, connections: Pick<McpConnections, "state">): ServerSummary {
  const { settings, tools, changes } = server;
  const [last] = changes;
  const breaking = last?.changes.filter(({ kind }) => kind === "breaking" || kind === "removed").length ?? 0;
  return {
    name: settings.name,
    title: settings.title ?? null,
    origin: server.id === null ? "config" : "console",
    transport: settings.transport,
    target: targetOf(settings),
    enabled: server.enabled,
    state: stateOf(server, connections),
    toolCount: tools.filter(({ status }) => status === "usable").length,
    problemCount: tools.filter(({ status }) => status !== "usable").length,
    lastChange: last === undefined ? null : { at: last.at, breaking, other: last.changes.length - breaking },
    auth: settings.transport === "stdio" ? "none" : settings.auth.type,
  };
}

export function toDetail(server: KnownServer, connections: Pick<McpConnections, "state" | "signedIn">): ServerDetail {
  return {
    ...toSummary(server, connections),
    settings: server.settings,
    editable: server.id !== null,
    originPath: server.originPath,
    tools: server.tools,
    changes: server.changes,
    listedAt: server.listedAt,
    signedIn: connections.signedIn(server.settings.name),
  };
}

export function stateOf(server: KnownServer, connections: Pick<McpConnections, "state">): ConnectionState {
  if (server.enabled && server.fault !== null)
    return { ...DISABLED_CONNECTION, status: "failed", reason: server.fault };
  return connections.state(server.settings.name) ?? DISABLED_CONNECTION;
}
