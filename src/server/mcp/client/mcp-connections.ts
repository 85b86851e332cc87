import type { ConnectionState } from "../../../lib/contract/connection-state";
import type { ToolCallResult } from "../../../lib/contract/content";
import { DISABLED_CONNECTION, type ProtocolMessage, type ServerLogLine } from "../../../lib/contract/server";
import { ToolFailure } from "../../engine/failures";
import type {
  AskedInput,
  ConnectionSettings,
  ContentChange,
  CredentialStore,
  InteractionBroker,
  McpConnectionEvents,
  McpConnections,
  ProtocolStore,
  SamplingResponder,
  ServerContent,
  UserIdentity,
} from "../../engine/mcp-ports";
import type { Clock, Logger, ToolContext } from "../../engine/ports";
import type { KnownSecrets } from "../../platform/masking";
import type { AddressPolicy } from "../../platform/outgoing/address-policy";
import type { ClientTelemetry } from "../../platform/telemetry/telemetry";
import { type ConnectionLimits, DEFAULT_LIMITS } from "./connection/connection-limits";
import { ConnectionPace } from "./connection/connection-pace";
import { withLegacyFallback } from "./connection/legacy-fallback";
import { createReopen, onKnownSession } from "./connection/reopen";
import { createSafeEvents } from "./connection/safe-events";
import { ServerConnection } from "./connection/server-connection";
import { ConnectedContent } from "./connection/server-content";
import { Redactor } from "./log/redactor";
import { ServerLog } from "./log/server-log";
import type { OwnClientDocument } from "./oauth/oauth-client-settings";
import { SignIns } from "./oauth/sign-ins";
import { PersonalConnections, type PersonalOptions } from "./personal/personal-connections";
import { createUserParts } from "./personal/user-parts";
import type { PlainConnections } from "./personal/user-pool";
import { type ApiConnections, RoutedConnections } from "./routed-connections";
import { callTool } from "./session/call-tool";
import type { ProtocolSession } from "./session/protocol-session";
import { SessionOpener } from "./session/session-opener";
import type { SingleServers } from "./single/single-servers";

export interface McpConnectionsOptions {
  events: McpConnectionEvents;
  credentials: CredentialStore;
  personal: PersonalOptions;
  protocols: ProtocolStore;
  interactions: InteractionBroker;
  sampling: SamplingResponder;
  /** Called with each request of a server for input whose call is known, before it is answered. */
  onAsked?: ((asked: AskedInput) => void) | undefined;
  logger: Logger;
  clock: Clock;
  /** For `${VAR}` in settings, and the source of what a process inherits. */
  variables: Readonly<Record<string, string | undefined>>;
  /** Names of variables, or beginnings with `*`, that processes inherit besides the usual ones. */
  passedVariables?: readonly string[] | undefined;
  /** The base of relative paths. */
  rootDir: string;
  /** Toolroom's own files, where a relative path leads to one that is not in `rootDir`. */
  home?: string;
  /** The working folder of a server's process without a `cwd`; it is made where it does not exist. */
  getFolder: (server: string) => string;
  /** The name and version by which Toolroom introduces itself. */
  client: { name: string; version: string };
  /** Receives the servers' secrets. */
  secrets?: KnownSecrets;
  limits?: Partial<ConnectionLimits>;
  /** On the clock: connections beyond the first ten begin then at the earliest, unless something waits for them. Default: at once. */
  quietUntil?: number;
  /** The document by which authorization servers know this Toolroom; absent where they cannot fetch one. */
  clientDocument?: OwnClientDocument | undefined;
  /** Default: LOCAL_ADDRESSES. */
  addresses?: AddressPolicy | undefined;
  /** False: calls take the SDK's own path. Default: true. */
  fastPath?: boolean;
  /** Absent where telemetry is off. */
  telemetry?: ClientTelemetry | undefined;
  /** Absent where there is one process. */
  single?: Pick<SingleServers, "wrap"> | undefined;
  /** Opens connections to HTTP APIs; absent where there are none. */
  api?: (options: PlainConnectionsOptions) => ApiConnections;
}

interface ManagedServer {
  connection: ServerConnection;
  opener: SessionOpener;
  content: ConnectedContent;
}

/** Connects to MCP servers, each with a process group, a connection and a log of its own. */
export function createMcpConnections(options: McpConnectionsOptions): McpConnections {
  const { clock, personal } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const events = createSafeEvents(options.events, options.logger);
  const createParts = createUserParts(personal.credentials, options.interactions, personal.identities);
  const { api } = options;
  const open = (each: PlainConnectionsOptions): PlainConnections =>
    api === undefined ? new Connections(each) : new RoutedConnections(new Connections(each), api(each));
  const { single } = options;
  const openShared = (heard: McpConnectionEvents): PlainConnections => open({ ...options, events: heard });
  return new PersonalConnections({
    ...personal,
    events,
    limits,
    shared: single === undefined ? open(options) : single.wrap(openShared, events),
    create: (user, userEvents) =>
      open({
        ...options,
        ...createParts(user),
        events: userEvents,
        withholdStderr: true,
        getFolder: (server) => `${options.getFolder(server)}.${encodeURIComponent(user)}`,
      }),
    createLog: (server) =>
      new ServerLog({ clock, limits, redactor: new Redactor(), onLine: (line) => events.onLog(server, line) }),
  });
}

export type PlainConnectionsOptions = Omit<McpConnectionsOptions, "personal" | "api" | "single"> & {
  withholdStderr?: boolean;
  /** The user of the connections; absent where all users share them. */
  identity?: UserIdentity | undefined;
};

