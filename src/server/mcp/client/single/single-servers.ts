import type { IncomingMessage, ServerResponse } from "node:http";
import type { ConnectionState } from "../../../../lib/contract/connection-state";
import type { ToolCallResult } from "../../../../lib/contract/content";
import type { ConnectionSettings, McpConnectionEvents, McpConnections, ServerContent } from "../../../engine/mcp-ports";
import type { Logger, ToolContext } from "../../../engine/ports";
import type { Bulletin } from "../../../platform/coordination/bulletin";
import type { Forwarding } from "../../../platform/coordination/forwarding";
import type { Locks } from "../../../platform/coordination/locks";
import type { PlainConnections } from "../personal/user-pool";
import { createInstanceLogs, type InstanceLogs, type LogKind } from "./instance-logs";
import { OwnedServers } from "./owned-servers";
import { SingleServer, type SingleServerPorts } from "./single-server";
import { WHO_RUNS } from "./wire";

export interface SingleServersPorts {
  locks: Pick<Locks, "acquire">;
  bulletin: Bulletin;
  forwarding: Forwarding;
  logger: Logger;
}

/** Servers whose process instances of Toolroom share. */
export interface SingleServers {
  /** Connections among which those of shared servers run at one instance. */
  wrap(open: (events: McpConnectionEvents) => PlainConnections, events: McpConnectionEvents): PlainConnections;
  /** The log lines of the connections of all instances. @param connections those of this instance */
  openLogs(connections: Pick<McpConnections, LogKind>): InstanceLogs;
  /** Serves a request of another instance. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export function createSingleServers(ports: SingleServersPorts): SingleServers {
  let owned: OwnedServers | null = null;
  let logs: Pick<McpConnections, LogKind> | null = null;
  return {
    wrap(open, events) {
      const heard: McpConnectionEvents = {
        ...events,
        onState(server, state) {
          owned?.tell(server, { state });
          events.onState(server, state);
        },
        onTools(server, tools) {
          owned?.tell(server, { tools });
          events.onTools(server, tools);
        },
        onContent(server, content, user) {
          owned?.tell(server, { content });
          events.onContent(server, content, user);
        },
      };
      const inner = open(heard);
      const connections = new SingleConnections({ ...ports, inner, events });
      const ownLogs = {
        log: (server: string, user?: string) => logs?.log(server, user) ?? [],
        messages: (server: string, user?: string) => logs?.messages(server, user) ?? [],
      };
      owned = new OwnedServers(inner, (server) => connections.find(server), ownLogs, ports.forwarding.hasSignedBody);
      ports.bulletin.on(WHO_RUNS, ({ server }) =>
        connections.find(server)?.isOwner ? ports.forwarding.copies.self.id : undefined,
      );
      return connections;
    },
    openLogs(read) {
      logs = read;
      return createInstanceLogs(ports.forwarding, read);
    },
    async handle(request, response) {
      if (ports.forwarding.admit(request) !== "forwarded" || owned === null) {
        response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"Not found"}}');
        return;
      }
      await owned.handle(request, response).catch((error: unknown) => {
        ports.logger.error({ err: error }, "A request of another copy failed unexpectedly");
        response.destroy();
      });
    },
  };
}

/** Sends each use of a server with `single` to the instance that runs its process, and every other one to this instance's connections. */
class SingleConnections implements PlainConnections {
  readonly #servers = new Map<string, SingleServer>();
  readonly #inner: PlainConnections;
  /** Servers that end, by name: a process of this instance's own waits for them. */
  readonly #ending = new Map<string, Promise<void>>();

  constructor(private readonly ports: SingleServerPorts) {
    this.#inner = ports.inner;
  }

  find(server: string): SingleServer | undefined {
    return this.#servers.get(server);
  }

  apply(settings: ConnectionSettings): void {
    const { name } = settings;
    const known = this.#servers.get(name);
    if (!("single" in settings) || settings.single !== true) {
      if (known === undefined) this.#inner.apply(settings);
      else void this.#end(name, known).then(() => this.#servers.has(name) || this.#inner.apply(settings));
    } else if (known !== undefined) known.apply(settings);
    else {
      void this.#inner.remove(name);
      this.#servers.set(name, new SingleServer(this.ports, settings));
    }
  }

  async remove(server: string): Promise<void> {
    const known = this.#servers.get(server);
    if (known !== undefined) await this.#end(server, known);
    await this.#ending.get(server);
    await this.#inner.remove(server);
  }

  reconnect = async (server: string): Promise<ConnectionState> =>
    (await this.#servers.get(server)?.reconnect()) ?? this.#inner.reconnect(server);
  ready = async (server: string, signal?: AbortSignal): Promise<ConnectionState> =>
    (await this.#servers.get(server)?.ready(signal)) ?? this.#inner.ready(server, signal);
  state = (server: string): ConnectionState | null => this.#servers.get(server)?.state ?? this.#inner.state(server);
  log = (server: string) => this.#inner.log(server);
  messages = (server: string) => this.#inner.messages(server);

  capabilities(server: string): Readonly<Record<string, unknown>> | null {
    const single = this.#servers.get(server);
    return single === undefined ? this.#inner.capabilities(server) : single.capabilities;
  }

  content<T>(server: string, work: (content: ServerContent) => Promise<T>): Promise<T> {
    const single = this.#servers.get(server);
    return single === undefined ? this.#inner.content(server, work) : work(single.content);
  }

  call(server: string, tool: string, args: Record<string, unknown>, context: ToolContext): Promise<ToolCallResult> {
    const here = (): Promise<ToolCallResult> => this.#inner.call(server, tool, args, context);
    const single = this.#servers.get(server);
    if (single === undefined) return here();
    return single.use(here, (owner) => owner.run<ToolCallResult>({ op: "call", tool, args }, context), context.signal);
  }

  startSignIn = (server: string, redirectUrl: string, returnTo: string | null = null) =>
    this.#inner.startSignIn(server, redirectUrl, returnTo);
  finishSignIn = (params: URLSearchParams) => this.#inner.finishSignIn(params);
  signOut = (server: string) => this.#inner.signOut(server);
  signedIn = (server: string): boolean => this.#inner.signedIn(server);

  async close(): Promise<void> {
    await Promise.all([...this.#servers].map(([name, server]) => this.#end(name, server)));
    await this.#inner.close();
  }

  #end(name: string, server: SingleServer): Promise<void> {
    this.#servers.delete(name);
    const ended = server.close().finally(() => {
      if (this.#ending.get(name) === ended) this.#ending.delete(name);
    });
    this.#ending.set(name, ended);
    return ended;
  }
}
