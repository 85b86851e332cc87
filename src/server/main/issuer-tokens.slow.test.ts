import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { callCalculator } from "../../../e2e/support/call-calculator";
import { JWT_BEARER } from "../features/accounts/client-grants";
import { AUDIENCE, startTokenIssuer } from "../platform/auth/token-issuer.test-support";
import { RawClient, startAuthorizingServer } from "./connected-client.test-support";

const EXAMPLE = path.resolve("config/toolroom.example.json");

/** A server whose configuration file trusts an issuer. */
async function open() {
  const issuer = await startTokenIssuer();
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-issuer-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = path.join(folder, "toolroom.json");
  const entry = {
    issuer: issuer.url,
    audience: AUDIENCE,
    claims: { roles: "groups" },
    roles: { ops: "operator" },
    crossAppAccess: true,
  };
  const example = JSON.parse(await readFile(EXAMPLE, "utf8")) as object;
  await writeFile(config, JSON.stringify({ ...example, handlers: [], auth: { jwt: [entry, { issuer: "x" }] } }));
  const settings = { TOOLROOM_CONFIG: config, TOOLROOM_PRIVATE_ADDRESSES: "127.0.0.1" };
  const server = await startAuthorizingServer(settings);
  onTestFinished(() => server.close());
  return { ...server, issuer, call: callCalculator(server.url) };
}

it("a JWT of an issuer in the configuration file calls a tool at /mcp and reads at /api as its user, until the account is switched off", async () => {
  const { issuer, call, container, browser } = await open();
  const root = browser();
  await root.setUp();
  const admin = await root.principal();
  const token = await issuer.sign({ groups: ["ops"], sub: "7", email: "grace@example.org", name: "Grace" });
  expect(await call(token)).toEqual([200, expect.stringContaining("4")]);
  const [execution] = (await container.services.executions.list({}, undefined, 1)).items;
  expect(execution).toMatchObject({ actor: { name: "Grace" }, source: "gateway" });
  const headers = new Headers({ authorization: `Bearer ${token}` });
  const grace = await container.access.authenticate(headers, "api");
  expect(grace).toMatchObject({ name: "Grace", role: "operator", token: { scopes: ["read", "run"] } });
  await container.services.people.setDisabled(admin, grace?.id ?? "", true);
  expect((await call(token))[0]).toBe(401);
  expect((await call(await issuer.sign({ groups: ["ops"], sub: "8", aud: "other" })))[0]).toBe(401);
});

it("an ID-JAG of the issuer gives a client that is known a token for /mcp, without a sign-in page", async () => {
  const { issuer, call, url } = await open();
  const client = new RawClient(url);
  await client.register();
  const claims = { aud: `${url}/api/auth`, client_id: client.id, resource: `${url}/mcp`, jti: "1", groups: ["ops"] };
  const assertion = await issuer.sign(claims, { typ: "oauth-id-jag+jwt" });
  const { status, body } = await client.requestToken({ grant_type: JWT_BEARER, assertion });
  expect([status, body.scope]).toEqual([200, "mcp:read mcp:run"]);
  expect(await call(body.access_token)).toEqual([200, expect.stringContaining("4")]);
  expect((await client.requestToken({ grant_type: JWT_BEARER, assertion })).body.error).toBe("invalid_grant");
  expect((await call(assertion))[0]).toBe(401);
});
