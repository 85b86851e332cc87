import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "./loopback-server";

/** Each is one thing that the server does wrong; none is shared by two checks. */
export type Fault =
  | "html answers"
  | "notifications get a result"
  | "any origin"
  | "any version"
  | "get answers json"
  | "one session id for all"
  | "short session id"
  | "no session needed"
  | "unknown session answers 400"
  | "unknown session is served"
  | "numbers as ids"
  | "agrees to any revision"
  | "unknown method gets a result"
  | "missing parameter gets a result"
  | "parse error answers 500"
  | "refuses with 403"
  | "no challenge"
  | "no resource metadata named"
  | "no authorization servers"
  | "another resource"
  | "no server metadata"
  | "incomplete server metadata"
  | "another issuer"
  | "no PKCE"
  | "no registration"
  | "endpoints without TLS"
  | "any token"
  | "any audience";

export interface ReferenceServer {
  url: URL;
  /** Accepted by servers that demand one. */
  token: string;
  client: { id: string; secret: string };
  /** What came in, for what must not be sent. */
  requests: { method: string; path: string; authorization: string | undefined; tool: unknown }[];
  close(): Promise<void>;
}

interface ReferenceOptions {
  faults?: readonly Fault[];
  /** Demands a token. */
  auth?: boolean;
  tools?: readonly object[];
}

type Message = Record<string, unknown> & { id?: string | number; method?: string; params?: Record<string, unknown> };

const REVISIONS = ["2025-11-25", "2025-06-18"];
const TOOLS = [{ name: "delete_everything", inputSchema: { type: "object", properties: {} } }];

