import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { callAs } from "./api/call-as";
import {
  ClientMemory,
  RawClient,
  REDIRECT,
  startAuthorizingServer,
  type TestBrowser,
} from "./connected-client.test-support";

let server: Awaited<ReturnType<typeof startAuthorizingServer>>;
/** An admin, signed in. */
let ada: TestBrowser;
beforeAll(async () => {
  server = await startAuthorizingServer();
  ada = server.browser();
  await ada.setUp();
});
afterAll(() => server.close());

function transportTo(url: string, memory: ClientMemory): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), { authProvider: memory });
}

async function connect(url: string, memory: ClientMemory): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transportTo(url, memory));
  return client;
}

/** Signs in as a user would who is sent to the console by a client. */
async function allow(url: string, memory: ClientMemory, user: TestBrowser, scopes?: string[]): Promise<void> {
  const query = await user.askConsent(memory.authorizationUrl ?? "");
  const back = await user.decide(query, true, scopes);
  await transportTo(url, memory).finishAuth(back.searchParams);
}

const SUM = { name: "calculator", arguments: { expression: "2 + 2" } };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** One request of the stateless protocol. */
function send(url: string, token: string | null, method = "tools/list", params: object = {}): Promise<Response> {
  const name = (params as { name?: string }).name;
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": name }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { _meta: META, ...params } }),
  });
}
const readChallenge = (response: Response): string => response.headers.get("www-authenticate") ?? "";

