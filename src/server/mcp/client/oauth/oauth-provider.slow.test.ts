import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startOAuthServer } from "../../../../../e2e/support/mcp-servers/oauth-server.mjs";
import type { ServerAuth } from "../../../../lib/contract/server";
import type { CredentialStore } from "../../../engine/mcp-ports";
import { describeOwnClient, type OwnClientDocument } from "./oauth-client-settings";
import { createOAuthProvider, type ServerOAuthProvider } from "./oauth-provider";

const CALLBACK = "http://127.0.0.1:3999/oauth/callback";
const OTHER_CALLBACK = "http://localhost:3999/oauth/callback";
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type TestServer = Awaited<ReturnType<typeof startOAuthServer>>;

async function start(behaviour: Parameters<typeof startOAuthServer>[0] = {}): Promise<TestServer> {
  const server = await startOAuthServer(behaviour);
  cleanups.push(() => server.close());
  return server;
}

/** A store that keeps text, as a database does. */
function memoryStore(): CredentialStore & { text(): string | null } {
  const texts = new Map<string, string>();
  return {
    read: async (server) => texts.get(server) ?? null,
    write: async (server, text) => void (text === null ? texts.delete(server) : texts.set(server, text)),
    text: () => texts.get("files") ?? null,
  };
}

/** One life of the process: a provider, and what a user at the console does with it. */
function life(
  server: TestServer,
  credentials: CredentialStore,
  auth: ServerAuth = { type: "oauth" },
  variables = {},
  clientDocument?: OwnClientDocument,
) {
  let redirectUrl: string | null = null;
  const at = { now: Date.now() };
  const provider = createOAuthProvider({
    server: "files",
    auth,
    url: server.url,
    credentials,
    redirectUrl: () => redirectUrl,
    variables,
    clientDocument,
    clock: { now: () => at.now },
  });
  const transport = (): StreamableHTTPClientTransport =>
    new StreamableHTTPClientTransport(new URL(server.url), {
      authProvider: provider,
      fetch: provider.shareRefreshes(fetch),
    });
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport());
    cleanups.push(() => client.close());
    return client;
  };
  const whoami = async (client: Client): Promise<{ client: string; scope: string }> => {
    const { content } = await client.callTool({ name: "whoami" });
    return JSON.parse((content as { text: string }[])[0]?.text ?? "null");
  };
  /** Begins a sign-in; the address that the user must open. */
  const begin = async (from = CALLBACK): Promise<URL> => {
    redirectUrl = from;
    await expect(connect()).rejects.toThrow(UnauthorizedError);
    redirectUrl = null;
    return new URL(provider.pendingUrl() ?? "");
  };
  return { provider, transport, connect, whoami, begin, at };
}

/** Opens the page as the user's browser does and follows the redirect back, up to its address. */
async function visit(authorizationUrl: URL): Promise<URLSearchParams> {
  const response = await fetch(authorizationUrl, { redirect: "manual" });
  expect(response.status, await response.text()).toBe(302);
  return new URL(response.headers.get("location") ?? "").searchParams;
}

async function finish(
  { provider, transport }: { provider: ServerOAuthProvider; transport(): StreamableHTTPClientTransport },
  params: URLSearchParams,
): Promise<void> {
  expect(await provider.stateMatches(params.get("state"))).toBe(true);
  await transport().finishAuth(params);
}

const grants = (server: TestServer): (string | null)[] =>
  server.authorization.log.filter(({ path }) => path === "/token").map(({ grant, status }) => `${grant} ${status}`);
const registrations = (server: TestServer): number => server.authorization.registered.size;