/** A small server that passes every check of Toolroom's own, but for its faults. */
export async function startReferenceServer(options: ReferenceOptions = {}): Promise<ReferenceServer> {
  const reference = new Reference(options);
  const server = createServer((request, response) => void reference.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  reference.origin = `http://127.0.0.1:${port}`;
  return {
    url: new URL(`${reference.origin}/mcp`),
    token: reference.token,
    client: reference.client,
    requests: reference.requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Reference {
  origin = "";
  readonly token = `token-${randomUUID()}`;
  readonly client = { id: "conformance-client", secret: `secret-${randomUUID()}` };
  readonly requests: ReferenceServer["requests"] = [];
  readonly #foreign = `foreign-${randomUUID()}`;
  readonly #sessions = new Set<string>();
  readonly #faults: ReadonlySet<Fault>;

  constructor(private readonly options: ReferenceOptions) {
    this.#faults = new Set(options.faults);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const path = request.url ?? "";
    const { authorization } = request.headers;
    const tool = /"method":"tools\/call".*"name":"([^"]*)"/.exec(body)?.[1];
    this.requests.push({ method: request.method ?? "", path, authorization, tool });
    if (path.startsWith("/.well-known/")) return this.#metadata(path, response);
    if (path === "/as/token") return this.#issue(request, body, response);
    if (path !== "/mcp") return void response.writeHead(404).end();
    if (this.options.auth === true && !this.#accepts(authorization)) {
      return this.#refuse(response, authorization === undefined);
    }
    if (this.#has("any origin") === false && isForeign(request.headers.origin, this.origin)) {
      return void response.writeHead(403).end();
    }
    if (request.method === "GET") return this.#stream(response);
    if (request.method === "DELETE") return this.#end(request, response);
    this.#message(request, body, response);
  }

  #has(fault: Fault): boolean {
    return this.#faults.has(fault);
  }

  #accepts(authorization = ""): boolean {
    if (authorization === `Bearer ${this.token}`) return true;
    if (authorization === `Bearer ${this.#foreign}`) return this.#has("any audience");
    return this.#has("any token") && authorization !== "";
  }

  #refuse(response: ServerResponse, isAnonymous: boolean): void {
    const named = `${this.origin}/.well-known/oauth-protected-resource/mcp`;
    const challenge = this.#has("no resource metadata named") ? "Bearer" : `Bearer resource_metadata="${named}"`;
    const headers = this.#has("no challenge") ? {} : { "www-authenticate": challenge };
    response.writeHead(isAnonymous && this.#has("refuses with 403") ? 403 : 401, headers).end();
  }

  #metadata(path: string, response: ServerResponse): void {
    const issuer = `${this.origin}/as`;
    if (path === "/.well-known/oauth-protected-resource/mcp") {
      const resource = this.#has("another resource") ? "https://other.example/mcp" : `${this.origin}/mcp`;
      return void sendJson(response, 200, {
        resource,
        ...(!this.#has("no authorization servers") && { authorization_servers: [issuer] }),
      });
    }
    const isServer = path === "/.well-known/oauth-authorization-server/as";
    if (!isServer || this.#has("no server metadata")) return void response.writeHead(404).end();
    const endpoints = this.#has("endpoints without TLS") ? "http://auth.example" : issuer;
    sendJson(response, 200, {
      issuer: this.#has("another issuer") ? "https://other.example" : issuer,
      authorization_endpoint: `${endpoints}/authorize`,
      token_endpoint: `${issuer}/token`,
      ...(!this.#has("incomplete server metadata") && { response_types_supported: ["code"] }),
      ...(!this.#has("no PKCE") && { code_challenge_methods_supported: ["S256"] }),
      ...(!this.#has("no registration") && { client_id_metadata_document_supported: true }),
      token_endpoint_auth_methods_supported: ["client_secret_basic"],
      grant_types_supported: ["client_credentials"],
    });
  }

  #issue({ headers }: IncomingMessage, body: string, response: ServerResponse): void {
    const { id, secret } = this.client;
    const isKnown = headers.authorization === `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
    if (!isKnown) return void sendJson(response, 401, { error: "invalid_client" });
    const resource = new URLSearchParams(body).get("resource");
    const access_token = resource === null || resource === `${this.origin}/mcp` ? this.token : this.#foreign;
    sendJson(response, 200, { access_token, token_type: "Bearer", expires_in: 3600 });
  }

  #stream(response: ServerResponse): void {
    if (this.#has("get answers json")) return void sendJson(response, 200, {});
    response.writeHead(405).end();
  }

  #end({ headers }: IncomingMessage, response: ServerResponse): void {
    response.writeHead(this.#sessions.delete(String(headers["mcp-session-id"])) ? 200 : 404).end();
  }

  #message(request: IncomingMessage, body: string, response: ServerResponse): void {
    const message = parse(body);
    if (message === null) {
      const error = { code: -32_700, message: "Parse error" };
      const status = this.#has("parse error answers 500") ? 500 : 400;
      return void sendJson(response, status, { jsonrpc: "2.0", id: null, error });
    }
    if (message.method === "initialize") return void this.#initialize(message, response);
    const status = this.#findRefusal(request, message);
    if (status !== null) return void response.writeHead(status).end();
    if (message.id === undefined) {
      if (this.#has("notifications get a result")) return void sendJson(response, 200, { jsonrpc: "2.0", result: {} });
      return void response.writeHead(202).end();
    }
    this.#send(response, message, this.#answer(message));
  }

  #findRefusal({ headers }: IncomingMessage, { method }: Message): number | null {
    const session = headers["mcp-session-id"];
    if (method === "server/discover") return 400;
    if (session === undefined) return this.#has("no session needed") ? null : 400;
    if (!this.#sessions.has(String(session))) {
      if (this.#has("unknown session answers 400")) return 400;
      return this.#has("unknown session is served") ? null : 404;
    }
    const version = String(headers["mcp-protocol-version"]);
    return REVISIONS.includes(version) || this.#has("any version") ? null : 400;
  }

  #initialize(message: Message, response: ServerResponse): void {
    const wanted = String(message.params?.protocolVersion);
    const isKnown = REVISIONS.includes(wanted) || this.#has("agrees to any revision");
    const session = this.#has("one session id for all")
      ? "one-session-of-all-clients"
      : this.#has("short session id")
        ? String(this.#sessions.size + 1)
        : randomUUID();
    this.#sessions.add(session);
    response.setHeader("mcp-session-id", session);
    this.#send(response, message, {
      result: {
        protocolVersion: isKnown ? wanted : REVISIONS[0],
        capabilities: { tools: {} },
        serverInfo: { name: "reference", version: "1.0.0" },
      },
    });
  }

  #answer({ method, params = {} }: Message): object {
    if (method === "ping") return { result: {} };
    if (method === "tools/list") return { result: { tools: this.options.tools ?? TOOLS } };
    if (method === "tools/call") {
      const isMissing = params.name === undefined && !this.#has("missing parameter gets a result");
      if (isMissing) return { error: { code: -32_602, message: "name is missing" } };
      return { result: { content: [{ type: "text", text: "This is a simple text response for testing." }] } };
    }
    if (this.#has("unknown method gets a result") && String(method).startsWith("conformance/")) return { result: {} };
    return { error: { code: -32_601, message: "Method not found" } };
  }

  #send(response: ServerResponse, { id, method }: Message, answer: object): void {
    const ownId = this.#has("numbers as ids") && typeof id === "string" ? 1 : id;
    const body = { jsonrpc: "2.0", id: ownId, ...answer };
    // Only the opening: other requests of a client are read whatever their type is.
    const isHtml = this.#has("html answers") && method === "initialize";
    response.writeHead(200, { "content-type": isHtml ? "text/html" : "application/json" }).end(JSON.stringify(body));
  }
}

const isForeign = (origin: string | undefined, own: string): boolean => origin !== undefined && origin !== own;

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function parse(body: string): Message | null {
  try {
    return JSON.parse(body) as Message;
  } catch {
    return null;
  }
}
