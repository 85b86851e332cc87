import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { callCalculator } from "../../../e2e/support/call-calculator";
import {
  AT_PROVIDER,
  CLI,
  ProviderBrowser,
  type ProviderUser,
  startForeignProvider,
} from "../../../e2e/support/identity-provider/start";
import { startOAuthServer } from "../../../e2e/support/mcp-servers/oauth-server.mjs";
import type { Principal } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { bearer, readCookie } from "../features/accounts/accounts.test-support";
import { JWT_BEARER } from "../features/accounts/client-grants";
import { RawClient, startAuthorizingServer } from "./connected-client.test-support";

const AUDIENCE = "https://tools.example.org/mcp";
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const AT_SERVER = { client_id: "toolroom-there", client_secret: "secret-there" };

const ADA: ProviderUser = {
  sub: "u-ada",
  email: "ada@example.org",
  email_verified: true,
  name: "Ada",
  groups: ["ops"],
};

/** Toolroom beside `oidc-provider`, with the provider for single sign-on, as issuer of JWTs, and for servers. */
async function open() {
  const idp = await startForeignProvider();
  onTestFinished(() => idp.stop());
  const keys = createRemoteJWKSet(new URL(`${idp.issuer}/jwks`));
  const checkSubject = async (token: string): Promise<string | null> =>
    (await jwtVerify(token, keys, { issuer: idp.issuer }).catch(() => null))?.payload.sub ?? null;
  const files = await startOAuthServer({ clients: [AT_SERVER], checkAssertion: checkSubject });
  const crm = await startOAuthServer({ checkToken: checkSubject });
  onTestFinished(() => files.close());
  onTestFinished(() => crm.close());
  const credentials = { mode: "personal" };
  const client = { clientId: AT_SERVER.client_id, clientSecret: AT_SERVER.client_secret };
  const exchange = {
    type: "token_exchange",
    issuer: idp.issuer,
    tokenUrl: `${idp.issuer}/token`,
    clientId: AT_PROVIDER.id,
    clientSecret: AT_PROVIDER.secret,
    resource: crm.url,
  };
  const mcpServers = {
    files: { url: files.url, auth: { type: "cross_app_access", ...client }, credentials },
    crm: { url: crm.url, auth: exchange, credentials },
  };
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-provider-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = path.join(folder, "toolroom.json");
  const example = JSON.parse(await readFile(path.resolve("config/toolroom.example.json"), "utf8")) as object;
  const jwt = [
    {
      issuer: idp.issuer,
      audience: AUDIENCE,
      claims: { roles: "groups" },
      roles: { ops: "operator" },
      crossAppAccess: true,
    },
  ];
  await writeFile(config, JSON.stringify({ ...example, handlers: [], mcpServers, auth: { jwt } }));
  const server = await startAuthorizingServer({
    TOOLROOM_CONFIG: config,
    TOOLROOM_PRIVATE_ADDRESSES: "allow",
    TOOLROOM_OIDC_ISSUER: idp.issuer,
    TOOLROOM_OIDC_CLIENT_ID: AT_PROVIDER.id,
    TOOLROOM_OIDC_CLIENT_SECRET: AT_PROVIDER.secret,
    TOOLROOM_OIDC_NAME: "Company ID",
    TOOLROOM_OIDC_SCOPES: "openid profile email groups offline_access",
    TOOLROOM_OIDC_PROMPT: "consent",
    TOOLROOM_OIDC_ROLES_CLAIM: "groups",
    TOOLROOM_OIDC_ROLES: "ops=operator,root=admin",
  });
  onTestFinished(() => server.close());
  await idp.allowRedirect(`${server.url}/api/auth/callback/oidc`);
  await idp.addUser(ADA);

  /** A user signs in to the console with the provider, in a browser of their own. */
  async function signOn(login = ADA.sub, atProvider = new ProviderBrowser()) {
    const browser = server.browser();
    const started = await browser.post("sign-in/sso", {});
    const { url } = (await started.json()) as { url: string };
    const back = await atProvider.visit(url, login);
    const ended = await fetch(back, { redirect: "manual", headers: browser.headers });
    const cookies = readCookie(ended);
    const principal = await server.container.access.authenticate(cookies, "console").catch(() => null);
    return { location: ended.headers.get("location"), principal, cookies, url: new URL(url) };
  }

  const askProvider = async (form: Record<string, string>, more: Record<string, string> = {}) => {
    const init = { method: "POST", body: new URLSearchParams(form), headers: more };
    const response = await fetch(`${idp.issuer}/token`, init);
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };

  /** What a program of the user gets from the provider: tokens for a resource. */
  async function getTokens(resource = AUDIENCE, login = ADA.sub) {
    const verifier = randomBytes(32).toString("base64url");
    const query = new URLSearchParams({
      client_id: CLI.id,
      redirect_uri: CLI.redirectUri,
      response_type: "code",
      scope: "openid offline_access mcp:read mcp:run",
      prompt: "consent",
      resource,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    });
    const back = await new ProviderBrowser().visit(`${idp.issuer}/auth?${query}`, login);
    const form = { client_id: CLI.id, redirect_uri: CLI.redirectUri, code_verifier: verifier, resource };
    const code = back.searchParams.get("code") ?? "";
    const { body } = await askProvider({ grant_type: "authorization_code", code, ...form });
    return { access: body.access_token ?? "", refresh: body.refresh_token ?? "", id: body.id_token ?? "" };
  }

  return { ...server, idp, files, crm, signOn, askProvider, getTokens, call: callCalculator(server.url) };
}

function passTime(seconds: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1_000 });
  onTestFinished(() => void vi.useRealTimers());
}