describe("authorization code", () => {
  it("signs in, connects and calls; the next life of the process needs no user", async () => {
    const server = await start();
    const credentials = memoryStore();
    const first = life(server, credentials, { type: "oauth", scope: "tools extra" });
    expect(await first.provider.signedIn()).toBe(false);
    const page = await first.begin();
    expect(page.searchParams.get("redirect_uri")).toBe(CALLBACK);
    expect(page.searchParams.get("scope")).toBe("tools extra");
    expect(page.searchParams.get("code_challenge_method")).toBe("S256");
    await finish(first, await visit(page));
    expect(first.provider.pendingUrl()).toBeNull();
    expect(await first.provider.signedIn()).toBe(true);
    expect(await first.whoami(await first.connect())).toMatchObject({ scope: "tools extra" });

    const second = life(server, credentials, { type: "oauth", scope: "tools extra" });
    expect(await second.whoami(await second.connect())).toMatchObject({ scope: "tools extra" });
    expect(grants(server)).toEqual(["authorization_code 200"]);
    expect(registrations(server)).toBe(1);
  });

  it("finishes a sign-in whose callback arrives after a restart", async () => {
    const server = await start();
    const credentials = memoryStore();
    const params = await visit(await life(server, credentials).begin());
    const after = life(server, credentials);
    await finish(after, params);
    expect(await after.whoami(await after.connect())).toMatchObject({ scope: "tools" });
  });

  it("says in the background that a user is needed, and registers nothing and begins nothing", async () => {
    const server = await start();
    const credentials = memoryStore();
    const { connect, provider } = life(server, credentials);
    await expect(connect()).rejects.toThrow(/requires a sign-in/);
    await expect(connect()).rejects.toThrow(UnauthorizedError);
    expect(registrations(server)).toBe(0);
    expect(provider.pendingUrl()).toBeNull();
    expect(await provider.signedIn()).toBe(false);
  });

  it("keeps a sign-in that is under way through attempts in the background and through a second tab", async () => {
    const server = await start();
    const credentials = memoryStore();
    const one = life(server, credentials);
    const firstTab = await one.begin();
    await expect(one.connect()).rejects.toThrow(UnauthorizedError);
    const secondTab = await one.begin();
    await expect(life(server, credentials).connect()).rejects.toThrow(UnauthorizedError);
    expect(secondTab.searchParams.get("state")).not.toBe(firstTab.searchParams.get("state"));
    await finish(one, await visit(firstTab));
    expect(await one.provider.signedIn()).toBe(true);
    expect(registrations(server)).toBe(1);
  });

  it("registers again when the console is opened under another address", async () => {
    const server = await start();
    const credentials = memoryStore();
    const one = life(server, credentials);
    await one.begin(CALLBACK);
    await finish(one, await visit(await one.begin(OTHER_CALLBACK)));
    expect(await one.provider.signedIn()).toBe(true);
    expect(registrations(server)).toBe(2);
  });

  it("uses a client of the settings, its variables filled in, and registers none", async () => {
    const server = await start({ clients: [{ client_id: "desk", client_secret: "open sesame" }] });
    const auth: ServerAuth = { type: "oauth", clientId: `\${CLIENT}`, clientSecret: `\${SECRET}` };
    const credentials = memoryStore();
    const one = life(server, credentials, auth, { CLIENT: "desk", SECRET: "open sesame" });
    await finish(one, await visit(await one.begin()));
    expect(await one.whoami(await one.connect())).toMatchObject({ client: "desk" });
    expect(registrations(server)).toBe(0);
    expect(credentials.text()).not.toContain("open sesame");

    const without = life(server, memoryStore(), auth, { CLIENT: "desk" });
    await expect(without.connect()).rejects.toThrow("The OAuth client secret needs the environment variable SECRET");
  });

  it("takes no callback with a wrong, an old or a used state", async () => {
    const server = await start();
    const one = life(server, memoryStore());
    const params = await visit(await one.begin());
    for (const wrong of [null, "", "wrong", `${params.get("state")}x`]) {
      expect(await one.provider.stateMatches(wrong)).toBe(false);
    }
    await expect(one.transport().finishAuth(params)).rejects.toThrow(/is unknown, has expired/);
    one.at.now += 2 * 3_600_000;
    expect(await one.provider.stateMatches(params.get("state"))).toBe(false);
    one.at.now -= 2 * 3_600_000;
    await finish(one, params);
    expect(await one.provider.stateMatches(params.get("state"))).toBe(false);
  });

  it("redeems no code that came back in another authorization server's name", async () => {
    const server = await start({ callbackIssuer: "https://evil.example" });
    const one = life(server, memoryStore());
    await expect(finish(one, await visit(await one.begin()))).rejects.toThrow(/issuer/i);
    expect(grants(server)).toEqual([]);
  });

  it("begins no sign-in with an authorization server whose metadata names another issuer", async () => {
    const server = await start({ metadataIssuer: "https://evil.example" });
    const one = life(server, memoryStore());
    await expect(one.connect()).rejects.toThrow(/issuer/i);
    expect(registrations(server)).toBe(0);
  });

  it("tells that the user refused, and lets them try again", async () => {
    const server = await start({ denyConsent: true });
    const one = life(server, memoryStore());
    await expect(finish(one, await visit(await one.begin()))).rejects.toThrow("The person said no");
    expect(await one.provider.signedIn()).toBe(false);
    // A refusal must not make the background take itself for a user.
    await expect(one.connect()).rejects.toThrow(UnauthorizedError);
    server.behaviour.denyConsent = false;
    await finish(one, await visit(await one.begin()));
    expect(await one.provider.signedIn()).toBe(true);
  });

  it("sends credentials to no other address than the one they were got for", async () => {
    const server = await start();
    const impostor = await start();
    const credentials = memoryStore();
    const one = life(server, credentials);
    await finish(one, await visit(await one.begin()));
    const moved = life(impostor, credentials);
    expect(await moved.provider.signedIn()).toBe(false);
    await expect(moved.connect()).rejects.toThrow(UnauthorizedError);
    expect(await moved.provider.tokens()).toBeUndefined();
  });

  it("opens no address that is no web page", async () => {
    const server = await start();
    const one = createOAuthProvider({
      server: "files",
      auth: { type: "oauth" },
      credentials: memoryStore(),
      redirectUrl: () => CALLBACK,
      variables: {},
    });
    await expect(async () => one.redirectToAuthorization(new URL("javascript:alert(1)"))).rejects.toThrow(
      /not a web address/,
    );
    expect(one.pendingUrl()).toBeNull();
    expect(server.url).toContain("127.0.0.1");
  });

  it("signs out", async () => {
    const server = await start();
    const credentials = memoryStore();
    const one = life(server, credentials);
    await finish(one, await visit(await one.begin()));
    await one.provider.clear();
    expect(credentials.text()).toBeNull();
    expect(await one.provider.signedIn()).toBe(false);
    await expect(one.connect()).rejects.toThrow(UnauthorizedError);
  });
});

