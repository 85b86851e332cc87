import { exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, type JWTPayload } from "jose";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AUDIENCE, startTokenIssuer } from "./token-issuer.test-support";

const HOUR = 3_600;
const at = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("a JWT of a trusted issuer", () => {
  it("proves the user, the roles and the scopes that it names", async () => {
    const { url, sign, check } = await startTokenIssuer();
    const token = await sign({ aud: ["other", AUDIENCE], groups: ["ops", 1], scope: "openid mcp:read" });
    expect(await check()(token)).toMatchObject({
      issuer: url,
      identity: {
        subject: `${url}#1`,
        email: "ada@example.org",
        emailVerified: true,
        name: "Ada",
        roles: ["ops"],
      },
      audiences: [AUDIENCE],
      scopes: ["openid", "mcp:read"],
    });
  });

  it("reads claims by their configured names, also inside of others, and keeps users of another claim apart", async () => {
    const { url, sign, check } = await startTokenIssuer();
    const claims = { user: "employee.id", email: "mail", name: "full_name", roles: "https://example.org/roles" };
    const token = await sign({
      employee: { id: "e-7" },
      mail: "Bob@Example.org",
      full_name: "Bob",
      "https://example.org/roles": "ops",
      email_verified: undefined,
    });
    expect((await check({ claims })(token)).identity).toEqual({
      subject: `${url}#employee.id:e-7`,
      email: "bob@example.org",
      emailVerified: false,
      name: "Bob",
      roles: ["ops"],
    });
    expect((await check({ claims, trustEmail: true })(token)).identity.emailVerified).toBe(true);
  });

  it("is checked with keys that are read once, and with new ones after the issuer rotated them", async () => {
    const { sign, check, rotate, state } = await startTokenIssuer();
    const verify = check();
    await verify(await sign());
    await verify(await sign());
    expect(state.requests).toEqual(["/.well-known/openid-configuration", "/jwks"]);
    const old = await sign();
    await rotate("2");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31_000 });
    onTestFinished(() => void vi.useRealTimers());
    await verify(await sign());
    await expect(verify(old)).rejects.toThrow(/no applicable key/);
  });

  it("is checked with the keys of the configured address, without a look at the issuer's configuration", async () => {
    const { url, sign, check, state } = await startTokenIssuer();
    await check({ jwksUrl: `${url}/jwks` })(await sign());
    expect(state.requests).toEqual(["/jwks"]);
  });

  it("is refused while the keys cannot be read, with one request in ten seconds, and accepted once they can", async () => {
    const { sign, check, state } = await startTokenIssuer();
    const clock = { at: Date.now() };
    const verify = check({}, "allow", () => clock.at);
    state.answer = (response) => void response.writeHead(503).end();
    for (let index = 0; index < 5; index += 1) {
      await expect(verify(await sign())).rejects.toMatchObject({ name: "IssuerUnavailable" });
    }
    expect(state.requests).toHaveLength(1);
    state.answer = null;
    clock.at += 10_001;
    await verify(await sign());
  });

  it.each([
    ["is no JSON", (text: string) => text.slice(1)],
    ["is too large", () => `"${"x".repeat(1_100_000)}"`],
    ["has no keys", () => "{}"],
    ["is of another issuer", () => '{"issuer":"https://evil.example","jwks_uri":"https://evil.example/jwks"}'],
  ])("is refused where the issuer's configuration %s", async (_title, change) => {
    const { url, sign, check, state } = await startTokenIssuer();
    const usual = JSON.stringify({ issuer: url, jwks_uri: `${url}/jwks` });
    state.answer = (response) => void response.writeHead(200).end(change(usual));
    await expect(check()(await sign())).rejects.toMatchObject({ name: "IssuerUnavailable" });
  });

  it("is refused without a request where the issuer's address is private and these are refused", async () => {
    const { sign, check, state } = await startTokenIssuer();
    await expect(check({}, "deny")(await sign())).rejects.toMatchObject({ name: "IssuerUnavailable" });
    expect(state.requests).toEqual([]);
  });
});

