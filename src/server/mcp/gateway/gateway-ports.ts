import type { Permission, Principal } from "../../../lib/contract/access";
import type { ServerPeer } from "../../../lib/contract/connection-state";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { HostPolicy } from "../../../lib/http-guard/host-policy";
import type { RequestHeaders } from "../../../lib/http-guard/request-headers";
import type { ProvidedTool } from "../../engine/agent/run-starter";
import type { CallerApprovals } from "../../engine/approvals/approval-ports";
import type { CassettePlayer } from "../../engine/cassettes/cassette-ports";
import type { ClientObserver } from "../../engine/client-ports";
import type { ToolExecutor } from "../../engine/executor/tool-executor";
import type { FindLens } from "../../engine/lens/lens-ports";
import type { Logger, ToolContext } from "../../engine/ports";
import type { PreparedToolset } from "../../engine/toolsets/prepare-toolset";
import type { Forwarding } from "../../platform/coordination/forwarding";
import type { OnAccessChange } from "../../platform/shared/watch-reader";
import type { GatewayTelemetry } from "../../platform/telemetry/telemetry";
import type { GatewayContent } from "./content/content-port";
import type { SessionStore } from "./session-store";
import type { RecordedCall, TaskStore } from "./tasks/task-store";

export interface GatewayLimits {
  /** A request's body; a larger one is answered with 413. */
  maxBodyBytes: number;
  /** A session that is unused for this long, and has no open stream, leaves memory. A stored one can be resumed. */
  sessionIdleMs: number;
  /** Past this many in memory, the session that was idle longest leaves memory. */
  maxSessions: number;
  /** A stored session that is unused for this long ends. */
  sessionExpiryMs: number;
  /** Above this number of stored sessions, the least recently used ones end. */
  maxStoredSessions: number;
  /**
   * How often an open stream sends a sign of life. A call without output for this long gets a stream, so that neither
   * proxies nor clients abandon it.
   */
  keepAliveMs: number;
  /** How often an open stream asks whether its caller may still read. */
  checkAccessMs: number;
  /** How long a call waits for a stateless client to send the answers that it was asked for. */
  answerMs: number;
  /** Changes of the catalog within this time are announced once. */
  changeDebounceMs: number;
  /** How long `initialize` and `server/discover` wait for a server that is connecting, to give its instructions. */
  identityWaitMs: number;
  /** How long the end of the gateway waits for the answers of calls that it has just ended. */
  lastAnswersMs: number;
  /** How long a call waits for a user's approval; ten times as long where its client hears of progress. */
  approvalWaitMs: number;
  /** A call of a stateless client that knows tasks becomes one after this time, unless its server runs it as a task anyway. */
  taskAfterMs: number;
  /** The interval that clients are asked to wait between two polls of a task. */
  taskPollMs: number;
  /**
   * How long a task is kept from its creation at least, also where its client wants less; `taskTtlMs` where it wants
   * nothing.
   */
  minTaskTtlMs: number;
  taskTtlMs: number;
  maxTaskTtlMs: number;
  /** Tasks of one owner that have not expired, and those of all that run. */
  maxTasksPerOwner: number;
  maxTasks: number;
  /** How long a request of an extension waits for its server. */
  relayMs: number;
  /** Relayed requests of one user to one server that wait at a time; further ones are refused. */
  maxRelayed: number;
  /** The JSON of a relayed request, notification or answer. */
  maxRelayedChars: number;
  /** How often such a client is notified that its call still waits. */
  approvalNoticeMs: number;
}

export const GATEWAY_LIMITS: Readonly<GatewayLimits> = {
  maxBodyBytes: 4 * 1024 * 1024,
  sessionIdleMs: 30 * 60_000,
  maxSessions: 1000,
  sessionExpiryMs: 24 * 60 * 60_000,
  maxStoredSessions: 10_000,
  keepAliveMs: 15_000,
  checkAccessMs: 10_000,
  answerMs: 10 * 60_000,
  changeDebounceMs: 100,
  identityWaitMs: 2000,
  lastAnswersMs: 1000,
  approvalWaitMs: 55_000,
  approvalNoticeMs: 10_000,
  relayMs: 60_000,
  maxRelayed: 20,
  maxRelayedChars: 4 * 1024 * 1024,
  taskAfterMs: 3000,
  taskPollMs: 1000,
  minTaskTtlMs: 60_000,
  taskTtlMs: 60 * 60_000,
  maxTaskTtlMs: 24 * 60 * 60_000,
  maxTasksPerOwner: 100,
  maxTasks: 1000,
};

/** A server's description of itself for its clients. */
export interface ServerIdentity {
  info: ServerPeer;
  instructions: string | null;
}

