import { createHash, randomBytes, randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import type { OAuthClientProvider, OAuthDiscoveryState, StoredOAuthTokens } from "@modelcontextprotocol/client";
import type { Role } from "../../lib/contract/access";
import { placeEmptyDatabase } from "../platform/db/database.test-support";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";

const PASSWORD = "correct horse battery";

/** A server with accounts on loopback: the gateway, `/api/auth/*` and `/.well-known/*`, without pages. */
export async function startAuthorizingServer(more: Record<string, string> = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-oauth-"));
  let container: Container | null = null;
  const server = createServer((request, response) => {
    if (container === null) return void response.writeHead(503).end();
    if (request.url?.startsWith("/mcp")) return void container.gateway.handle(request, response);
    void answer(container, request).then(async (found) => {
      const cookies = found.headers.getSetCookie();
      const headers = {
        ...Object.fromEntries(found.headers),
        ...(cookies.length > 0 ? { "set-cookie": cookies } : {}),
      };
      response.writeHead(found.status, headers).end(Buffer.from(await found.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await placeEmptyDatabase(path.join(folder, "test.db"));
  const opened = await createContainer(
    readEnv({
      DATABASE_URL: `file:${path.join(folder, "test.db")}`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
      TOOLROOM_SHUTDOWN_GRACE_MS: "50",
      TOOLROOM_AUTH: "on",
      TOOLROOM_PUBLIC_URL: url,
      ...more,
    }),
  );
  container = opened;
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await opened.close();
    await rm(folder, { recursive: true, force: true });
  }
  return { url, container: opened, browser: () => new TestBrowser(url, opened), close };
}

/** The library counts requests by address: each has another one, except those of a test that is about that. */
const PEER_HEADER = "x-test-peer";
const anyPeer = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

async function answer(container: Container, request: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { host = "", ...others } = request.headers;
  const peer = (others[PEER_HEADER] as string | undefined) ?? anyPeer();
  const headers = new Headers({ ...(others as Record<string, string>), "x-toolroom-peer": peer });
  const body = Buffer.concat(chunks);
  const init = { method: request.method ?? "GET", headers, ...(body.length > 0 ? { body } : {}) };
  const whole = new Request(`http://${host}${request.url}`, init);
  if (!request.url?.startsWith("/.well-known/")) {
    return (await container.signInRequests?.(whole)) ?? new Response(null, { status: 404 });
  }
  const found = await container.clientMetadata?.describe(request.url.split("?", 1)[0] ?? "");
  return found === null || found === undefined ? new Response(null, { status: 404 }) : Response.json(found);
}

/** A user's browser: cookies, redirects, sign-in and consent. */
export class TestBrowser {
  #cookie = "";

  constructor(
    private readonly origin: string,
    private readonly container: Container,
  ) {}

  get headers(): Headers {
    return new Headers({ cookie: this.#cookie });
  }

  async post(path: string, body: object): Promise<Response> {
    const headers = { "content-type": "application/json", origin: this.origin, cookie: this.#cookie };
    const response = await fetch(`${this.origin}/api/auth/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const set = response.headers.getSetCookie().map((each) => each.split(";")[0]);
    if (set.length > 0) this.#cookie = set.join("; ");
    return response;
  }

  /** Creates the first account, an admin. */
  async setUp(): Promise<void> {
    const token = (await this.container.setupPath())?.split("#")[1];
    await this.#join(token ?? "", "ada@example.org", "Ada");
  }

  /** Joins by an admin's invitation. */
  async join(admin: TestBrowser, role: Role, email = "bob@example.org"): Promise<void> {
    const { services } = this.container;
    const token = await services.people.invite(await admin.principal(), { role, email: null, validDays: 1 });
    await this.#join(token, email, "Bob");
  }

  async #join(token: string, email: string, name: string): Promise<void> {
    await this.post("link/use", { token, email, name, password: PASSWORD });
    await this.signIn(email);
  }

  signIn(email: string): Promise<Response> {
    return this.post("sign-in/email", { email, password: PASSWORD });
  }

  async principal() {
    const found = await this.container.access.authenticate(this.headers);
    if (found === null) throw new Error("nobody is signed in");
    return found;
  }

  /** Where the address leads to, without going there. */
  async open(url: URL | string): Promise<URL> {
    const response = await fetch(url, { redirect: "manual", headers: { cookie: this.#cookie } });
    return new URL(response.headers.get("location") ?? `about:${response.status}`, this.origin);
  }

  /** The query of the consent page. */
  async askConsent(url: URL | string): Promise<URLSearchParams> {
    const page = await this.open(url);
    if (page.pathname !== "/oauth/consent") throw new Error(`not asked for consent, but led to ${page}`);
    return page.searchParams;
  }

  /** Decides on the consent page. @returns where the client receives the answer */
  async decide(query: URLSearchParams, accept: boolean, scopes?: string[]): Promise<URL> {
    const response = await this.post("oauth2/consent", { accept, oauth_query: query.toString(), scopes });
    const { url } = (await response.json()) as { url?: string };
    if (url === undefined) throw new Error(`refused with ${response.status}`);
    return new URL(url);
  }
}

/** An MCP client's memory, as the SDK asks for it. */
export class ClientMemory implements OAuthClientProvider {
  readonly redirectUrl = "http://127.0.0.1:45999/callback";
  authorizationUrl: URL | null = null;
  client: ReturnType<OAuthClientProvider["clientInformation"]>;
  stored: StoredOAuthTokens | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = "";

  constructor(private readonly wanted: { scope?: string } = {}) {}

  get clientMetadata() {
    const grants = ["authorization_code", "refresh_token"];
    return { client_name: "Test client", redirect_uris: [this.redirectUrl], grant_types: grants, ...this.wanted };
  }
  clientInformation() {
    return this.client;
  }
  saveClientInformation(client: never): void {
    this.client = client;
  }
  tokens() {
    return this.stored;
  }
  saveTokens(tokens: StoredOAuthTokens): void {
    this.stored = tokens;
  }
  invalidateCredentials(): void {
    this.stored = undefined;
  }
  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url;
  }
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }
  discoveryState() {
    return this.#discovered;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
}

export const REDIRECT = "http://127.0.0.1:45998/callback";

/** A client that sends requests by hand, so that each part of one can be wrong. */
export class RawClient {
  id = "";
  readonly #verifier = randomBytes(32).toString("base64url");

  constructor(private readonly origin: string) {}

  async register(metadata: object = {}, peer: string | null = null): Promise<Response> {
    const body = JSON.stringify({ client_name: "Raw", redirect_uris: [REDIRECT], ...metadata });
    const headers = { "content-type": "application/json", ...(peer === null ? {} : { [PEER_HEADER]: peer }) };
    const response = await fetch(`${this.origin}/api/auth/oauth2/register`, { method: "POST", headers, body });
    this.id = ((await response.clone().json()) as { client_id?: string }).client_id ?? "";
    return response;
  }

  /** @param changes of the query; null leaves a parameter out */
  authorizeUrl(changes: Record<string, string | null> = {}): string {
    const query = new URLSearchParams();
    const parameters = {
      response_type: "code",
      client_id: this.id,
      redirect_uri: REDIRECT,
      scope: "mcp:read mcp:run offline_access",
      state: "a-state",
      code_challenge: createHash("sha256").update(this.#verifier).digest("base64url"),
      code_challenge_method: "S256",
      resource: `${this.origin}/mcp`,
      ...changes,
    };
    for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value);
    return `${this.origin}/api/auth/oauth2/authorize?${query}`;
  }

  async requestToken(fields: Record<string, string>): Promise<{ status: number; body: TokenAnswer }> {
    const body = new URLSearchParams({ client_id: this.id, ...fields });
    const response = await fetch(`${this.origin}/api/auth/oauth2/token`, { method: "POST", body });
    return { status: response.status, body: (await response.json()) as TokenAnswer };
  }

  redeem(code: string, more: Record<string, string> = {}): Promise<{ status: number; body: TokenAnswer }> {
    const fields = { grant_type: "authorization_code", code, redirect_uri: REDIRECT, code_verifier: this.#verifier };
    return this.requestToken({ ...fields, ...more });
  }

  refresh(token: string, more: Record<string, string> = {}): Promise<{ status: number; body: TokenAnswer }> {
    return this.requestToken({ grant_type: "refresh_token", refresh_token: token, ...more });
  }

  /** The whole sign-in of a user who accepts. */
  async signIn(browser: TestBrowser, changes: Record<string, string | null> = {}, scopes?: string[]) {
    if (this.id === "") await this.register();
    const back = await browser.decide(await browser.askConsent(this.authorizeUrl(changes)), true, scopes);
    const { body } = await this.redeem(back.searchParams.get("code") ?? "");
    return body;
  }
}

interface TokenAnswer {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  error?: string;
}