describe("a JWT is refused", () => {
  const withClaims: [string, JWTPayload, RegExp][] = [
    ["for another audience", { aud: "https://other.example.org" }, /"aud"/],
    ["for a part of the audience", { aud: "https://tools.example.or" }, /"aud"/],
    ["for more than the audience", { aud: `${AUDIENCE}/` }, /"aud"/],
    ["for other audiences alone", { aud: ["a", "b"] }, /"aud"/],
    ["for no audience", { aud: undefined }, /"aud"/],
    ["of another issuer", { iss: "https://evil.example" }, /issuer is not trusted/],
    ["of an issuer with a slash more", { iss: "http://127.0.0.1/" }, /issuer is not trusted/],
    ["of no issuer", { iss: undefined }, /issuer is not trusted/],
    ["of an issuer named like a property of objects", { iss: "__proto__" }, /issuer is not trusted/],
    ["that has expired", { iat: at(-HOUR), exp: at(-60) }, /"exp"/],
    ["that never expires", { exp: undefined }, /"exp"/],
    ["whose end is a text", { exp: "9999999999" as never }, /"exp"/],
    ["whose end is beyond numbers", { exp: Number.MAX_SAFE_INTEGER }, /more than a day/],
    ["that is valid for longer than a day", { exp: at(25 * HOUR) }, /more than a day/],
    ["that is not valid yet", { nbf: at(HOUR) }, /"nbf"/],
    ["that was issued in the future", { iat: at(120), exp: at(300) }, /future/],
    ["that does not say when it was issued", { iat: undefined }, /"iat"/],
    ["without a user", { sub: undefined }, /missing "sub"/],
    ["with an empty user", { sub: " " }, /missing "sub"/],
    ["with a list of users", { sub: ["1", "2"] as never }, /missing "sub"|"sub"/],
    ["that is bound to a key", { cnf: { jkt: "x" } }, /bound to a key/],
  ];
  it.each(withClaims)("%s", async (_title, claims, problem) => {
    const { sign, check } = await startTokenIssuer();
    await expect(check()(await sign(claims))).rejects.toThrow(problem);
  });

  const withHeaders: [string, Partial<JWTHeaderParameters>, RegExp][] = [
    ["of an ID-JAG", { typ: "oauth-id-jag+jwt" }, /something else/],
    ["of a logout", { typ: "logout+jwt" }, /something else/],
    ["of a proof of possession", { typ: "dpop+jwt" }, /something else/],
    ["with a key that the issuer does not have", { kid: "2" }, /no applicable key/],
  ];
  it.each(withHeaders)("%s", async (_title, header, problem) => {
    const { sign, check } = await startTokenIssuer();
    await expect(check()(await sign({}, header))).rejects.toThrow(problem);
  });

  it("signed with a foreign key under the issuer's key id", async () => {
    const { sign, check } = await startTokenIssuer();
    const { privateKey } = await generateKeyPair("ES256");
    await expect(check()(await sign({}, {}, privateKey))).rejects.toThrow(/signature verification failed/);
  });

  it("signed with a foreign key that it brings along", async () => {
    const { sign, check } = await startTokenIssuer();
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const token = await sign({}, { jwk: await exportJWK(publicKey) }, privateKey);
    await expect(check()(token)).rejects.toThrow(/signature verification failed/);
  });

  it("that names an address for its key, and asks that address for nothing", async () => {
    const { sign, check } = await startTokenIssuer();
    const evil = await startTokenIssuer();
    const { privateKey } = await generateKeyPair("ES256");
    const token = await sign({}, { jku: `${evil.url}/jwks`, x5u: `${evil.url}/x` }, privateKey);
    await expect(check()(token)).rejects.toThrow(/signature verification failed/);
    expect(evil.state.requests).toEqual([]);
  });

  it("signed with the public key as a shared secret", async () => {
    const { sign, check, publicKey } = await startTokenIssuer();
    const secret = new TextEncoder().encode(await exportSPKI(publicKey()));
    await expect(check()(await sign({}, { alg: "HS256" }, secret))).rejects.toThrow(/"alg"/);
  });

  it("with an algorithm that its issuer may not use", async () => {
    const { sign, check } = await startTokenIssuer();
    await expect(check({ algorithms: ["RS256"] })(await sign())).rejects.toThrow(/"alg"/);
  });

  it.each(["none", "None", "NONE", "nOnE"])("without a signature, with the algorithm %s", async (alg) => {
    const { sign, check } = await startTokenIssuer();
    const [, payload] = (await sign()).split(".");
    for (const signature of ["", "AAAAAAAAAAAA"]) {
      await expect(check()(`${encode({ alg, typ: "at+jwt" })}.${payload}.${signature}`)).rejects.toThrow();
    }
  });

  it("changed after it was signed, in any of its parts", async () => {
    const { sign, check } = await startTokenIssuer();
    const token = await sign();
    const [header = "", , signature = ""] = token.split(".");
    const [, other = ""] = (await sign({ sub: "2" })).split(".");
    await expect(check()(`${header}.${other}.${signature}`)).rejects.toThrow(/signature verification failed/);
    await expect(
      check()(`${encode({ alg: "ES256", kid: "1" })}.${token.split(".")[1]}.${signature}`),
    ).rejects.toThrow();
    await expect(check()(token.slice(0, -4))).rejects.toThrow();
  });

  it("with a critical header that is not understood", async () => {
    const { sign, check } = await startTokenIssuer();
    const token = await sign();
    const [, payload, signature] = token.split(".");
    const header = encode({ alg: "ES256", kid: "1", crit: ["x"], x: 1 });
    await expect(check()(`${header}.${payload}.${signature}`)).rejects.toThrow(/not recognized/);
  });

  it.each(["", ".", "..", "a.b.c", "e30.e30.", `${encode({})}.${encode({})}.${encode({})}`])(
    "that is none: %j",
    async (text) => {
      const { check } = await startTokenIssuer();
      await expect(check()(text)).rejects.toThrow(/^This token is not accepted/);
    },
  );
});
