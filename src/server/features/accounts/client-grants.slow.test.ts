import type { JWTPayload } from "jose";
import { describe, expect, it } from "vitest";
import { startTokenIssuer } from "../../platform/auth/token-issuer.test-support";
import { bearer, openAccounts } from "./accounts.test-support";
import { createClientAuthorization } from "./client-authorization";
import { createClientGrants, JWT_BEARER } from "./client-grants";
import { createClientMetadata } from "./client-metadata";

const ORIGIN = "https://tools.example.org";
const CLIENT = "https://client.example/client.json";
const SERVERS = ["github", "files", "notes"];
const RULES = { roleOf: new Map([["ops", "operator"] as const]), defaultRole: "viewer" as const, emailDomains: [] };

async function open() {
  const issuer = await startTokenIssuer();
  const trusted = issuer.openIssuers({ grants: true });
  const accounts = await openAccounts({
    publicUrl: ORIGIN,
    oauthOrigin: ORIGIN,
    issuers: { check: trusted.check, rules: { [issuer.url]: RULES } },
  });
  const { auth, access, grants, audit, clock, issuerUsers } = accounts;
  const metadata = createClientMetadata({
    auth,
    grants,
    origin: ORIGIN,
    takesAssertions: true,
    serverNames: () => SERVERS,
  });
  const documents = {
    refresh: async (id: string): Promise<void> => {
      if (id !== CLIENT) throw new Error("The document could not be read");
      const client = { id, name: "Notes", redirectUris: [], grantTypes: [JWT_BEARER], isNative: true };
      await grants.saveDocumentClient(client);
    },
  };
  const shared = { auth, access, grants, audit, documents, origin: ORIGIN, isServed: metadata.isServed };
  const { checkGrant } = trusted;
  const authorization = createClientAuthorization({
    ...shared,
    assertions: createClientGrants({ ...shared, checkGrant, users: issuerUsers, now: () => clock.at }),
    schemes: [],
    forgetTokens: async () => access.forgetClientTokens(),
  });
  let serial = 0;
  const sign = (changes: JWTPayload = {}, typ = "oauth-id-jag+jwt") => {
    serial += 1;
    const usual = {
      aud: `${ORIGIN}/api/auth`,
      client_id: CLIENT,
      resource: `${ORIGIN}/mcp`,
      jti: `jti-${serial}`,
      groups: "ops",
    };
    return issuer.sign({ ...usual, ...changes }, { typ });
  };

  async function redeem(assertion: string, more: Record<string, string> = {}) {
    const text = new URLSearchParams({ grant_type: JWT_BEARER, client_id: CLIENT, assertion, ...more }).toString();
    const request = new Request(`${ORIGIN}/api/auth/oauth2/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", "x-toolroom-peer": "10.0.0.1" },
      body: text,
    });
    const response = await authorization.handle(request, text, {});
    return { status: response?.status, body: (await response?.json()) as Record<string, string> };
  }
  const enter = (token = "", path = "/mcp") => access.authenticate(bearer(token), "gateway", path);
  return { ...accounts, issuer, metadata, sign, redeem, enter };
}

describe("a client that an identity provider lets in", () => {
  it("gets a token for each of three servers without a page, which lists and calls in the user's name", async () => {
    const { sign, redeem, enter, account, store } = await open();
    const answers = await Promise.all(
      SERVERS.map(async (server) => redeem(await sign({ resource: `${ORIGIN}/mcp/${server}` }))),
    );
    for (const [index, { status, body }] of answers.entries()) {
      expect([status, body]).toEqual([
        200,
        {
          access_token: expect.stringMatching(/^trc_/),
          token_type: "Bearer",
          expires_in: 600,
          scope: "mcp:read mcp:run",
        },
      ]);
      expect(await enter(body.access_token, `/mcp/${SERVERS[index]}`)).toMatchObject({
        name: "Ada",
        role: "operator",
        token: { name: "Notes", scopes: ["read", "run"] },
      });
      await expect(enter(body.access_token, "/mcp")).rejects.toThrow("another address");
    }
    const [ada] = await store.people();
    const clients = await account.clients({ id: ada?.id ?? "", name: "Ada" });
    expect(clients, "one consent stands for all of them").toMatchObject([
      { id: CLIENT, name: "Notes", scopes: ["read", "run"] },
    ]);
  });

  it("is refused at the next call once the account is switched off, or the user disconnects it", async () => {
    const { sign, redeem, enter, account, people, addUser, access } = await open();
    const admin = await addUser("Root", "admin");
    const first = (await redeem(await sign())).body.access_token;
    const ada = await enter(first);
    const user = { id: ada?.id ?? "", name: "Ada" };
    await account.revokeClient(user, CLIENT);
    access.applyChange(user.id);
    await expect(enter(first)).rejects.toThrow("expired or was revoked");
    const second = (await redeem(await sign())).body.access_token;
    expect(await enter(second)).toMatchObject({ name: "Ada" });
    await people.setDisabled(admin, user.id, true);
    await expect(enter(second)).rejects.toThrow("expired or was revoked");
    expect(await redeem(await sign())).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it("gets no more than the assertion, the request and the role allow, and no refresh token", async () => {
    const { sign, redeem } = await open();
    expect((await redeem(await sign({ scope: "mcp:read other" }))).body.scope).toBe("mcp:read");
    expect((await redeem(await sign(), { scope: "mcp:read" })).body.scope).toBe("mcp:read");
    const viewer = await redeem(await sign({ groups: "none", sub: "2", email: "bob@example.org" }));
    expect(viewer.body.scope).toBe("mcp:read");
    expect(viewer.body).not.toHaveProperty("refresh_token");
    for (const [claims, more] of [
      [{ scope: "other" }, {}],
      [{}, { scope: "admin" }],
      [{ scope: "mcp:read" }, { scope: "mcp:run" }],
    ] as const) {
      expect((await redeem(await sign(claims), more)).body.error).toBe("invalid_scope");
    }
  });

  it("finds the grant in the metadata", async () => {
    const { metadata } = await open();
    expect(await metadata.describe("/.well-known/oauth-authorization-server/api/auth")).toMatchObject({
      grant_types_supported: ["authorization_code", "refresh_token", JWT_BEARER],
      authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
    });
  });
});

describe("an assertion is refused", () => {
  it("when it is used a second time, also at the same time, and the first token stays good", async () => {
    const { sign, redeem, enter } = await open();
    const assertion = await sign();
    const answers = await Promise.all([redeem(assertion), redeem(assertion)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await redeem(assertion)).body).toMatchObject({ error: "invalid_grant" });
    const good = answers.find(({ status }) => status === 200)?.body.access_token;
    expect(await enter(good)).toMatchObject({ name: "Ada" });
  });

  const faults: [string, JWTPayload, Record<string, string>, string][] = [
    ["for another authorization server", { aud: "https://other.example.org" }, {}, "invalid_grant"],
    ["for the gateway", { aud: ORIGIN }, {}, "invalid_grant"],
    [
      "for several authorization servers",
      { aud: [`${ORIGIN}/api/auth`, "https://other.example"] },
      {},
      "invalid_grant",
    ],
    ["of another issuer", { iss: "https://evil.example" }, {}, "invalid_grant"],
    ["that has expired", { iat: 1_000, exp: 2_000 }, {}, "invalid_grant"],
    ["that is valid for long", { exp: Math.floor(Date.now() / 1_000) + 7_200 }, {}, "invalid_grant"],
    ["without an id", { jti: undefined }, {}, "invalid_grant"],
    ["without a client", { client_id: undefined }, {}, "invalid_grant"],
    ["for another client", { client_id: "https://client.example/other.json" }, {}, "invalid_grant"],
    [
      "for a client whose document cannot be read",
      { client_id: "https://gone.example/a" },
      { client_id: "https://gone.example/a" },
      "invalid_client",
    ],
    ["for a client that is not known", { client_id: "unknown" }, { client_id: "unknown" }, "invalid_client"],
    ["without a resource", { resource: undefined }, {}, "invalid_grant"],
    ["for a resource elsewhere", { resource: "https://other.example.org/mcp" }, {}, "invalid_target"],
    ["for a server that does not exist", { resource: `${ORIGIN}/mcp/none` }, {}, "invalid_target"],
    ["for the API", { resource: `${ORIGIN}/api/v1` }, {}, "invalid_target"],
    ["for another resource than is asked for", {}, { resource: `${ORIGIN}/mcp/github` }, "invalid_target"],
    ["without a user", { sub: undefined }, {}, "invalid_grant"],
    ["of a user without a verified address", { email_verified: false }, {}, "invalid_grant"],
  ];
  it("for each fault of its own or of the request, and makes no account", async () => {
    const { sign, redeem, store } = await open();
    for (const [title, claims, more, error] of faults) {
      expect([title, (await redeem(await sign(claims), more)).body.error]).toEqual([title, error]);
    }
    for (const typ of ["at+jwt", "JWT", "logout+jwt"]) {
      expect([typ, (await redeem(await sign({}, typ))).body.error]).toEqual([typ, "invalid_grant"]);
    }
    expect(await store.people()).toEqual([]);
  });

  it("as an access token, and of an issuer that may not let clients in", async () => {
    const { enter, sign, issuer } = await open();
    await expect(enter(await sign({ aud: ORIGIN }))).rejects.toThrow("something else");
    const { checkGrant } = issuer.openIssuers();
    await expect(checkGrant(await sign(), `${ORIGIN}/api/auth`)).rejects.toThrow("may not sign clients in");
  });

  it("while the keys of its issuer cannot be read, with an error that passes", async () => {
    const { issuer, redeem, sign } = await open();
    issuer.state.answer = (response) => void response.writeHead(503).end();
    expect(await redeem(await sign())).toMatchObject({ status: 503, body: { error: "temporarily_unavailable" } });
  });
});