class Connections implements PlainConnections {
  readonly #options: PlainConnectionsOptions;
  readonly #events: McpConnectionEvents;
  readonly #limits: ConnectionLimits;
  readonly #servers = new Map<string, ManagedServer>();
  /** Removed servers whose processes still end, by name: the next server of that name waits for them. */
  readonly #removals = new Map<string, Promise<void>>();
  readonly #signIns = new SignIns();
  readonly #pace: ConnectionPace;
  #closed = false;

  constructor(options: PlainConnectionsOptions) {
    this.#options = options;
    this.#events = createSafeEvents(options.events, options.logger);
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#pace = new ConnectionPace(options.quietUntil);
  }

  apply(settings: ConnectionSettings): void {
    if (this.#closed) return;
    const managed = this.#servers.get(settings.name);
    if (managed === undefined) this.#servers.set(settings.name, this.#createServer(settings));
    else if (managed.connection.apply(settings)) this.#signIns.clearDemand(settings.name);
  }

  async remove(server: string): Promise<void> {
    const managed = this.#servers.get(server);
    if (managed === undefined) return this.#removals.get(server);
    this.#servers.delete(server);
    this.#signIns.forget(server);
    const removal = managed.connection.close().finally(() => {
      if (this.#removals.get(server) === removal) this.#removals.delete(server);
    });
    this.#removals.set(server, removal);
    await removal;
  }

  async reconnect(server: string): Promise<ConnectionState> {
    const { connection, opener } = this.#find(server);
    await opener.forgetProtocol();
    return connection.reconnect();
  }

  async ready(server: string, signal?: AbortSignal): Promise<ConnectionState> {
    const managed = this.#servers.get(server);
    if (managed !== undefined) return managed.connection.ready(signal);
    return { ...DISABLED_CONNECTION, status: "failed", reason: unknownServer(server) };
  }

  state(server: string): ConnectionState | null {
    return this.#servers.get(server)?.connection.state ?? null;
  }

  log(server: string): ServerLogLine[] {
    return this.#servers.get(server)?.connection.log.lines() ?? [];
  }

  messages(server: string): ProtocolMessage[] {
    return this.#servers.get(server)?.connection.log.messages() ?? [];
  }

  async content<T>(server: string, work: (content: ServerContent) => Promise<T>): Promise<T> {
    return await work(this.#find(server).content);
  }

  capabilities(server: string): Readonly<Record<string, unknown>> | null {
    return this.#servers.get(server)?.content.capabilities ?? null;
  }

  async startSignIn(server: string, redirectUrl: string, returnTo: string | null = null): Promise<string | null> {
    return this.#signIns.start(server, this.#find(server), { redirectUrl, returnTo });
  }

  finishSignIn(params: URLSearchParams): Promise<{ server: string; returnTo: string | null }> {
    return this.#signIns.finish(this.#servers, params);
  }

  async signOut(server: string): Promise<void> {
    await this.#signIns.signOut(server, this.#find(server));
  }

  signedIn(server: string): boolean {
    return this.#signIns.signedIn(server);
  }

  async call(
    server: string,
    tool: string,
    args: Record<string, unknown>,
    context: ToolContext,
  ): Promise<ToolCallResult> {
    const managed = this.#find(server);
    const { connection, opener } = managed;
    if (context.maskedValues) opener.addMasked(context.maskedValues);
    return onKnownSession(connection, context.signal, (session) =>
      callOnSession(managed, session, tool, args, context),
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...[...this.#servers.keys()].map((server) => this.remove(server)), ...this.#removals.values()]);
  }

  #find(server: string): ManagedServer {
    const managed = this.#servers.get(server);
    if (managed === undefined) throw new ToolFailure("not_found", unknownServer(server));
    return managed;
  }

  #createServer(settings: ConnectionSettings): ManagedServer {
    const { name } = settings;
    const limits = this.#limits;
    const events = this.#events;
    const signIns = this.#signIns;
    const { clock, logger, secrets, withholdStderr } = this.#options;
    const redactor = new Redactor(secrets);
    const log = new ServerLog({ clock, redactor, limits, withholdStderr, onLine: (line) => events.onLog(name, line) });
    const onContent = (change: ContentChange): void => events.onContent(name, change);
    const content = new ConnectedContent({ limits, managed: () => this.#find(name), onChange: onContent });
    const opener = new SessionOpener(name, {
      ...this.#options,
      onContent,
      limits,
      log,
      redactor,
      redirectUrl: () => signIns.user(name)?.redirectUrl ?? null,
      returnTo: () => signIns.user(name)?.returnTo ?? null,
    });
    const onState: McpConnectionEvents["onState"] = (server, state) => {
      signIns.recordState(server, state, opener);
      events.onState(server, state);
    };
    const connection = new ServerConnection(settings, {
      events: { ...events, onState },
      logger,
      clock,
      limits,
      log,
      onSession: (session) => content.attach(session),
      previousCleanup: this.#removals.get(name) ?? Promise.resolve(),
      pace: this.#pace,
      open: (current, hooks, signal) =>
        opener.open(current, hooks, signal).finally(() => signIns.refresh(current.name, opener)),
    });
    return { connection, opener, content };
  }
}

function callOnSession(
  { connection, opener }: ManagedServer,
  session: ProtocolSession,
  tool: string,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<ToolCallResult> {
  const reopen = createReopen(connection, session.limits.taskReconnectMs, context.signal);
  const isRepeatable = session.repeatableTools.has(tool);
  return withLegacyFallback(
    { connection, opener, session, what: `tool '${tool}'`, isRepeatable, context },
    (current) => callTool(current, tool, args, context, reopen),
    readFailure,
  );
}

function readFailure({ isError, content }: ToolCallResult): string | null {
  if (isError !== true) return null;
  return content.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
}

const unknownServer = (server: string): string => `No server has the prefix '${server}'`;
