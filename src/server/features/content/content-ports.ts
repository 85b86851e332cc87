import type { Actor } from "../../../lib/contract/actor";
import type { ConnectionState } from "../../../lib/contract/connection-state";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import type { ServerSettings } from "../../../lib/contract/server";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ExecuteOptions } from "../../engine/executor/tool-executor";
import type { McpConnections } from "../../engine/mcp-ports";
import type { Clock, Logger } from "../../engine/ports";

export interface ContentPorts {
  connections: Pick<McpConnections, "content" | "capabilities"> & {
    /** Null for an unknown server. */
    state(server: string, user?: string): Pick<ConnectionState, "status"> | null;
  };
  /** Null for an unknown server. */
  settings: (server: string) => ServerSettings | null;
  /** The enabled tools of the catalog, whose user interfaces are resources. */
  tools: () => readonly ToolDefinition[];
  execute: (name: string, args: unknown, options: ExecuteOptions) => Promise<ExecutionEnvelope>;
  /** The limit of a stored result. */
  maxStoredBytes: number;
  clock: Clock;
  logger: Logger;
}

/** The caller and the servers whose resources and prompts are meant. */
export interface ContentScope {
  actor: Pick<Actor, "id">;
  servers: readonly string[];
  /** The address belongs to one server: its URIs stay unchanged. */
  own: boolean;
  /** Prompts under the server's own names. */
  plainNames: boolean;
}

/** Whether each user has a connection of their own to a server. */
export function isPersonal({ settings }: Pick<ContentPorts, "settings">, server: string): boolean {
  return settings(server)?.credentials?.mode === "personal";
}
