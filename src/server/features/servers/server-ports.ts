import type { LiveEvent } from "../../../lib/contract/live-event";
import type { ProtocolMessage, ServerLogLine } from "../../../lib/contract/server";
import type { ApiDocuments, McpConnections, ParseConfigText } from "../../engine/mcp-ports";
import type { Clock, Logger } from "../../engine/ports";
import type { PausePort } from "../../platform/coordination/pausable-jobs";
import type { ToolService } from "../tools/tool-service";
import type { QuestionChange, WaitingEntry } from "./change-gate";
import type { Installation } from "./connect/bridge-command";
import type { TokenNeeds } from "./connect/client-configurations";
import type { InstanceStates } from "./instance-states";
import type { KnownServers } from "./known-servers";
import type { ConfiguredServers } from "./load-servers";
import type { ServerStore } from "./server-store";
import type { MaskOf } from "./setting-masks";

/** The catalog's functions for servers' tools. */
type ToolPorts = Pick<
  ToolService,
  "isSwitchedOff" | "getApproval" | "schemaNotes" | "setServerTools" | "renameServerTools" | "forgetServerTools"
>;

/** What this process knows of the connections of other instances of the server; null where there is one process. */
export interface OtherInstances {
  states: InstanceStates;
  logs: {
    log(server: string, user?: string): Promise<ServerLogLine[]>;
    messages(server: string, user?: string): Promise<ProtocolMessage[]>;
    mark(line: ServerLogLine): ServerLogLine;
  };
  /** The shared sign-in of a server has changed. */
  tellSignIn(server: string): void;
}

export interface ServerServicePorts extends ToolPorts, Partial<Pick<ToolService, "keptApprovals" | "listOwnTools">> {
  connections: McpConnections;
  documents: ApiDocuments;
  /** Absent where there is one process. */
  others?: OtherInstances | undefined;
  /** Where the servers of this process are; absent: nothing else reads them. */
  known?: KnownServers;
  store: ServerStore;
  /** Connects no server: for commands that only read and write the catalog. */
  offline?: boolean;
  /** While it is, no server is connected. */
  pause?: PausePort;
  parseConfigText: ParseConfigText;
  configured: ConfiguredServers;
  /** Whether an address leads to this console; absent: every one does. */
  isOwnOrigin?: ((origin: string) => boolean) | undefined;
  /** Why no server may have a name, since it is that of another address; null where one may. */
  explainName?: ((name: string) => string | null) | undefined;
  /** Whether `/mcp/<name>` serves something other than a server. */
  isOtherAddress?: ((name: string) => boolean) | undefined;
  /** The limit of one result of a server's tool. */
  maxStoredBytes: number;
  /** The values of `${VAR}` references. */
  variables: Readonly<Record<string, string | undefined>>;
  rootDir: string;
  /** The address of this Toolroom for clients. */
  installation: Installation;
  tokenNeeds: TokenNeeds;
  /** `[masked:…]` for a secret in settings: the same for equal ones. */
  getMask: MaskOf;
  /** Checks recorded calls against changed tools; absent: schemas alone decide, and nothing is checked. */
  reports?:
    | { isQuestioned: QuestionChange; follow(server: string, changes: readonly WaitingEntry[]): void }
    | undefined;
  /** The versions of a server's skills that wait; absent: none does. */
  countSkillChanges?: ((server: string) => number) | undefined;
  clock: Clock;
  logger: Logger;
  publish: (event: LiveEvent) => void;
  /** Asks the other instances of the server to read what was stored of this server, then calls `onShared`; absent: there are none. */
  shareChange?: ((server: string, onShared?: () => void) => void) | undefined;
}