describe("an MCP client", () => {
  it("finds out how to sign in, is allowed by a user, and calls tools in that user's name until it is disconnected", async () => {
    const { url, container } = server;
    const memory = new ClientMemory();
    await expect(connect(`${url}/mcp`, memory)).rejects.toThrow("Unauthorized");

    // A user who is not signed in comes back to the client's request afterwards.
    const page = await server.browser().open(memory.authorizationUrl ?? "");
    expect(page.pathname).toBe("/sign-in");
    const back = `${url}${page.searchParams.get("to")}`;
    expect(await container.clientMetadata?.readConsent(String(await ada.askConsent(back)), "nobody")).toEqual({
      clientName: "Test client",
      document: null,
      host: "127.0.0.1:45999",
      loopback: true,
      scheme: null,
      redirect: "http://127.0.0.1:45999/callback",
      server: null,
      scopes: ["mcp:read", "mcp:run"],
      before: null,
    });
    await allow(`${url}/mcp`, memory, ada);

    const client = await connect(`${url}/mcp`, memory);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("calculator");
    expect(await client.callTool(SUM)).toMatchObject({ content: [{ text: expect.stringContaining("4") }] });
    const [execution] = (await container.services.executions.list({}, undefined, 1)).items;
    expect(execution).toMatchObject({ actor: { name: "Ada" }, source: "gateway" });

    const user = await ada.principal();
    const connected = (await container.services.account.clients(user)).find(({ name }) => name === "Test client");
    expect(connected).toMatchObject({ name: "Test client", hosts: ["127.0.0.1"], scopes: ["read", "run"] });
    await callAs(container, user).account.revokeClient({ id: connected?.id ?? "" });
    expect(await container.services.account.clients(user)).not.toContainEqual(
      expect.objectContaining({ id: connected?.id }),
    );
    const refused = await send(`${url}/mcp`, memory.stored?.access_token ?? "");
    expect([refused.status, readChallenge(refused)]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    const { items } = await container.services.auditLog.list(user, {}, undefined, 50);
    expect(items.filter(({ target }) => target?.name === "Test client").map(({ action }) => action)).toEqual([
      "account.revokeClient",
      "client.allowed",
    ]);
    // Its refresh token ended too: it would have to ask the user again.
    memory.authorizationUrl = null;
    await expect(client.callTool(SUM)).rejects.toThrow();
    expect(memory.authorizationUrl).not.toBeNull();
    await client.close();
  });

  it("that was allowed to read only asks again when it wants to run a tool", async () => {
    const { url } = server;
    const memory = new ClientMemory();
    await expect(connect(`${url}/mcp`, memory)).rejects.toThrow("Unauthorized");
    await allow(`${url}/mcp`, memory, ada, ["mcp:read"]);
    const client = await connect(`${url}/mcp`, memory);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    memory.authorizationUrl = null;
    await expect(client.callTool(SUM)).rejects.toThrow();
    expect((memory.authorizationUrl as URL | null)?.searchParams.get("scope")).toContain("mcp:run");
    await allow(`${url}/mcp`, memory, ada);
    expect(await client.callTool(SUM)).toMatchObject({ content: [{ text: expect.stringContaining("4") }] });
    await client.close();
  });

  it("gets no more than the user's role allows, now and at the time of consent", async () => {
    const { url, container, browser } = server;
    const bob = browser();
    const victor = browser();
    await victor.join(ada, "viewer", "victor@example.org");
    const reading = await new RawClient(url).signIn(victor);
    expect(reading.scope.split(" ").sort()).toEqual(["mcp:read", "offline_access"]);
    expect((await send(`${url}/mcp`, reading.access_token)).status).toBe(200);
    const denied = await send(`${url}/mcp`, reading.access_token, "tools/call", SUM);
    // Another sign-in would not help, so none is asked for.
    expect([denied.status, readChallenge(denied)]).toEqual([403, expect.not.stringContaining("insufficient_scope")]);

    await bob.join(ada, "operator");
    const running = await new RawClient(url).signIn(bob);
    expect((await send(`${url}/mcp`, running.access_token, "tools/call", SUM)).status).toBe(200);
    await container.services.people.setRole(await ada.principal(), (await bob.principal()).id, "viewer");
    expect((await send(`${url}/mcp`, running.access_token, "tools/call", SUM)).status).toBe(401);
  });

  it("is refused a new token once the user was switched off, removed, got another role or a new password", async () => {
    const { url, container, browser } = server;
    const bob = browser();
    await bob.join(ada, "operator", "bo@example.org");
    const admin = await ada.principal();
    const { id } = await bob.principal();
    const { people } = container.services;
    const client = new RawClient(url);
    const ends: [string, () => Promise<unknown>][] = [
      ["role", () => people.setRole(admin, id, "editor")],
      [
        "reset",
        async () => {
          const token = await people.createReset(admin, id);
          await bob.post("link/use", { token, password: "correct horse battery" });
          await bob.signIn("bo@example.org");
        },
      ],
      [
        "off",
        async () => {
          await people.setDisabled(admin, id, true);
          await people.setDisabled(admin, id, false);
          await bob.signIn("bo@example.org");
        },
      ],
      ["removed", () => people.remove(admin, id)],
    ];
    for (const [name, end] of ends) {
      const tokens = await client.signIn(bob);
      expect([name, (await send(`${url}/mcp`, tokens.access_token)).status]).toEqual([name, 200]);
      await end();
      expect([name, await client.refresh(tokens.refresh_token)]).toMatchObject([
        name,
        { status: 400, body: { error: "invalid_grant" } },
      ]);
      expect([name, (await send(`${url}/mcp`, tokens.access_token)).status]).toEqual([name, 401]);
    }
  });

  it("uses a token at the address that it is for, and nowhere else", async () => {
    const { url, container } = server;
    const admin = await ada.principal();
    for (const name of ["files", "other"]) {
      const settings = { name, transport: "http", url: "http://127.0.0.1:1/mcp" };
      await container.services.servers.create(admin, settings as never);
    }
    const { access_token: forOne } = await new RawClient(url).signIn(ada, { resource: `${url}/mcp/files` });
    const { access_token: forAll } = await new RawClient(url).signIn(ada);
    const statuses = async (token: string) =>
      Promise.all(["/mcp/files", "/mcp/other", "/mcp"].map(async (path) => (await send(url + path, token)).status));
    expect(await statuses(forOne)).toEqual([200, 401, 401]);
    expect(await statuses(forAll)).toEqual([200, 200, 200]);
    const headers = new Headers({ authorization: `Bearer ${forAll}` });
    await expect(container.access.authenticate(headers)).rejects.toThrow("for another address");
    await expect(container.access.authenticate(headers, "rest", "/api/v1/tools")).rejects.toThrow(
      "for another address",
    );
  });
});

describe("a client of SDK 1.x", () => {
  it("gets a refresh token without asking for offline_access, and keeps its access without a user after its token ended", async () => {
    const { url } = server;
    const memory = new ClientMemory();
    const open = async () => {
      const client = new OlderClient({ name: "older", version: "1" });
      await client.connect(new OlderTransport(new URL(`${url}/mcp`), { authProvider: memory as never }) as never);
      return client;
    };
    await expect(open()).rejects.toThrow("Unauthorized");
    expect(memory.authorizationUrl?.searchParams.get("scope")).toBe("mcp:read mcp:run");
    const back = await ada.decide(await ada.askConsent(memory.authorizationUrl ?? ""), true);
    const finishing = new OlderTransport(new URL(`${url}/mcp`), { authProvider: memory as never });
    await finishing.finishAuth(back.searchParams.get("code") ?? "");
    expect(memory.stored?.refresh_token).toMatch(/./);
    const client = await open();
    onTestFinished(() => client.close());
    const first = memory.stored?.access_token;
    memory.authorizationUrl = null;
    for (const round of [1, 2]) {
      memory.stored = { ...(memory.stored as NonNullable<typeof memory.stored>), access_token: `trc_ended${round}` };
      expect(await client.callTool(SUM)).toMatchObject({ content: [{ text: expect.stringContaining("4") }] });
    }
    expect(memory.stored?.access_token).not.toBe(first);
    expect(memory.authorizationUrl).toBeNull();
  });

  it("that narrows its scope when it refreshes keeps its refresh token", async () => {
    const client = new RawClient(server.url);
    let tokens = await client.signIn(ada, { scope: "mcp:read mcp:run" });
    for (let round = 0; round < 3; round += 1) {
      tokens = (await client.refresh(tokens.refresh_token, { scope: "mcp:read" })).body;
      expect([round, typeof tokens.refresh_token]).toEqual([round, "string"]);
    }
    expect((await send(`${server.url}/mcp`, tokens.access_token)).status).toBe(200);
  });

  it("that registered no refresh_token gets none", async () => {
    const client = new RawClient(server.url);
    await client.register({ grant_types: ["authorization_code"] });
    expect((await client.signIn(ada, { scope: "mcp:read mcp:run" })).refresh_token).toBeUndefined();
  });
});

describe("a user", () => {
  it("is asked again where the address of the answer, the scope or the server is new, and else sees the sign-in without being asked", async () => {
    const { url, container } = server;
    const redirects = [REDIRECT, "http://127.0.0.1:45997/callback"];
    const client = new RawClient(url);
    await client.register({ redirect_uris: redirects });
    const user = await ada.principal();
    const allowedBefore = async (changes: Record<string, string | null> = {}) => {
      const query = await ada.askConsent(client.authorizeUrl(changes));
      const before = (await container.services.account.consentRequest(user, String(query)))?.before;
      return before && Object.entries(before.changed).flatMap(([part, changed]) => (changed ? [part] : []));
    };
    expect(await allowedBefore({ scope: "mcp:read" })).toBeNull();
    await client.signIn(ada, { scope: "mcp:read" });
    expect(await allowedBefore({ scope: "mcp:read" })).toEqual([]);
    // Nothing but the user's decision on the page gives a code.
    expect(await allowedBefore({ scope: "mcp:read", prompt: "none" })).toEqual([]);
    expect(await allowedBefore()).toEqual(["scopes"]);
    expect(await allowedBefore({ scope: "mcp:read", redirect_uri: redirects[1] ?? "" })).toEqual(["address"]);
    // A native client may use any port, and another program may listen there.
    expect(await allowedBefore({ scope: "mcp:read", redirect_uri: "http://127.0.0.1:45111/callback" })).toEqual([
      "address",
    ]);
    await container.services.servers.create(user, {
      name: "asked",
      transport: "http",
      url: "http://127.0.0.1:1/mcp",
    } as never);
    expect(await allowedBefore({ scope: "mcp:read", resource: `${url}/mcp/asked` })).toEqual(["tools"]);
    const { items } = await container.services.auditLog.list(user, { action: ["client.allowed"] }, undefined, 1);
    expect(JSON.stringify(items[0])).toContain(REDIRECT);
  });
});

describe("the server", () => {
  it("ends the first access token at once when its code is used twice, also by two requests at the same time", async () => {
    const { url } = server;
    const client = new RawClient(url);
    await client.register();
    const newCode = async () =>
      (await ada.decide(await ada.askConsent(client.authorizeUrl()), true)).searchParams.get("code") ?? "";
    const code = await newCode();
    const { body } = await client.redeem(code);
    expect((await send(`${url}/mcp`, body.access_token)).status).toBe(200);
    expect((await client.redeem(code)).body.error).toBe("invalid_grant");
    expect((await send(`${url}/mcp`, body.access_token)).status).toBe(401);

    const second = await newCode();
    const answers = await Promise.all([client.redeem(second), client.redeem(second)]);
    const given = answers.flatMap(({ body: { access_token } }) => access_token ?? []);
    expect(given).toHaveLength(1);
    expect((await send(`${url}/mcp`, given[0] ?? "")).status).toBe(401);
  });

  it("ends an access token at once when its client revokes it", async () => {
    const { url } = server;
    const client = new RawClient(url);
    const { access_token: token } = await client.signIn(ada);
    expect((await send(`${url}/mcp`, token)).status).toBe(200);
    const body = new URLSearchParams({ client_id: client.id, token, token_type_hint: "access_token" });
    expect((await fetch(`${url}/api/auth/oauth2/revoke`, { method: "POST", body })).status).toBe(200);
    expect((await send(`${url}/mcp`, token)).status).toBe(401);
  });

  it("says at every address of the gateway how to sign in, and nothing anywhere else", async () => {
    const { url } = server;
    const metadata = `${url}/.well-known/oauth-protected-resource/mcp`;
    for (const method of ["POST", "GET", "DELETE"]) {
      const response = await fetch(`${url}/mcp`, { method });
      expect([method, response.status, readChallenge(response)]).toEqual([
        method,
        401,
        `Bearer realm="toolroom", scope="mcp:read mcp:run", resource_metadata="${metadata}"`,
      ]);
    }
    expect(readChallenge(await send(`${url}/mcp`, "trc_unknown"))).toContain('error="invalid_token"');
    expect(readChallenge(await fetch(`${url}/mcp/nope"%22`))).toContain(`resource_metadata="${metadata}"`);
    expect(await (await fetch(metadata)).json()).toMatchObject({
      resource: `${url}/mcp`,
      authorization_servers: [`${url}/api/auth`],
      scopes_supported: ["mcp:read", "mcp:run"],
    });
    const about = (await (await fetch(`${url}/.well-known/oauth-authorization-server/api/auth`)).json()) as object;
    expect(about).toMatchObject({
      issuer: `${url}/api/auth`,
      code_challenge_methods_supported: ["S256"],
      response_types_supported: ["code"],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ["none"],
    });
    for (const name of ["jwks_uri", "introspection_endpoint", "userinfo_endpoint"])
      expect(about).not.toHaveProperty(name);
    for (const path of [
      "oauth-protected-resource/mcp/nope",
      "openid-configuration",
      "oauth-authorization-server",
      "x",
    ]) {
      expect([path, (await fetch(`${url}/.well-known/${path}`)).status]).toEqual([path, 404]);
    }
  });

  it("says nothing of signing in where clients cannot", async () => {
    const { url, container, close } = await startAuthorizingServer({ TOOLROOM_OAUTH: "off" });
    onTestFinished(close);
    expect(container.clientMetadata).toBeNull();
    expect(readChallenge(await send(`${url}/mcp`, null))).toBe('Bearer realm="toolroom"');
    const paths = [".well-known/oauth-protected-resource/mcp", "api/auth/oauth2/authorize"];
    for (const path of paths) expect([path, (await fetch(`${url}/${path}`)).status]).toEqual([path, 404]);
  });

  it("refuses requests that a sound client does not send", async () => {
    const { url } = server;
    const client = new RawClient(url);
    // As clients of the 2025-11-25 protocol register: without application_type.
    expect((await client.register()).status).toBe(201);
    const readError = async (changes: Record<string, string | null>) => {
      const location = await ada.open(client.authorizeUrl(changes));
      const where = location.href.startsWith(REDIRECT) ? "client" : location.pathname;
      const answer = location.hash === "" ? location.searchParams : new URLSearchParams(location.hash.slice(1));
      return [where, answer.get("error")];
    };
    expect(await readError({ code_challenge: null })).toEqual(["client", "invalid_request"]);
    expect(await readError({ code_challenge_method: "plain" })).toEqual(["client", "invalid_request"]);
    expect(await readError({ resource: "https://elsewhere.example/mcp" })).toEqual(["client", "invalid_target"]);
    expect(await readError({ resource: `${url}/mcp/nope` })).toEqual(["client", "invalid_target"]);
    expect(await readError({ scope: "mcp:read admin" })).toEqual(["client", "invalid_scope"]);
    expect((await readError({ response_type: "token" }))[1]).toBe("unsupported_response_type");
    // Nothing goes to an address that no client registered.
    expect(await readError({ redirect_uri: `${REDIRECT}/other` })).toEqual(["/oauth/consent", "invalid_redirect"]);
    expect(await readError({ client_id: "unknown" })).toEqual(["/oauth/consent", "invalid_client"]);

    const query = await ada.askConsent(client.authorizeUrl());
    const forged = new URLSearchParams(query);
    forged.set("scope", "mcp:run");
    await expect(ada.decide(forged, true)).rejects.toThrow("400");
    await expect(server.browser().decide(query, true)).rejects.toThrow("401");
    await expect(ada.decide(query, true, [])).rejects.toThrow("400");
    expect((await ada.decide(query, false)).searchParams.get("error")).toBe("access_denied");

    const code = (await ada.decide(query, true)).searchParams.get("code") ?? "";
    const { body: tokens } = await client.redeem(code);
    expect(tokens.expires_in).toBeLessThanOrEqual(600);
    const elsewhere = await client.refresh(tokens.refresh_token, { resource: "https://elsewhere.example/mcp" });
    expect(elsewhere.body.error).toBe("invalid_target");
    expect((await client.redeem(code)).body.error).toBe("invalid_grant");
    // A code that is used twice was stolen: what it gave ends.
    expect((await client.refresh(tokens.refresh_token)).body.error).toBe("invalid_grant");
  });

  it("rotates refresh tokens, answers a repeated request alike for a moment, and takes them from their own client only", async () => {
    const { url } = server;
    const client = new RawClient(url);
    const first = await client.signIn(ada);
    const { body: second } = await client.refresh(first.refresh_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    // A client that lost the response gets the same one for a moment.
    expect((await client.refresh(first.refresh_token)).body.refresh_token).toBe(second.refresh_token);
    const other = new RawClient(url);
    await other.register();
    expect((await other.refresh(second.refresh_token)).body.error).toBe("invalid_grant");
    expect((await send(`${url}/mcp`, second.access_token)).status).toBe(200);
  });

  it("that is a desktop program registers with its own scheme, alone and beside others, and gets tokens with PKCE only", async () => {
    const { url, container } = server;
    const user = await ada.principal();
    for (const redirect of [
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "vscode://vscode.github-authentication/did-authenticate?windowId=_blank",
      "windsurf://codeium.windsurf/oauth/callback",
      "com.example.editor:/callback",
    ]) {
      for (const application_type of ["web", undefined]) {
        const uris = application_type === undefined ? ["https://claude.ai/cb", redirect, REDIRECT] : [redirect];
        const client = new RawClient(url);
        const client_name = `Editor at ${redirect}`.slice(0, 40);
        const registered = await client.register({ client_name, redirect_uris: uris, application_type });
        expect([redirect, registered.status]).toEqual([redirect, 201]);
        expect(await registered.json()).toMatchObject({ redirect_uris: uris, token_endpoint_auth_method: "none" });
        expect(await ada.open(client.authorizeUrl({ redirect_uri: redirect, code_challenge: null }))).toMatchObject({
          href: expect.stringMatching(new RegExp(`^${redirect.split(/[:?]/)[0]}:.*error=invalid_request`)),
        });
        const other = await ada.open(client.authorizeUrl({ redirect_uri: `${redirect}x` }));
        expect([other.pathname, other.searchParams.get("error")]).toEqual(["/oauth/consent", "invalid_redirect"]);
        const query = await ada.askConsent(client.authorizeUrl({ redirect_uri: redirect }));
        expect(await container.clientMetadata?.readConsent(String(query), "nobody")).toMatchObject({
          scheme: `${redirect.split(":")[0]}:`,
          redirect,
        });
        const back = await ada.decide(query, true);
        expect(back.href.startsWith(redirect.split("?")[0] ?? "")).toBe(true);
        const code = back.searchParams.get("code") ?? "";
        const { body } = await client.redeem(code, { redirect_uri: redirect });
        expect((await send(`${url}/mcp`, body.access_token)).status).toBe(200);
        expect((await client.refresh(body.refresh_token)).status).toBe(200);
        const found = (await container.services.account.clients(user)).find(({ id }) => id === client.id);
        expect(found?.hosts.join(" ")).toContain(redirect.split(":")[0]);
      }
    }
  });

  it("registers programs with plain names and sound addresses, and few of them from one address", async () => {
    const { url, container } = server;
    const client = new RawClient(url);
    for (const uri of [
      "javascript:alert(1)",
      "http://evil.example/cb",
      "not a url",
      `${REDIRECT}#x`,
      "data:text/html,x",
      "file:///x",
    ]) {
      expect([uri, (await client.register({ redirect_uris: [uri] })).status]).toEqual([uri, 400]);
    }
    await client.register({
      client_name: "Nice\u202e\n  client",
      token_endpoint_auth_method: "client_secret_post",
      skip_consent: true,
    });
    const query = await ada.askConsent(client.authorizeUrl());
    expect(await container.clientMetadata?.readConsent(String(query), "nobody")).toMatchObject({
      clientName: "Nice client",
    });
    const statuses = [];
    for (let count = 0; count < 11; count += 1) statuses.push(await client.register({}, "127.0.0.9"));
    expect(statuses.at(-1)?.status).toBe(429);
    expect(statuses.at(-1)?.headers.get("retry-after")).toMatch(/^\d+$/);
  });
});
