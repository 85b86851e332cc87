import type { IncomingMessage, ServerResponse } from "node:http";
import { isJsonContentType } from "@modelcontextprotocol/server";
import { explainDenial, explainGroupLimit, type Principal } from "../../../lib/contract/access";
import { isPlainObject } from "../../../lib/contract/json";
import { checkIncomingRequest } from "../../../lib/http-guard/host-policy";
import { toHeaders } from "../../../lib/http-guard/request-headers";
import { assertWithinLimits, isBeyondLimits, isNestedDeeperThan, isTooDeepError } from "../../../lib/json/limits";
import { INLINE_CHARS, parseJsonInSlices } from "../../../lib/parse-in-slices";
import type { ViewQuery } from "../../engine/client-ports";
import { findAppError, retryHeaders } from "../../platform/shared/app-error";
import { watchReader } from "../../platform/shared/watch-reader";
import { keepAnswerTexts, keepArgumentTexts } from "../fast-path/call-argument-texts";
import { injectFault } from "./cassette/cassette-calls";
import { CatalogView } from "./catalog/catalog-view";
import { CatalogViews, readCassetteName } from "./catalog/catalog-views";
import { contentScope } from "./content/content-scope";
import { GatewayDispatch } from "./gateway-dispatch";
import { GATEWAY_LIMITS, type GatewayLimits, type GatewayPorts } from "./gateway-ports";
import { readTransport, removeOptionalNulls } from "./gateway-requests";
import { type Challenge, challengeHeader, denialChallenge, rejectRequest, SIGN_IN_SCOPES } from "./http-answers";
import { RequestOwners } from "./request-owners";

export interface Gateway {
  /** Serves `/mcp`, `/mcp/<server>`, with `?tools=a,b` and `?names=plain`. Never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends the streams that belong to no call, and accepts no new sessions; running calls continue. */
  beginStop(): void;
  /** Ends what is open; calls that still run are recorded as interrupted. */
  close(): Promise<void>;
  sessionCount(): number;
  /** The view that an address serves to a caller; null where it serves nothing. */
  openView(query: ViewQuery, principal: Principal): CatalogView | null;
  /** The skills that an address serves to a caller, as its clients list them. Servers that do not answer are left out. */
  listSkills(query: ViewQuery, principal: Principal): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

class HttpGateway implements Gateway {
  readonly #limits: GatewayLimits;
  readonly #views: CatalogViews;
  readonly #dispatch: GatewayDispatch;
  /** Null where there is one process. */
  readonly #owners: RequestOwners | null;
  readonly #endListening: () => void;
  #changed: NodeJS.Timeout | undefined;
  #stopping = false;

  constructor(private readonly ports: GatewayPorts) {
    this.#limits = { ...GATEWAY_LIMITS, ...ports.limits };
    this.#views = new CatalogViews(ports);
    this.#dispatch = new GatewayDispatch(ports, this.#views, this.#limits);
    const { forwarding, sessions: store = null } = ports;
    const hasSession = (id: string): boolean => this.#dispatch.sessions.has(id);
    this.#owners = forwarding === undefined ? null : new RequestOwners({ forwarding, store, hasSession });
    this.#endListening = ports.onToolsChanged(() => this.#onToolsChanged());
  }

  sessionCount(): number {
    return this.#dispatch.sessions.count;
  }

  readonly openView = (query: ViewQuery, principal: Principal): CatalogView | null =>
    this.#views.open(query, principal);

