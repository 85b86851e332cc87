import type { ConnectionState, ToolCallResult } from "../../../lib/contract";
import { DISABLED_CONNECTION } from "../../../lib/contract/server";
import { ToolFailure } from "../../engine/failures";
import type {
  ConnectionSettings,
  CredentialStore,
  InteractionDesk,
  McpConnectionEvents,
  McpConnections,
} from "../../engine/mcp-ports";
import type { Clock, Logger, ToolContext } from "../../engine/ports";
import { forgotSession } from "./call-failure";
import { callTool } from "./call-tool";
import { SessionLost } from "./connection-fault";
import { type ConnectionLimits, DEFAULT_LIMITS } from "./connection-limits";
import { messageOf } from "./describe-fault";
import { guardEvents } from "./guarded-events";
import { listPrompts, listResources } from "./lists";
import { SessionOpener } from "./open-session";
import type { ProtocolSession } from "./protocol-session";
import { Redactor } from "./redactor";
import { ServerConnection } from "./server-connection";
import { ServerLog } from "./server-log";
import { SignIns } from "./sign-ins";

export interface McpConnectionsOptions {
  events: McpConnectionEvents;
  credentials: CredentialStore;
  interactions: InteractionDesk;
  logger: Logger;
  clock: Clock;
  /** For `${VAR}` in settings, and the source of what a process inherits. */
  variables: Readonly<Record<string, string | undefined>>;
  /** Where processes run that have no `cwd` of their own, and what a relative one is relative to. */
  rootDir: string;
  /** How we introduce ourselves. */
  client: { name: string; version: string };
  limits?: Partial<ConnectionLimits>;
}

const MAX_REASON_CHARS = 5000;

interface ManagedServer {
  connection: ServerConnection;
  opener: SessionOpener;
}

/** Connects to MCP servers, each with a process group, a connection and a log of its own. */
export function createMcpConnections(options: McpConnectionsOptions): McpConnections {
  const servers = new Map<string, ManagedServer>();
  const events = guardEvents(options.events, options.logger);
  const limits: ConnectionLimits = { ...DEFAULT_LIMITS, ...options.limits };
  /** Servers that were removed and are not gone yet, by name: the next of that name waits for them. */
  const leaving = new Map<string, Promise<void>>();
  const signIns = new SignIns();
  let closed = false;

  const find = (server: string): ManagedServer => {
    const managed = servers.get(server);
    if (managed === undefined) throw new ToolFailure("not_found", `No MCP server has the prefix '${server}'`);
    return managed;
  };
  const add = (settings: ConnectionSettings): ManagedServer => {
    const redactor = new Redactor();
    const log = new ServerLog({
      clock: options.clock,
      redactor,
      limits,
      onLine: (line) => events.onLog(settings.name, line),
    });
    const { client, interactions, credentials, variables, rootDir } = options;
    const redirectUrl = (): string | null => signIns.redirectUrl(settings.name);
    const opener = new SessionOpener({
      client,
      limits,
      interactions,
      credentials,
      variables,
      rootDir,
      log,
      redactor,
      redirectUrl,
    });
    const connection = new ServerConnection(settings, {
      events,
      logger: options.logger,
      clock: options.clock,
      limits,
      log,
      before: leaving.get(settings.name) ?? Promise.resolve(),
      async open(current, hooks, signal) {
        try {
          return await opener.open(current, hooks, signal);
        } finally {
          await signIns.refresh(current.name, opener);
        }
      },
    });
    return { connection, opener };
  };
  const remove = async (server: string): Promise<void> => {
    const managed = servers.get(server);
    if (managed === undefined) return leaving.get(server);
    servers.delete(server);
    signIns.forget(server);
    const gone = managed.connection.close().finally(() => {
      if (leaving.get(server) === gone) leaving.delete(server);
    });
    leaving.set(server, gone);
    await gone;
  };
  /** Runs a request that changes nothing; where the session was forgotten, with a new one. */
  const read = async <Answer>(server: string, ask: (session: ProtocolSession) => Promise<Answer>): Promise<Answer> => {
    const { connection } = find(server);
    const session = await connection.requireSession();
    try {
      return await ask(session).catch(async (error) => {
        if (!forgotSession(error, session)) throw error;
        await connection.replace(session);
        return ask(await connection.requireSession());
      });
    } catch (error) {
      const reason = session.log.quote(session.endMessage ?? messageOf(error), MAX_REASON_CHARS);
      throw new ToolFailure("unavailable", `Server '${server}' did not answer: ${reason}`);
    }
  };

  return {
    apply(settings) {
      if (closed) return;
      const managed = servers.get(settings.name);
      if (managed === undefined) servers.set(settings.name, add(settings));
      else managed.connection.apply(settings);
    },
    remove,
    async reconnect(server) {
      return find(server).connection.reconnect();
    },
    async ready(server, signal) {
      const managed = servers.get(server);
      return managed === undefined ? unknownServer(server) : managed.connection.ready(signal);
    },
    state: (server) => servers.get(server)?.connection.state ?? null,
    log: (server) => servers.get(server)?.connection.log.lines() ?? [],
    messages: (server) => servers.get(server)?.connection.log.messages() ?? [],
    call: (server, tool, args, context) => call(find, server, tool, args, context),
    listResources: (server) => read(server, listResources),
    readResource: (server, uri) =>
      read(server, async (session) => JSON.stringify(await session.request("resources/read", { uri }))),
    listPrompts: (server) => read(server, listPrompts),
    getPrompt: (server, name, args) =>
      read(server, async (session) => JSON.stringify(await session.request("prompts/get", { name, arguments: args }))),
    startSignIn: (server, redirectUrl) => signIns.start(server, find(server), redirectUrl),
    finishSignIn: (params) => signIns.finish(servers, params),
    signOut: (server) => signIns.signOut(server, find(server)),
    signedIn: (server) => signIns.signedIn(server),
    async close() {
      closed = true;
      await Promise.all([...[...servers.keys()].map(remove), ...leaving.values()]);
    },
  };
}

async function call(
  find: (server: string) => ManagedServer,
  server: string,
  tool: string,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<ToolCallResult> {
  const { connection } = find(server);
  const session = await connection.requireSession(context.signal);
  try {
    return await callTool(session, tool, args, context);
  } catch (error) {
    if (!(error instanceof SessionLost)) throw error;
    // The server refused it without running it, so it may be sent once more.
    await connection.replace(session, context.signal);
  }
  const next = await connection.requireSession(context.signal);
  try {
    return await callTool(next, tool, args, context);
  } catch (error) {
    if (!(error instanceof SessionLost)) throw error;
    throw new ToolFailure("unavailable", `Server '${server}' is unavailable: it forgets each session at once`);
  }
}

function unknownServer(server: string): ConnectionState {
  return { ...DISABLED_CONNECTION, status: "failed", reason: `No MCP server has the prefix '${server}'` };
}
