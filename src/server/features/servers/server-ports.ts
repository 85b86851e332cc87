import type { ToolApproval } from "../../../lib/contract/approval";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { SchemaNote } from "../../../lib/contract/schema-note";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ApiDocuments, McpConnections, ParseConfigText } from "../../engine/mcp-ports";
import type { Clock, Logger } from "../../engine/ports";
import type { KnownServers } from "./known-servers";
import type { ConfiguredServers } from "./load-servers";
import type { RegisteredFacts } from "./server-directory";
import type { ServerStore } from "./server-store";
import type { MaskOf } from "./setting-masks";

export interface ServerServicePorts {
  connections: McpConnections;
  documents: ApiDocuments;
  /** Where the servers of this process are; absent: nothing else reads them. */
  known?: KnownServers;
  store: ServerStore;
  /** No server is connected: for commands that only read and write the catalog. */
  offline?: boolean;
  parseConfigText: ParseConfigText;
  /** Whether a user disabled a tool of the catalogue. */
  isSwitchedOff: (toolName: string) => boolean;
  /** Whether a tool of the catalog requires approval and why; null for an unknown tool. */
  approvalOf: (toolName: string) => ToolApproval | null;
  /** Names without a tool that carry an approval setting. */
  keptApprovals?: () => readonly { name: string }[];
  /** Called after the approval policy of a server changed. */
  onPolicyChanged: () => void;
  /** Discards what was set for a server's tools; `keepFacts` where it may be restored. */
  forgetServerTools: (server: string, options: { keepFacts: boolean }) => Promise<void>;
  /** Keeps what was set for a server's tools under its new name. @param rename `listed`: the server's names of its tools */
  renameServerTools: (rename: { from: string; to: string; listed: readonly string[] }) => Promise<void>;
  /** Replaces a server's tools in the catalogue. @returns the rejected ones */
  setServerTools: (
    server: string,
    definitions: readonly ToolDefinition[],
    facts?: RegisteredFacts,
  ) => Promise<{ name: string; error: string }[]>;
  /** The unchecked parts of a tool's schema; null for an unknown name. */
  schemaNotes: (toolName: string) => readonly SchemaNote[] | null;
  configured: ConfiguredServers;
  /** Whether an address leads to this console; absent: every one does. */
  isOwnOrigin?: ((origin: string) => boolean) | undefined;
  /** Per result of a server's tool. */
  maxStoredBytes: number;
  /** The values of `${VAR}` references. */
  variables: Readonly<Record<string, string | undefined>>;
  rootDir: string;
  /** `[masked:…]` for a secret in settings: the same for equal ones. */
  maskOf: MaskOf;
  /** A copy of what a server sent without known secrets; the value itself where it has none. */
  withoutSecrets: <T>(value: T) => T;
  clock: Clock;
  logger: Logger;
  publish: (event: LiveEvent) => void;
}
