import type { ApiOutline } from "../../lib/contract/api-document";
import type { ConnectionState } from "../../lib/contract/connection-state";
import type { ToolCallResult } from "../../lib/contract/content";
import { DISABLED_CONNECTION } from "../../lib/contract/server";
import { ToolFailure } from "../engine/failures";
import type { ApiConnectionSettings, ApiDocuments } from "../engine/mcp-ports";
import type { ToolContext } from "../engine/ports";
import { type ConnectionLimits, DEFAULT_LIMITS } from "../mcp/client/connection/connection-limits";
import { createSafeEvents } from "../mcp/client/connection/safe-events";
import { Redactor } from "../mcp/client/log/redactor";
import { ServerLog } from "../mcp/client/log/server-log";
import type { PlainConnectionsOptions } from "../mcp/client/mcp-connections";
import { createExchangeSource } from "../mcp/client/oauth/identity-tokens";
import type { ApiConnections } from "../mcp/client/routed-connections";
import { createResolveContext } from "../mcp/client/session/resolve-settings";
import { abortable } from "../mcp/client/wait";
import { createOutgoingAgents, type OutgoingAgents } from "../platform/outgoing/outgoing-agents";
import { ApiSession } from "./api-session";
import { DocumentReader, type ReadApi } from "./document-reader";
import { OpenApiConnection } from "./openapi-connection";
import { resolveApi } from "./resolve-api";
import { TokenSource } from "./token-source";

const REFRESH_MS = 3_600_000;

/** The options that describing a document needs. */
type DocumentOptions = Pick<
  PlainConnectionsOptions,
  "clock" | "variables" | "rootDir" | "addresses" | "secrets" | "limits"
>;

type SessionParts = Pick<PlainConnectionsOptions, "variables" | "rootDir" | "clock" | "telemetry" | "identity"> & {
  agents: OutgoingAgents;
  limits: ConnectionLimits;
};

/** Connections to HTTP APIs, which share one reader of documents. */
export function createOpenApiConnections(home: string, refreshMs = REFRESH_MS) {
  const reader = new DocumentReader(home);
  return {
    create: (options: PlainConnectionsOptions): ApiConnections => new OpenApiConnections(options, reader, refreshMs),

    /** For settings that are not stored yet. */
    documents: (options: DocumentOptions): ApiDocuments => ({
      async outline(settings): Promise<ApiOutline> {
        const limits = { ...DEFAULT_LIMITS, ...options.limits };
        const redactor = new Redactor(options.secrets);
        const log = new ServerLog({ clock: options.clock, limits, redactor, onLine: () => undefined });
        const agents = createOutgoingAgents(options.addresses);
        const session = openSession(settings, { ...options, agents, limits }, log, redactor);
        const limit = AbortSignal.timeout(settings.connectTimeoutMs);
        const api = await read(reader, settings, session, limit, true);
        return api.outline;
      },
    }),
    close: () => reader.close(),
  };
}

function read(
  reader: DocumentReader,
  { name: server, operations, outputSchemas, headers, query, personal }: ApiConnectionSettings,
  session: ApiSession,
  signal: AbortSignal,
  outlineOnly = false,
): Promise<ReadApi> {
  const ownQuery = personal?.query ?? [];
  const ownHeaders = (personal?.slots ?? []).filter((name) => !ownQuery.includes(name));
  const names = [...Object.keys(headers), ...ownHeaders].map((name) => name.toLowerCase());
  const provided = { headers: names, query: [...Object.keys(query), ...ownQuery] };
  const fetchText = (url: string): Promise<string> => abortable(session.fetchText(url, signal), signal);
  const wanted = { ...operations, server, url: session.baseUrl, outputSchemas, provided, outlineOnly };
  return reader.read(session.document, wanted, fetchText);
}

