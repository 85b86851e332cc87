import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startOAuthServer } from "../../../e2e/support/mcp-servers/oauth-server.mjs";
import type { Principal } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { bearer, readCookie } from "../features/accounts/accounts.test-support";
import { CLIENT, startOpenIdProvider } from "../platform/auth/identity-provider.test-support";
import { AUDIENCE, startTokenIssuer } from "../platform/auth/token-issuer.test-support";
import { placeEmptyDatabase } from "../platform/db/database.test-support";
import { createContainer } from "./container";
import { readEnv } from "./env";

const ORIGIN = "http://localhost:3000";
const AT_SERVER = { client_id: "toolroom-there", client_secret: "secret-there" };

/** A server with single sign-on, an issuer of JWTs, and two MCP servers from its configuration. */
async function openServer() {
  const idp = await startOpenIdProvider();
  const issuer = await startTokenIssuer();
  const files = await startOAuthServer({
    clients: [AT_SERVER],
    checkAssertion: async (assertion) => (await idp.check(assertion)).sub ?? null,
  });
  const crm = await startOAuthServer();
  onTestFinished(() => files.close());
  onTestFinished(() => crm.close());
  const client = { clientId: AT_SERVER.client_id, clientSecret: AT_SERVER.client_secret };
  const exchange = { type: "token_exchange", issuer: issuer.url, tokenUrl: `${idp.issuer}/token`, audience: "crm" };
  const credentials = { mode: "personal" };
  const mcpServers = {
    files: { url: files.url, auth: { type: "cross_app_access", ...client }, credentials },
    crm: { url: crm.url, auth: { ...exchange, clientId: CLIENT.id, clientSecret: CLIENT.secret }, credentials },
  };
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-cross-app-"));
  const config = path.join(folder, "toolroom.json");
  const jwt = [{ issuer: issuer.url, audience: AUDIENCE, defaultRole: "operator" }];
  await writeFile(config, JSON.stringify({ mcpServers, auth: { jwt } }));
  const file = path.join(folder, "test.db");
  await placeEmptyDatabase(file);
  const container = await createContainer(
    readEnv({
      DATABASE_URL: `file:${file}`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: config,
      TOOLROOM_AUTH: "on",
      TOOLROOM_PUBLIC_URL: ORIGIN,
      TOOLROOM_PRIVATE_ADDRESSES: "allow",
      TOOLROOM_OIDC_ISSUER: idp.issuer,
      TOOLROOM_OIDC_CLIENT_ID: CLIENT.id,
      TOOLROOM_OIDC_CLIENT_SECRET: CLIENT.secret,
      TOOLROOM_OIDC_NAME: "Example ID",
      TOOLROOM_OIDC_DEFAULT_ROLE: "admin",
    }),
  );
  onTestFinished(container.close);
  const ask = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { host: "localhost:3000", origin: ORIGIN, "x-toolroom-peer": "127.0.0.1", ...init.headers };
    const response = await container.signInRequests?.(new Request(url, { ...init, headers }));
    return response ?? new Response(null, { status: 404 });
  };
  /** @param cookie of a signed-in user, who connects the identity */
  async function signOn(
    body: object = {},
    cookie = "",
  ): Promise<{ user: Principal; cookie: string; location: string }> {
    const init = { method: "POST", body: JSON.stringify(body) };
    const headers = { "content-type": "application/json", cookie };
    const started = await ask(`${ORIGIN}/api/auth/sign-in/sso`, { ...init, headers });
    const { url } = (await started.json()) as { url: string };
    const sent = await fetch(url, { redirect: "manual" });
    const cookies = [cookie, readCookie(started).get("cookie") ?? ""].filter((each) => each !== "").join("; ");
    const ended = await ask(sent.headers.get("location") ?? "", { headers: { cookie: cookies } });
    const user = await container.access.authenticate(readCookie(ended), "console");
    const location = ended.headers.get("location") ?? "";
    // A browser drops the cookie that the answer deletes.
    const kept = (readCookie(ended).get("cookie") ?? "").split("; ").filter((each) => !each.endsWith("="));
    return { user: user as Principal, cookie: kept.join("; "), location };
  }
  return { ...container, idp, issuer, files, crm, signOn };
}

it("a sign-in at the console lets its user in to a server, and the page of a call gets the next one", async () => {
  const { services, idp, files, signOn } = await openServer();
  const { user, cookie } = await signOn();
  expect(await services.credentials.own(user, "files")).toMatchObject({
    kind: "identity",
    provider: "Example ID",
    isProven: true,
    connectedAt: null,
    refusal: null,
  });
  await services.credentials.test(user, "files");
  await waitUntil(() => services.tools.list().items.some(({ name }) => name === "files__whoami"));
  const run = (actor: Principal) => services.executions.run(actor, { tool: "files__whoami", argumentsText: "{}" });
  expect(await run(user)).toMatchObject({ status: "succeeded", credential: "personal" });
  expect(files.mcpCalls.map((call) => call.user)).toEqual([String(idp.state.claims.sub)]);
  expect((await services.credentials.own(user, "files"))?.connectedAt).not.toBeNull();
  idp.state.revoked.add("1");
  files.authorization.expireAccess();
  expect(await run(user)).toMatchObject({
    status: "failed",
    errorKind: "rejected",
    error: expect.stringContaining("Example ID gave no access to this server"),
  });
  const again = await signOn({ connect: true, to: "/oauth/connect/link" }, cookie);
  expect([again.user.id, again.location]).toEqual([user.id, "/oauth/connect/link"]);
  idp.state.revoked.clear();
  expect(await run(user)).toMatchObject({ status: "succeeded" });
});

it("the JWT that a request came with is exchanged for its user, and a user who is switched off has none", async () => {
  const { services, access, idp, issuer, crm, signOn } = await openServer();
  const { user: admin } = await signOn();
  idp.state.answerExchange = (response) => {
    const token = "token-of-bob";
    const grant = { client: "x", scope: "", family: "", user: "bob", expiresAt: Date.now() + 60_000 };
    crm.authorization.access.set(token, grant);
    crm.authorization.owners.set(token, grant.user);
    const answer = { access_token: token, token_type: "Bearer", expires_in: 60 };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  };
  const token = await issuer.sign({ sub: "bob", email: "bob@example.org", name: "Bob" });
  const bob = (await access.authenticate(bearer(token))) as Principal;
  await services.credentials.test(bob, "crm");
  await waitUntil(() => services.tools.list().items.some(({ name }) => name === "crm__whoami"));
  const run = (actor: Principal) => services.executions.run(actor, { tool: "crm__whoami", argumentsText: "{}" });
  expect(await run(bob)).toMatchObject({ status: "succeeded" });
  expect(idp.state.exchanges.map(({ subject_token }) => subject_token)).toEqual([token]);
  expect(crm.mcpCalls.map((call) => call.user)).toEqual(["bob"]);
  expect(await run(admin)).toMatchObject({ errorKind: "sign_in_needed" });
  await services.people.setDisabled(admin, bob.id, true);
  expect(await run(bob)).toMatchObject({ errorKind: "sign_in_needed" });
  expect(idp.state.exchanges).toHaveLength(1);
});
