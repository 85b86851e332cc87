import type { ServerResponse } from "node:http";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { Heartbeat } from "../fast-path/http-exchange";
import { HttpServerTransport } from "../fast-path/http-transport";
import type { CatalogServer } from "./catalog/catalog-server";
import type { CatalogView } from "./catalog/catalog-view";

/** Serves the calls of the stateless protocol that are in order. */
export class StatelessCalls {
  readonly #servers = new WeakMap<CatalogView, CatalogServer>();

  constructor(
    private readonly heartbeat: Heartbeat,
    private readonly createServer: (view: CatalogView) => CatalogServer,
  ) {}

  serve(view: CatalogView, message: JSONRPCMessage, response: ServerResponse, streams: boolean): void {
    const transport = new HttpServerTransport(this.heartbeat);
    transport.calls.handler = this.#serverOf(view).answerOn(transport);
    // Only messages that the handler leaves to the SDK need a connected server.
    transport.onmessage = (left) => {
      delete transport.onmessage;
      void this.createServer(view)
        .connect(transport)
        .then(() => transport.onmessage?.(left));
    };
    transport.receive([message], false, response, streams);
  }

  /** Servers and toolsets may change what they say of themselves, so their addresses get a new one each time. */
  #serverOf(view: CatalogView): CatalogServer {
    const { server: name, toolset } = view.query;
    if (name !== null || toolset !== undefined) return this.createServer(view);
    const server = this.#servers.get(view) ?? this.createServer(view);
    this.#servers.set(view, server);
    return server;
  }
}