function openSession(
  settings: ApiConnectionSettings,
  { variables, rootDir, clock, agents, limits, telemetry, identity }: SessionParts,
  log: ServerLog,
  redactor: Redactor,
): ApiSession {
  const target = resolveApi(settings, createResolveContext(variables, rootDir, redactor));
  const { auth } = target;
  const onSecret = (value: string): void => redactor.addTemporary(value);
  const createTokens = () => {
    switch (auth.type) {
      case "client_credentials":
        return new TokenSource(auth, { agents, variables, now: () => clock.now(), onSecret });
      case "token_exchange":
        return createExchangeSource(auth, { server: settings.name, variables, identity, onSecret });
      default:
        return null;
    }
  };
  return new ApiSession({
    server: settings.name,
    target,
    agents,
    tokens: createTokens(),
    log,
    maxBytes: limits.maxMessageBytes,
    namesTrace: telemetry?.sendsSpans === true,
  });
}

class OpenApiConnections implements ApiConnections {
  readonly #options: PlainConnectionsOptions;
  readonly #reader: DocumentReader;
  readonly #refreshMs: number;
  readonly #limits: ConnectionLimits;
  readonly #agents: OutgoingAgents;
  readonly #servers = new Map<string, { connection: OpenApiConnection; redactor: Redactor }>();

  constructor(options: PlainConnectionsOptions, reader: DocumentReader, refreshMs: number) {
    this.#options = options;
    this.#reader = reader;
    this.#refreshMs = refreshMs;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#agents = createOutgoingAgents(options.addresses);
  }

  apply(settings: ApiConnectionSettings): void {
    const known = this.#servers.get(settings.name);
    if (known === undefined) this.#servers.set(settings.name, this.#create(settings));
    else known.connection.apply(settings);
  }

  async remove(server: string): Promise<void> {
    this.#servers.get(server)?.connection.close();
    this.#servers.delete(server);
  }

  has = (server: string): boolean => this.#servers.has(server);
  reconnect = (server: string): Promise<ConnectionState> => this.#find(server).connection.reconnect();
  ready = async (server: string, signal?: AbortSignal): Promise<ConnectionState> =>
    (await this.#servers.get(server)?.connection.ready(signal)) ?? DISABLED_CONNECTION;
  state = (server: string): ConnectionState | null => this.#servers.get(server)?.connection.state ?? null;
  log = (server: string) => this.#servers.get(server)?.connection.log.lines() ?? [];
  messages = (server: string) => this.#servers.get(server)?.connection.log.messages() ?? [];

  async call(
    server: string,
    tool: string,
    args: Record<string, unknown>,
    context: ToolContext,
  ): Promise<ToolCallResult> {
    const { connection, redactor } = this.#find(server);
    if (context.maskedValues) redactor.addMasked(context.maskedValues);
    return await connection.call(tool, args, context);
  }

  async close(): Promise<void> {
    for (const server of this.#servers.keys()) await this.remove(server);
    this.#agents["http:"].destroy();
    this.#agents["https:"].destroy();
  }

  #find(server: string) {
    const known = this.#servers.get(server);
    if (known === undefined) throw new ToolFailure("not_found", `No server has the prefix '${server}'`);
    return known;
  }

  #create(settings: ApiConnectionSettings) {
    const { name } = settings;
    const { clock, logger, secrets, withholdStderr } = this.#options;
    const limits = this.#limits;
    const events = createSafeEvents(this.#options.events, logger);
    const redactor = new Redactor(secrets);
    const log = new ServerLog({ clock, redactor, limits, withholdStderr, onLine: (line) => events.onLog(name, line) });
    const parts = { ...this.#options, limits, agents: this.#agents };
    const connection = new OpenApiConnection(settings, {
      events,
      logger,
      clock,
      limits,
      log,
      refreshMs: this.#refreshMs,
      open: (current) => openSession(current, parts, log, redactor),
      read: (current, session, signal) => read(this.#reader, current, session, signal),
    });
    return { connection, redactor };
  }
}