describe("an identity provider of another maker", () => {
  it("signs its user in to the console with code and PKCE, by the role of its groups, and ends the sessions once none of them gives a role", async () => {
    const { idp, signOn, container } = await open();
    const { url, location, principal, cookies } = await signOn();
    expect(url.searchParams.get("code_challenge_method")).toBe("S256");
    expect([location, principal]).toEqual(["/", expect.objectContaining({ name: "Ada", role: "operator" })]);
    await idp.addUser({ ...ADA, groups: ["staff"] });
    expect((await signOn()).location).toBe("/sign-in?problem=no-role");
    expect(await container.access.authenticate(cookies, "console")).toBeNull();
  });

  it("issues JWTs that call tools at /mcp as their user, and are refused for another audience, another role and once switched off", async () => {
    const { idp, call, getTokens, container, signOn } = await open();
    const { access } = await getTokens();
    expect(await call(access)).toEqual([200, expect.stringContaining("4")]);
    expect((await call((await getTokens("https://other.example.org/mcp")).access))[0]).toBe(401);
    await idp.addUser({ ...ADA, groups: ["staff"], sub: "u-bob", email: "bob@example.org" });
    expect((await call((await getTokens(AUDIENCE, "u-bob")).access))[0]).toBe(401);
    await idp.addUser({ ...ADA, groups: ["root"], sub: "u-root", email: "root@example.org", name: "Root" });
    const { principal: admin } = await signOn("u-root");
    const ada = await container.access.authenticate(bearer(access), "api");
    await container.services.people.setDisabled(admin as Principal, ada?.id ?? "", true);
    expect((await call(access))[0]).toBe(401);
  });

  it("rotates its keys: a token of the new key counts, and one of the former key does not", async () => {
    const { idp, call, getTokens } = await open();
    const before = await getTokens();
    expect((await call(before.access))[0]).toBe(200);
    await idp.rotate("second");
    const { access } = await getTokens();
    passTime(31);
    expect(await call(access)).toEqual([200, expect.stringContaining("4")]);
    expect((await call(before.access))[0]).toBe(401);
  });

  it("removes a user, who gets no further token of it, no sign-in, and no access to servers", async () => {
    const { idp, container, files, call, getTokens, askProvider, signOn } = await open();
    const tokens = await getTokens();
    const { principal } = await signOn();
    const ada = principal as Principal;
    const { services } = container;
    await services.credentials.test(ada, "files");
    await waitUntil(() => services.tools.list().items.some(({ name }) => name === "files__whoami"));
    const run = () => services.executions.run(ada, { tool: "files__whoami", argumentsText: "{}" });
    expect(await run()).toMatchObject({ status: "succeeded" });
    passTime(280);
    files.authorization.expireAccess();
    expect(await run(), "the ID token is renewed with the refresh token").toMatchObject({ status: "succeeded" });
    expect(files.mcpCalls.map(({ user }) => user)).toEqual([ADA.sub, ADA.sub]);
    await idp.removeUser(ADA.sub);
    files.authorization.expireAccess();
    expect(await run()).toMatchObject({
      status: "failed",
      errorKind: expect.stringMatching(/rejected|sign_in_needed/),
    });
    const renewed = await askProvider({
      grant_type: "refresh_token",
      client_id: CLI.id,
      refresh_token: tokens.refresh,
    });
    expect([renewed.status, renewed.body.error]).toEqual([400, "invalid_grant"]);
    passTime(600);
    expect((await call(tokens.access))[0]).toBe(401);
    expect(await run()).toMatchObject({
      status: "failed",
      errorKind: expect.stringMatching(/rejected|sign_in_needed/),
    });
    expect(files.mcpCalls).toHaveLength(2);
  });

  it("exchanges the JWT that a call came with for a token of a server (RFC 8693)", async () => {
    const { container, crm, getTokens } = await open();
    const { services, access } = container;
    const ada = (await access.authenticate(bearer((await getTokens()).access), "api")) as Principal;
    await services.credentials.test(ada, "crm");
    await waitUntil(() => services.tools.list().items.some(({ name }) => name === "crm__whoami"));
    const run = () => services.executions.run(ada, { tool: "crm__whoami", argumentsText: "{}" });
    expect(await run()).toMatchObject({ status: "succeeded" });
    expect(crm.mcpCalls.map(({ user }) => user)).toEqual([ADA.sub]);
  });

  it("signs an ID-JAG that gives a client a token at our door, once, and none for a removed user", async () => {
    const { idp, url, call, getTokens, askProvider } = await open();
    const client = new RawClient(url);
    await client.register();
    const { id } = await getTokens();
    const basic = {
      authorization: `Basic ${Buffer.from(`${AT_PROVIDER.id}:${AT_PROVIDER.secret}`).toString("base64")}`,
    };
    const ask = () =>
      askProvider(
        {
          grant_type: EXCHANGE,
          subject_token: id,
          subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
          requested_token_type: ID_JAG,
          audience: `${url}/api/auth`,
          resource: `${url}/mcp`,
          requested_client: client.id,
        },
        basic,
      );
    const assertion = (await ask()).body.access_token ?? "";
    const { status, body } = await client.requestToken({ grant_type: JWT_BEARER, assertion });
    expect([status, body.scope]).toEqual([200, "mcp:read mcp:run"]);
    expect(await call(body.access_token)).toEqual([200, expect.stringContaining("4")]);
    expect((await client.requestToken({ grant_type: JWT_BEARER, assertion })).body.error).toBe("invalid_grant");
    await idp.removeUser(ADA.sub);
    expect((await ask()).body.error).toBe("invalid_grant");
  });
});