  readonly listSkills: Gateway["listSkills"] = async (query, principal) => {
    const view = this.#views.open(query, principal);
    const { content } = this.ports;
    if (view === null || content === undefined) return [];
    return await content.list(contentScope(view, this.ports), "skills");
  };

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#handle(request, response);
    } catch (error) {
      const stack = error instanceof Error ? error.stack : String(error);
      this.ports.logger.error({ stack }, "Gateway: a request failed unexpectedly");
      rejectRequest(response, 500, "The request could not be answered", { code: -32_603 });
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
    const origin = this.ports.forwarding?.admit(request);
    if (origin === "forged") return rejectRequest(response, 403, FORGED);
    if (origin === "misdirected") return rejectRequest(response, 421, MISDIRECTED);
    const verdict = checkIncomingRequest(request, this.ports.hostPolicy);
    if (!verdict.allowed) return rejectRequest(response, 403, verdict.message);
    if (this.#stopping)
      return rejectRequest(response, 503, "Toolroom is stopping", { headers: { "retry-after": "1" } });
    const principal = await this.#authenticate(request, response);
    if (principal === null) return;
    const cassette = readCassetteName(request.url ?? "");
    if (cassette !== null) await this.ports.cassettes?.open(cassette);
    const view = this.#views.at(request.url ?? "", principal, readTransport(toHeaders(request)));
    if (!(view instanceof CatalogView)) return rejectRequest(response, view.status, view.message);
    switch (request.method) {
      case "POST":
        return await this.#post(view, request, response);
      case "GET":
        if (await this.#owners?.takeSession({ request, response, body: "" })) return;
        this.#watchAccess(view, request, response);
        return await this.#dispatch.sessionOperation(view, request, response);
      case "DELETE":
        if (await this.#owners?.takeSession({ request, response, body: "" })) return;
        return await this.#dispatch.sessionOperation(view, request, response);
      default:
        return rejectRequest(response, 405, "Method not allowed", { headers: { allow: "GET, POST, DELETE" } });
    }
  }

  async #authenticate(request: IncomingMessage, response: ServerResponse): Promise<Principal | null> {
    const headers = toHeaders(request);
    const path = toPath(request);
    const refused = (message: string, error?: Challenge["error"]): void => {
      const metadata = this.#metadata(request);
      const challenge: Challenge = metadata === null ? { metadata } : { scope: SIGN_IN_SCOPES, metadata };
      rejectRequest(response, 401, message, {
        headers: challengeHeader(error === undefined ? challenge : { ...challenge, error }),
      });
    };
    try {
      const found = this.ports.enter?.(headers, path) ?? this.ports.authenticate(headers, path);
      const principal = found instanceof Promise ? await found : found;
      if (principal !== null) return principal;
      refused("Send an API token: Authorization: Bearer <token>");
    } catch (error) {
      const refusal = findAppError(error);
      if (refusal === null) throw error;
      if (refusal.code === "TOO_MANY_REQUESTS") {
        rejectRequest(response, 429, refusal.message, { headers: retryHeaders(refusal) });
      } else refused(refusal.message, "invalid_token");
    }
    return null;
  }

  /**
   * Ends the stream of a caller who may read no longer: one who has been signed out, whose token was revoked, or whose groups
   * no longer admit the address.
   */
  #watchAccess({ principal, query }: CatalogView, request: IncomingMessage, response: ServerResponse): void {
    const headers = toHeaders(request);
    const path = toPath(request);
    const stop = watchReader({
      userId: principal.id,
      admitsLimited: true,
      checkMs: this.#limits.checkAccessMs,
      recheck: async () => {
        const found = await this.ports.authenticate(headers, path);
        return explainGroupLimit(found?.token ?? null, query.toolset) === null ? found : null;
      },
      onChange: this.ports.onAccessChange,
      onLost: () => response.end(),
    });
    response.once("close", stop);
  }

  #metadata(request: IncomingMessage): string | null {
    return this.ports.signInMetadata?.(toPath(request)) ?? null;
  }

  async #post(view: CatalogView, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers } = request;
    if (!isJsonContentType(headers["content-type"])) {
      return rejectRequest(response, 415, "The body must be JSON, with content-type: application/json");
    }
    const { accept = "*/*" } = headers;
    const streams = accept.includes("text/event-stream") || accept.includes("*/*");
    if (!streams && !accept.includes("application/json")) {
      return rejectRequest(response, 406, "The client must accept application/json or text/event-stream");
    }
    const body = await readRequestBody(request, this.#limits.maxBodyBytes);
    if ("broken" in body) return;
    if ("tooLarge" in body) {
      const message = `The request is larger than ${this.#limits.maxBodyBytes} bytes`;
      response.once("finish", () => request.destroy());
      return rejectRequest(response, 413, message, { headers: { connection: "close" } });
    }
    if (this.ports.forwarding?.hasSignedBody(request, body.text) === false) return rejectRequest(response, 403, FORGED);
    const owners = this.#owners;
    if (owners !== null && (await owners.takeSession({ request, response, body: body.text }))) return;
    const message = body.text.length > INLINE_CHARS ? await parseLongBody(body.text) : parseBody(body.text);
    if (isTooDeepError(message)) {
      return rejectRequest(response, 400, TOO_DEEP, { code: -32_600, id: findLeadingId(body.text) });
    }
    if (message instanceof Error) {
      return rejectRequest(response, 400, `Parse error: ${describeParseError(message)}`, { code: -32_700 });
    }
    if (isTooDeep(message)) {
      return rejectRequest(response, 400, TOO_DEEP, { code: -32_600, id: getScalarId(message) });
    }
    removeOptionalNulls(message);
    // Each of Toolroom's own tools checks the right that its operation takes.
    const permission = runsSomething(message) && !view.servesAgents ? "run" : "read";
    const denial = explainDenial(view.principal, permission);
    if (denial !== null) {
      const action = permission === "run" ? "executions.run" : "tools.list";
      await this.ports.onDenied?.({ by: view.principal, action, error: denial });
      const challenge = denialChallenge(view.principal, permission, this.#metadata(request));
      return rejectRequest(response, 403, denial, { headers: challengeHeader(challenge), id: getScalarId(message) });
    }
    const mayFail = permission === "run" && view.query.cassette !== undefined;
    if (mayFail && (await injectFault(this.ports, view, message, request, response))) return;
    if (owners !== null && (await owners.takeStateless(message, { request, response, body: body.text }))) return;
    if (isPlainObject(message) && message.method === "subscriptions/listen") this.#watchAccess(view, request, response);
    keepArgumentTexts(body.text, message);
    keepAnswerTexts(body.text, message);
    this.ports.telemetry?.receive(message, request, response);
    return await this.#dispatch.post({ view, message, request, response, streams });
  }

  #onToolsChanged(): void {
    for (const view of this.#openViews()) view.invalidate();
    this.#changed ??= setTimeout(() => {
      this.#changed = undefined;
      this.#dispatch.tellOfChange(new Set([...this.#openViews()].filter((view) => view.takeChange())));
    }, this.#limits.changeDebounceMs);
  }