describe("a document in place of a registration", () => {
  const document = { url: "https://tools.example.org/oauth/client-metadata.json", redirectUrl: CALLBACK };
  const supported = { client_id_metadata_document_supported: true };
  const begin = async (metadata: Record<string, unknown>, from = CALLBACK) => {
    const server = await start({ metadata, clients: [{ client_id: document.url }] });
    const one = life(server, memoryStore(), { type: "oauth" }, {}, document);
    return { server, one, page: await one.begin(from) };
  };

  it("is the client id where the authorization server takes documents, registers nothing, and is renewed with", async () => {
    const { server, one, page } = await begin({ ...supported, registration_endpoint: undefined });
    expect(page.searchParams.get("client_id")).toBe(document.url);
    await finish(one, await visit(page));
    expect(await one.whoami(await one.connect())).toMatchObject({ client: document.url });
    one.at.now += 3_600_000;
    for (const grant of server.authorization.access.values()) grant.expiresAt = 0;
    expect(await one.whoami(await one.connect())).toMatchObject({ client: document.url });
    expect(grants(server)).toEqual(["authorization_code 200", "refresh_token 200"]);
    expect(registrations(server)).toBe(0);
    expect(describeOwnClient(document)).toMatchObject({ client_id: document.url, redirect_uris: [CALLBACK] });
  });

  it("is not used at an authorization server that takes none, nor at an address of the console that it does not name", async () => {
    const none = await begin({});
    expect(none.page.searchParams.get("client_id")).toMatch(/^client-/);
    const elsewhere = await begin(supported, OTHER_CALLBACK);
    expect(elsewhere.page.searchParams.get("client_id")).toMatch(/^client-/);
  });
});

