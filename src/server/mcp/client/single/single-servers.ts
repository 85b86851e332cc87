import type { IncomingMessage, ServerResponse } from "node:http";
import type { McpConnectionEvents, McpConnections } from "../../../engine/mcp-ports";
import type { Logger } from "../../../engine/ports";
import type { Bulletin } from "../../../platform/coordination/bulletin";
import type { Forwarding } from "../../../platform/coordination/forwarding";
import type { Locks } from "../../../platform/coordination/locks";
import type { PlainConnections } from "../personal/person-pool";
import { type CopyLogs, createCopyLogs, type LogKind } from "./copy-logs";
import { OwnedServers } from "./owned-servers";
import { SingleConnections } from "./single-connections";
import { WHO_RUNS } from "./wire";

export interface SingleServersPorts {
  locks: Pick<Locks, "acquire">;
  bulletin: Bulletin;
  forwarding: Forwarding;
  logger: Logger;
}

/** Servers whose process copies of Toolroom share. */
export interface SingleServers {
  /** Connections among which those of shared servers run at one copy. */
  wrap(open: (events: McpConnectionEvents) => PlainConnections, events: McpConnectionEvents): PlainConnections;
  /** What the connections of all copies logged. @param connections this copy's */
  openLogs(connections: Pick<McpConnections, LogKind>): CopyLogs;
  /** Serves a request of another copy. Never rejects. */
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
        onContent(server, content, person) {
          owned?.tell(server, { content });
          events.onContent(server, content, person);
        },
      };
      const inner = open(heard);
      const connections = new SingleConnections({ ...ports, inner, events });
      owned = new OwnedServers(inner, (server) => connections.find(server), {
        log: (server, person) => logs?.log(server, person) ?? [],
        messages: (server, person) => logs?.messages(server, person) ?? [],
      });
      ports.bulletin.on(WHO_RUNS, ({ server }) =>
        connections.find(server)?.isOwner ? ports.forwarding.copies.self.id : undefined,
      );
      return connections;
    },
    openLogs(read) {
      logs = read;
      return createCopyLogs(ports.forwarding, read);
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