  #openViews(): Set<CatalogView> {
    return new Set([...this.#views.all(), ...[...this.#dispatch.sessions.all()].map(({ view }) => view)]);
  }
}

/** The whole catalog as one MCP server, for `node:http`. */
export const createGateway = (ports: GatewayPorts): Gateway => new HttpGateway(ports);

const FORGED = "toolroom-forwarded is a header of Toolroom's own: leave it out";

const MISDIRECTED = "This request is for another process of Toolroom";

const toPath = ({ url = "" }: IncomingMessage): string => url.split("?", 1)[0] ?? "";

/** Requests that reach a server, beside those for its lists. */
const RUNNING = new Set(["tools/call", "resources/read", "resources/subscribe", "prompts/get", "completion/complete"]);

function runsSomething(message: unknown): boolean {
  const messages: unknown[] = Array.isArray(message) ? message : [message];
  return messages.some((one) => isPlainObject(one) && RUNNING.has(String(one.method)));
}

/** The SDK checks a message by recursion, which overflows the stack of what is nested much deeper. */
const MAX_MESSAGE_LEVELS = 200;
const TOO_DEEP = `Invalid request: the message is nested deeper than ${MAX_MESSAGE_LEVELS} levels`;

/** The arguments of a call aside: the executor bounds those itself, and records the call it refuses. */
function isTooDeep(message: unknown): boolean {
  const params = isPlainObject(message) && isPlainObject(message.params) ? message.params : null;
  if (!isPlainObject(message) || params === null || !isPlainObject(params.arguments)) {
    return isNestedDeeperThan(message, MAX_MESSAGE_LEVELS);
  }
  const { arguments: _arguments, ...others } = params;
  return isNestedDeeperThan({ ...message, params: others }, MAX_MESSAGE_LEVELS);
}

/** The id of a message that begins with it, as clients write it; of a message that is too deep, only the id is read. */
const LEADING_ID = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,200}")\s*,/;

function findLeadingId(text: string): string | number | null {
  const [, id] = LEADING_ID.exec(text.slice(0, 400)) ?? [];
  return id === undefined ? null : (JSON.parse(id) as string | number);
}

function getScalarId(message: unknown): string | number | null {
  const id = isPlainObject(message) ? message.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** An error where the text cannot be read. */
function parseBody(text: string): unknown {
  try {
    assertWithinLimits(text);
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

function parseLongBody(text: string): Promise<unknown> {
  return parseJsonInSlices(text).catch((error: unknown) => error);
}

const describeParseError = (error: Error): string => (isBeyondLimits(error) ? error.message : "the body is not JSON");

type RequestBody = { text: string } | { tooLarge: true } | { broken: true };

/** A request's body as text, never more of it than `maxBytes`. */
function readRequestBody(request: IncomingMessage, maxBytes: number): Promise<RequestBody> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve({ tooLarge: true });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let received = 0;
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received <= maxBytes) chunks.push(chunk);
      else resolve({ tooLarge: true });
    });
    request.once("end", () => {
      const text = (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString() ?? "";
      // The request holds its listeners, and so the bytes, until it is answered.
      chunks.length = 0;
      resolve({ text });
    });
    request.once("error", () => resolve({ broken: true }));
    // A connection that is cut half-way ends without an error of its own.
    request.once("close", () => resolve({ broken: true }));
  });
}