describe("renewal", () => {
  async function signedIn(behaviour: Parameters<typeof startOAuthServer>[0] = {}) {
    const server = await start(behaviour);
    const credentials = memoryStore();
    const one = life(server, credentials);
    await finish(one, await visit(await one.begin()));
    return { server, credentials, one };
  }

  it("happens in the background, also in the middle of a connection", async () => {
    const { server, one } = await signedIn();
    const client = await one.connect();
    server.authorization.expireAccess();
    expect(await one.whoami(client)).toMatchObject({ scope: "tools" });
    expect(grants(server)).toEqual(["authorization_code 200", "refresh_token 200"]);
  });

  it("sends a refresh token once, however many calls find their token expired", async () => {
    const { server, one, credentials } = await signedIn();
    const client = await one.connect();
    const second = await life(server, credentials).connect();
    server.authorization.expireAccess();
    const clients = [client, second, client, second, client, second];
    const answers = await Promise.all(clients.map((each) => one.whoami(each)));
    expect(answers).toHaveLength(6);
    expect(grants(server).filter((grant) => grant?.startsWith("refresh"))).not.toContain("refresh_token 400");
    server.authorization.expireAccess();
    expect(await one.whoami(client)).toMatchObject({ scope: "tools" });
  });

  it("asks for a user once the refresh token is revoked", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { server, one, credentials } = await signedIn();
    server.authorization.revokeAll();
    await expect(one.connect()).rejects.toThrow(UnauthorizedError);
    expect(await one.provider.signedIn()).toBe(false);
    expect(credentials.text()).not.toContain("access_token");
    await finish(one, await visit(await one.begin()));
    expect(await one.whoami(await one.connect())).toMatchObject({ scope: "tools" });
    expect(registrations(server)).toBe(1);
  });

  it("keeps the sign-in while the authorization server is out of order", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { server, one } = await signedIn();
    server.authorization.expireAccess();
    server.behaviour.tokenStatus = 503;
    const failure = await one.connect().catch((error: unknown) => error);
    expect(failure).not.toBeInstanceOf(UnauthorizedError);
    expect(String(failure)).toContain("could not be renewed");
    expect(await one.provider.signedIn()).toBe(true);
    server.behaviour.tokenStatus = 200;
    expect(await one.whoami(await one.connect())).toMatchObject({ scope: "tools" });
  });

  it("tells a token that ran out from one that can be renewed", async () => {
    const { one, credentials } = await signedIn();
    one.at.now += 2 * 3_600_000;
    expect(await one.provider.signedIn()).toBe(true);
    const stored = JSON.parse(credentials.text() ?? "");
    delete stored.tokens.refresh_token;
    await credentials.write("files", JSON.stringify(stored));
    expect(await one.provider.signedIn()).toBe(false);
    await credentials.write("files", "not JSON");
    expect(await one.provider.signedIn()).toBe(false);
  });
});

describe("client credentials", () => {
  const auth: ServerAuth = {
    type: "client_credentials",
    clientId: "robot",
    clientSecret: `\${SECRET}`,
    scope: "tools",
  };
  const clients = [{ client_id: "robot", client_secret: "s3cret" }];

  it("signs in without a user, renews, and survives a restart", async () => {
    const server = await start({ clients });
    const credentials = memoryStore();
    const one = life(server, credentials, auth, { SECRET: "s3cret" });
    const client = await one.connect();
    expect(await one.whoami(client)).toMatchObject({ client: "robot", scope: "tools" });
    expect(await one.provider.signedIn()).toBe(true);
    server.authorization.expireAccess();
    expect(await one.whoami(client)).toMatchObject({ client: "robot" });
    const again = life(server, credentials, auth, { SECRET: "s3cret" });
    expect(await again.whoami(await again.connect())).toMatchObject({ client: "robot" });
    expect(grants(server)).toEqual(["client_credentials 200", "client_credentials 200"]);
    expect(registrations(server)).toBe(0);
    expect(credentials.text()).not.toContain("s3cret");
  });

  it("says what is wrong with the secret", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const server = await start({ clients });
    await expect(life(server, memoryStore(), auth, { SECRET: "wrong" }).connect()).rejects.toThrow("invalid_client");
    await expect(life(server, memoryStore(), auth).connect()).rejects.toThrow(/client secret needs .* SECRET/);
    await expect(life(server, memoryStore(), { ...auth, clientSecret: null }).connect()).rejects.toThrow(/not set/);
  });

  it("sends the secret to no other authorization server than the first", async () => {
    const server = await start({ clients });
    const other = await start({ clients });
    const credentials = memoryStore();
    const one = life(server, credentials, auth, { SECRET: "s3cret" });
    const client = await one.connect();
    server.authorization.expireAccess();
    // The MCP server is taken over and names an authorization server of its own.
    server.authorization.issuer = other.issuer;
    await expect(one.whoami(client)).rejects.toThrow(/formerly/);
    expect(grants(other)).toEqual([]);
  });
});
