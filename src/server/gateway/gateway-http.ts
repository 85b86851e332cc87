import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonContentType } from "@modelcontextprotocol/server";
import { judgeRequest } from "../../lib/http-guard";
import { CatalogueView } from "./catalogue-view";
import { CatalogueViews } from "./catalogue-views";
import { GatewayDispatch } from "./gateway-dispatch";
import { GATEWAY_LIMITS, type GatewayLimits, type GatewayPorts } from "./gateway-ports";
import { refuse } from "./http-answers";
import { readRequestBody } from "./request-body";

export interface Gateway {
  /** Serves `/mcp`, `/mcp/<server>`, with `?tools=a,b` and `?names=plain`. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends the streams that belong to no call, and begins no session any more; running calls go on. */
  beginStop(): void;
  /** Ends what is open; calls that still run are recorded as interrupted. */
  close(): Promise<void>;
  sessionCount(): number;
}

class HttpGateway implements Gateway {
  readonly #limits: GatewayLimits;
  readonly #views: CatalogueViews;
  readonly #dispatch: GatewayDispatch;
  readonly #endListening: () => void;
  #changed: NodeJS.Timeout | undefined;
  #stopping = false;

  constructor(private readonly ports: GatewayPorts) {
    this.#limits = { ...GATEWAY_LIMITS, ...ports.limits };
    this.#views = new CatalogueViews(ports);
    this.#dispatch = new GatewayDispatch(ports, this.#views, this.#limits);
    this.#endListening = ports.onToolsChanged(() => this.#onToolsChanged());
  }

  sessionCount(): number {
    return this.#dispatch.sessions.count;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#handle(request, response);
    } catch (error) {
      const stack = error instanceof Error ? error.stack : String(error);
      this.ports.logger.error({ stack }, "Gateway: a request failed unexpectedly");
      refuse(response, 500, "The request could not be answered", { code: -32_603 });
    }
  }

  beginStop(): void {
    this.#stopping = true;
    this.#endListening();
    clearTimeout(this.#changed);
    void this.#dispatch.endStreams();
  }

  async close(): Promise<void> {
    this.beginStop();
    await this.#dispatch.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = this.#judge(request);
    if (refusal !== null) return refuse(response, 403, refusal);
    if (this.#stopping) return refuse(response, 503, "Toolroom is stopping", { headers: { "retry-after": "1" } });
    const view = this.#views.at(request.url ?? "");
    if (!(view instanceof CatalogueView)) return refuse(response, view.status, view.message);
    switch (request.method) {
      case "POST":
        return await this.#post(view, request, response);
      case "GET":
      case "DELETE":
        return await this.#dispatch.sessionOperation(view, request, response);
      default:
        return refuse(response, 405, "Method not allowed", { headers: { allow: "GET, POST, DELETE" } });
    }
  }

  /** The guard of the console's own calls: the same names, and no page but this server's. */
  #judge({ method, headers }: IncomingMessage): string | null {
    const single = (value: string | string[] | undefined): string | null =>
      (Array.isArray(value) ? value.join(",") : value) ?? null;
    const verdict = judgeRequest(
      {
        method: method ?? "GET",
        // What it knows as an API path: anything that a foreign page must not call.
        pathname: "/api",
        host: single(headers.host),
        origin: single(headers.origin),
        secFetchSite: single(headers["sec-fetch-site"]),
        contentType: single(headers["content-type"]),
      },
      this.ports.hostPolicy,
    );
    return verdict.allowed ? null : verdict.message;
  }

  async #post(view: CatalogueView, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers } = request;
    if (!isJsonContentType(headers["content-type"])) {
      return refuse(response, 415, "The body has to be JSON, with content-type: application/json");
    }
    const { accept = "*/*" } = headers;
    const streams = accept.includes("text/event-stream") || accept.includes("*/*");
    if (!streams && !accept.includes("application/json")) {
      return refuse(response, 406, "The client has to accept application/json or text/event-stream");
    }
    const body = await readRequestBody(request, this.#limits.maxBodyBytes);
    if ("broken" in body) return;
    if ("tooLarge" in body) {
      const message = `The request is larger than ${this.#limits.maxBodyBytes} bytes`;
      response.once("finish", () => request.destroy());
      return refuse(response, 413, message, { headers: { connection: "close" } });
    }
    const message = parsedJson(body.text);
    if (message === undefined) return refuse(response, 400, "Parse error: the body is not JSON", { code: -32_700 });
    return await this.#dispatch.post(view, message, request, response, streams);
  }

  #onToolsChanged(): void {
    for (const view of this.#openViews()) view.invalidate();
    this.#changed ??= setTimeout(() => {
      this.#changed = undefined;
      this.#dispatch.tellOfChange(new Set([...this.#openViews()].filter((view) => view.takeChange())));
    }, this.#limits.changeDebounceMs);
  }

  #openViews(): Set<CatalogueView> {
    return new Set([...this.#views.all(), ...[...this.#dispatch.sessions.all()].map(({ view }) => view)]);
  }
}

/** The whole catalogue as one MCP server, for `node:http`. */
export function createGateway(ports: GatewayPorts): Gateway {
  return new HttpGateway(ports);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