/** The services that the gateway needs of the product. */
export interface GatewayPorts {
  /** Lists the enabled tools. The same definition object means that the tool has not changed. */
  tools(): readonly ToolDefinition[];
  /** The names of a server's tools in the order in which it lists them; absent: by name. */
  listedOrder?(server: string): readonly string[];
  executor: Pick<ToolExecutor, "execute">;
  /** The lens of a tool; absent: no tool has one. */
  getLens?: FindLens | undefined;
  /** `read_result` for one caller at one address; absent: the tool is not offered. */
  readResult?:
    | ((caller: { readonly principal: Principal; admits(toolName: string): boolean }) => ProvidedTool)
    | undefined;
  /**
   * Called before a list: waits a bounded time for servers that connect for the first time; null where nothing is
   * awaited.
   * @param servers the servers to wait for; null: all
   * @param limitMs null for the usual time
   */
  awaitFirstLists?(servers: readonly string[] | null, limitMs: number | null): Promise<unknown> | null;
  /** For a name that no tool has: resolves once its server, if its prefix names one, has connected or cannot now. */
  prepare?(name: string, signal: AbortSignal): Promise<void>;
  /** A toolset as it is now, the same object until the catalog or the toolset changes; null for an unknown one. */
  toolset?(name: string): PreparedToolset | null;
  /** Subscribes to changes of the catalog or of a toolset. @returns the function that ends it */
  onToolsChanged(listener: () => void): () => void;
  /** The names that `/mcp/<server>` may have, connected or not. */
  serverNames(): readonly string[];
  /** What has resources and is no server: its name stands among those of servers in a scope, and has no address of its own. */
  ownContents?(): readonly string[];
  /**
   * For names that providers refuse: name → alias, for these names only.
   * @param names every name of a list, so that no alias collides with one
   */
  aliasNames(names: readonly string[]): ReadonlyMap<string, string>;
  /** The description of the MCP server behind `/mcp/<server>`; null while it is not connected. */
  serverIdentity?(server: string): ServerIdentity | null;
  /** Toolroom's own tools, which `/mcp/toolroom` serves while it is switched on; absent: never. */
  agentTools?:
    | {
        isServed(): boolean;
        /** Why the address is not served. */
        explainRefusal(): string;
        /** Lists the tools; the same objects each time. `definition` has the name under which calls are recorded. */
        list(): readonly { name: string; definition: ToolDefinition; permission: Permission }[];
        perform(caller: Principal, name: string, args: object, context: ToolContext): Promise<unknown>;
      }
    | undefined;
  /** Plays cassettes; absent: there are none. */
  cassettes?: CassettePlayer | undefined;
  /** Absent: approvals are decided elsewhere only. */
  approvals?: CallerApprovals | undefined;
  /** Resources and prompts; absent: tools only. */
  content?: GatewayContent | undefined;
  /** Absent: sessions end with the process. */
  sessions?: SessionStore | undefined;
  /** Absent where there is one process. */
  forwarding?: Forwarding | undefined;
  /** Absent: clients get no tasks. */
  tasks?:
    | {
        store: TaskStore;
        /** Finds the record of an execution; null for one that was not recorded. */
        find(executionId: string): Promise<RecordedCall | null>;
        summary(executionId: string): Promise<Pick<RecordedCall, "status" | "finishedAt"> | null>;
        /** For a call that no client waits for any longer. */
        cancel(principal: Principal, executionId: string): Promise<void>;
      }
    | undefined;
  hostPolicy: HostPolicy;
  logger: Logger;
  /** Creates ids of executions. */
  newId(): string;
  version: string;
  /**
   * Returns the sender of a request, null when it is not authenticated. Without a promise where nothing has to be looked up.
   * @throws AppError with the code UNAUTHENTICATED for a token that is no good
   */
  authenticate(headers: RequestHeaders, path: string): Principal | Promise<Principal | null>;
  /**
   * Authenticates like `authenticate`, and counts the request.
   * @throws AppError with the code TOO_MANY_REQUESTS; default: `authenticate`
   */
  enter?(headers: RequestHeaders, path: string): Promise<Principal | null>;
  /** Notifies when access changes; absent: open streams check at intervals only. */
  onAccessChange?: OnAccessChange;
  /** Where a client reads how to sign in to use a path (RFC 9728); absent where clients cannot sign in. */
  signInMetadata?: ((path: string) => string) | undefined;
  /** Records a request that is refused for want of rights. */
  onDenied?(denial: { by: Principal; action: string; error: string }): Promise<void>;
  limits?: Partial<GatewayLimits>;
  /** False: calls take the SDK's own path. Default: true. */
  fastPath?: boolean;
  /** Absent where telemetry is off. */
  telemetry?: GatewayTelemetry | undefined;
  /** Absent: the lists of clients are not recorded. */
  clients?: ClientObserver | undefined;
}
