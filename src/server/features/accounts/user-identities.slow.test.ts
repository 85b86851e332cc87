import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Actor } from "../../../lib/contract/actor";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { startTokenIssuer } from "../../platform/auth/token-issuer.test-support";
import { countGrants, type IdentityBench, openIdentityBench } from "./user-identities.test-support";

describe("cross-app access", () => {
  it("lets a user in to three servers with one sign-in and no page, with a token of its own at each", async () => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    const names = ["files", "mail", "chat"];
    const servers = await Promise.all(names.map((name) => bench.addServer(name)));
    await bench.signOn(ada);
    for (const name of names) expect(await bench.callAs(ada, name)).toBeNull();
    for (const name of names) expect(await bench.callAs(ada, name)).toBeNull();
    for (const server of servers) {
      expect(server.mcpCalls.map(({ user }) => user)).toEqual([ada.id, ada.id]);
      expect(countGrants(server)).toBe(1);
    }
    expect(
      bench.idp.state.exchanges.map(({ audience, resource, requested_token_type }) => [
        audience,
        resource,
        requested_token_type,
      ]),
    ).toEqual(servers.map(({ issuer, url }) => [issuer, url, "urn:ietf:params:oauth:token-type:id-jag"]));
    expect(bench.idp.state.requests.filter((request) => request.includes("authorize"))).toEqual([]);
    const written = (await bench.audited()).filter(({ action }) => action === "credentials.exchange");
    expect(written.map(({ target, outcome }) => [target?.name, outcome])).toEqual(names.map((name) => [name, "done"]));
  });

  it("stores ID tokens encrypted, and shows no token in logs, states and messages", async () => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    const server = await bench.addServer("files");
    await bench.signOn(ada, 300, "refresh-secret-of-ada");
    expect(await bench.callAs(ada, "files")).toBeNull();
    const [row] = await bench.db.prisma.identityToken.findMany();
    expect(row?.sealed).toMatch(/^v1\./);
    expect(row?.sealed).not.toContain("refresh-secret");
    const shown = bench.seenBy("files", ada.id) + JSON.stringify(await bench.audited());
    const tokens = [
      ...server.authorization.access.keys(),
      ...bench.idp.state.exchanges.map(({ subject_token }) => subject_token),
    ];
    expect(tokens).toHaveLength(2);
    for (const token of tokens) expect(shown).not.toContain(token);
  });

  it("sends a user without the provider's token to a page, and continues the call once the user has signed in", async () => {
    const closed: boolean[] = [];
    const openSignInPage = ({ server }: { server: string }) => ({
      url: `http://t.test/${server}`,
      limitMs: 10_000,
      close: (isConnected: boolean) => void closed.push(isConnected),
    });
    const bench = await openIdentityBench({ openSignInPage });
    const ada = await bench.addUser("Ada", "operator");
    const server = await bench.addServer("files");
    expect(await bench.callAs(ada, "files")).toEqual({
      kind: "sign_in_needed",
      message: "Sign in to Toolroom with single sign-on to use 'files': http://t.test/servers/files",
    });
    const pages: string[] = [];
    const call = bench.callAs(ada, "files", async (request) => {
      pages.push(request.kind === "url" ? request.url : "");
      return { action: "accept" };
    });
    await waitUntil(() => pages.length === 1, { what: "the page" });
    await bench.signOn(ada);
    expect(await call).toBeNull();
    expect([pages, closed]).toEqual([["http://t.test/files"], [true]]);
    expect(server.mcpCalls.map(({ user }) => user)).toEqual([ada.id]);
  });

  it("rejects the next call once the provider has revoked the user, names that step, and works again once the access is back", async () => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    const server = await bench.addServer("files");
    await bench.signOn(ada);
    expect(await bench.callAs(ada, "files")).toBeNull();
    bench.idp.state.revoked.add(ada.id);
    server.authorization.expireAccess();
    for (let again = 0; again < 2; again += 1) {
      expect(await bench.callAs(ada, "files")).toEqual({
        kind: "rejected",
        message:
          "Server 'files': Example ID gave no access to this server: invalid_grant: the session was revoked. If you need it, ask its admin to give you access, or sign in with Example ID again",
      });
    }
    expect(server.mcpCalls).toHaveLength(1);
    const denied = (await bench.audited()).filter(
      ({ action, outcome }) => action === "credentials.exchange" && outcome === "denied",
    );
    expect(denied.length).toBeGreaterThan(0);
    bench.idp.state.revoked.clear();
    expect(await bench.callAs(ada, "files")).toBeNull();
  });

  it("names the authorization server where that refuses the grant, and the server where that refuses its token", async () => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    await bench.signOn(ada);
    const files = await bench.addServer("files", {}, { checkAssertion: async () => null });
    expect(await bench.callAs(ada, "files")).toEqual({
      kind: "rejected",
      message:
        "Server 'files': The server's authorization server refused the identity provider's grant (invalid_grant: the assertion is not trusted): ask its admin to trust the identity provider for this client id and your account",
    });
    expect(files.mcpCalls).toEqual([]);
    const mail = await bench.addServer("mail", {}, { expiresInSeconds: 0 });
    expect(await bench.callAs(ada, "mail")).toEqual({
      kind: "rejected",
      message:
        "Server 'mail': The server refused the token of its authorization server (401): ask its admin whether your account has access",
    });
    expect(mail.mcpCalls).toEqual([]);
  });

  it("calls no tool without a token of the user where the server would let anyone call it", async () => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    const server = await bench.addServer("files", {}, { protectedMethods: [] });
    await bench.signOn(ada);
    expect(await bench.callAs(ada, "files")).toBeNull();
    expect(server.mcpCalls.map(({ user }) => user)).toEqual([ada.id]);
  });

  it("sends no call without its user's token once that was removed, where the server would let anyone call it", async () => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    const server = await bench.addServer("files", {}, { protectedMethods: [] });
    await bench.signOn(ada);
    expect(await bench.callAs(ada, "files")).toBeNull();
    bench.stored.clear();
    expect(await bench.callAs(ada, "files")).toMatchObject({ kind: "sign_in_needed" });
    expect(await bench.callAs(ada, "files")).toBeNull();
    expect(server.mcpCalls.map(({ user }) => user)).toEqual([ada.id, ada.id]);
  });

  it("renews an expired ID token once for all calls that wait, and asks for a sign-in once the provider has ended it", async () => {
    const bench = await openIdentityBench();
    bench.idp.state.refreshes = true;
    const ada = await bench.addUser("Ada", "operator");
    const names = ["files", "mail", "chat"];
    for (const name of names) await bench.addServer(name);
    await bench.signOn(ada, -60, `refresh-${ada.id}`);
    expect(await Promise.all(names.map((name) => bench.callAs(ada, name)))).toEqual([null, null, null]);
    const tokenRequests = bench.idp.state.requests.filter((request) => request === "POST /token").length;
    expect(tokenRequests - bench.idp.state.exchanges.length).toBe(1);
    bench.idp.state.revoked.add(ada.id);
    await bench.addServer("late");
    await bench.signOn(ada, -60, `refresh-${ada.id}`);
    expect(await bench.callAs(ada, "late")).toMatchObject({
      kind: "sign_in_needed",
      message: expect.stringContaining("Example ID"),
    });
    expect(await bench.db.prisma.identityToken.count()).toBe(0);
  });

  it("asks for a sign-in where an ID token has expired and nothing renews it", async () => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    await bench.addServer("files");
    await bench.signOn(ada, -60);
    expect(await bench.callAs(ada, "files")).toMatchObject({ kind: "sign_in_needed" });
    expect(bench.idp.state.exchanges).toEqual([]);
  });

  it.each([
    ["another authorization server", { aud: "https://elsewhere.example" }],
    ["several authorization servers", { aud: ["https://elsewhere.example", "https://other.example"] }],
    ["no authorization server", { aud: [] }],
    ["another issuer", { iss: "https://elsewhere.example" }],
  ])("sends no ID-JAG of %s to the authorization server", async (_what, forged) => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    const server = await bench.addServer("files");
    await bench.signOn(ada);
    bench.idp.state.forgedGrant = forged;
    expect(await bench.callAs(ada, "files")).toMatchObject({
      kind: "rejected",
      message: expect.stringContaining("its ID-JAG is"),
    });
    expect(countGrants(server)).toBe(0);
  });

  it.each([
    ["more than a megabyte", (size: number) => JSON.stringify({ access_token: "x".repeat(size) })],
    ["no JSON", () => "<html>sign in first</html>"],
  ])("bounds an answer of the provider: %s", async (_what, body) => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    await bench.addServer("files");
    await bench.signOn(ada);
    bench.idp.state.answerExchange = (response) => void response.writeHead(200).end(body(2_000_000));
    const failed = await bench.callAs(ada, "files");
    expect(failed).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("Example ID could not be reached"),
    });
    expect(failed?.message.length).toBeLessThan(400);
  });

  it("ends a request that the provider does not answer, after 10 seconds", async () => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    await bench.addServer("files");
    await bench.signOn(ada);
    bench.idp.state.answerExchange = () => undefined;
    expect(await bench.callAs(ada, "files")).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("Example ID could not be reached"),
    });
  }, 60_000);

  it("asks a provider at a private address only where the policy for outgoing connections allows it", async () => {
    const bench = await openIdentityBench({ privateAddresses: "deny" });
    const ada = await bench.addUser("Ada", "operator");
    await bench.addServer("files");
    await bench.signOn(ada);
    expect(await bench.callAs(ada, "files")).toMatchObject({ kind: "unavailable" });
    expect(bench.idp.state.exchanges).toEqual([]);
  });

  it("keeps nothing of a user who is switched off, and lets no other user in with it", async () => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    const bob = await bench.addUser("Bob", "operator");
    const server = await bench.addServer("files");
    await bench.signOn(ada);
    expect(await bench.callAs(ada, "files")).toBeNull();
    await bench.switchOff(ada);
    expect(await bench.callAs(ada, "files")).toMatchObject({ kind: "sign_in_needed" });
    expect(await bench.callAs(bob, "files")).toMatchObject({ kind: "sign_in_needed" });
    expect(await bench.db.prisma.identityToken.count()).toBe(0);
    expect(server.mcpCalls).toHaveLength(1);
  });
});

describe("token exchange", () => {
  /** A request of the user comes with a JWT of the provider. */
  async function comeWith({ idp, identities }: IdentityBench, { id }: Actor, issuer = idp.issuer): Promise<string> {
    const token = await idp.signIn(id);
    const identity = { subject: id, email: null, emailVerified: false, name: null, roles: [] };
    const times = { issuedAt: Date.now(), expiresAt: Date.now() + 300_000 };
    identities.hold(id, token, { issuer, identity, audiences: [], scopes: [], ...times });
    return token;
  }

  it("exchanges the token that a call came with once for all its calls, and the ID token of single sign-on without one", async () => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    const bob = await bench.addUser("Bob", "operator");
    const server = await bench.addExchangeServer("crm", { scope: "read", resource: "https://crm.example" });
    const own = await comeWith(bench, ada);
    await bench.signOn(bob);
    expect(await Promise.all(Array.from({ length: 5 }, () => bench.callAs(ada, "crm")))).toEqual(Array(5).fill(null));
    expect(await bench.callAs(bob, "crm")).toBeNull();
    expect(bench.idp.state.exchanges).toEqual([
      expect.objectContaining({
        subject_token: own,
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
        audience: "crm",
        resource: "https://crm.example",
        scope: "read",
      }),
      expect.objectContaining({ subject_token_type: "urn:ietf:params:oauth:token-type:id_token" }),
    ]);
    expect(server.mcpCalls.map(({ user }) => user)).toEqual([...Array(5).fill(ada.id), bob.id]);
    const shown = bench.seenBy("crm", ada.id) + JSON.stringify(await bench.audited());
    for (const token of [own, ...server.authorization.access.keys()]) expect(shown).not.toContain(token);
  });

  it("exchanges again once the token has expired, or the server refuses it", async () => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    const server = await bench.addExchangeServer("crm");
    await comeWith(bench, ada);
    expect(await bench.callAs(ada, "crm")).toBeNull();
    server.authorization.expireAccess();
    expect(await bench.callAs(ada, "crm")).toBeNull();
    expect(bench.idp.state.exchanges).toHaveLength(2);
    bench.time.aheadMs = 295_000;
    expect(await bench.callAs(ada, "crm")).toBeNull();
    expect(bench.idp.state.exchanges).toHaveLength(3);
  });

  it("never sends or uses the token of one issuer for a server of another, also of the same user", async () => {
    const bench = await openIdentityBench();
    const other = await startTokenIssuer();
    const ada = await bench.addUser("Ada", "operator");
    const server = await bench.addExchangeServer("crm", { issuer: other.url });
    await comeWith(bench, ada);
    await bench.signOn(ada);
    expect(await bench.callAs(ada, "crm")).toEqual({
      kind: "sign_in_needed",
      message: `Call 'crm' with a token of ${other.url}, or sign in to Toolroom with single sign-on there: http://t.test/servers/crm`,
    });
    expect([bench.idp.state.exchanges, server.mcpRequests]).toEqual([[], []]);
    await comeWith(bench, ada, other.url);
    expect(await bench.callAs(ada, "crm")).toBeNull();
    await bench.addExchangeServer("crm-2");
    expect(await bench.callAs(ada, "crm-2")).toBeNull();
    const subjects = bench.idp.state.exchanges.map(({ subject_token }) => subject_token);
    expect(new Set(subjects).size).toBe(2);
  });

  it("drops what a user has the moment the user is switched off, also a token that arrives later", async () => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    await bench.addExchangeServer("crm");
    await comeWith(bench, ada);
    const answers: (() => void)[] = [];
    bench.idp.state.answerExchange = (response) => {
      const late = { access_token: "late", token_type: "Bearer", expires_in: 3600 };
      answers.push(() => void response.writeHead(200).end(JSON.stringify(late)));
    };
    const call = bench.callAs(ada, "crm");
    await waitUntil(() => answers.length === 1, { what: "the exchange" });
    await bench.switchOff(ada);
    for (const answer of answers) answer();
    expect(await call).not.toBeNull();
    await bench.switchOn(ada);
    bench.idp.state.answerExchange = null;
    expect(await bench.callAs(ada, "crm")).toMatchObject({ kind: "sign_in_needed" });
    await comeWith(bench, ada);
    expect(await bench.callAs(ada, "crm")).toBeNull();
    expect(bench.idp.state.exchanges).toHaveLength(2);
  });

  it("names the token URL where it exchanges nothing, or answers with something else than a bearer token", async () => {
    const bench = await openIdentityBench();
    const ada = await bench.addUser("Ada", "operator");
    const server = await bench.addExchangeServer("crm");
    await comeWith(bench, ada);
    const { host } = new URL(bench.idp.issuer);
    bench.idp.state.revoked.add(ada.id);
    expect(await bench.callAs(ada, "crm")).toEqual({
      kind: "rejected",
      message: `Server 'crm': ${host} exchanged no token for this server: invalid_grant: the session was revoked. If you need it, ask its admin to let this client exchange your tokens for this server`,
    });
    const bound = JSON.stringify({ access_token: "secret-bound-token", token_type: "DPoP" });
    bench.idp.state.answerExchange = (response) => void response.writeHead(200).end(bound);
    const failed = await bench.callAs(ada, "crm");
    expect(failed).toMatchObject({ kind: "rejected", message: expect.stringContaining("a token of the type 'DPoP'") });
    expect(failed?.message).not.toContain("secret-bound-token");
    bench.idp.state.answerExchange = (response) => {
      const subject = bench.idp.state.exchanges.at(-1)?.subject_token;
      response.writeHead(400).end(JSON.stringify({ error: "invalid_grant", error_description: `not ${subject}` }));
    };
    expect((await bench.callAs(ada, "crm"))?.message).toContain("invalid_grant: not [redacted]. If");
    expect(server.mcpCalls).toEqual([]);
  });
});

type Step =
  | { do: "call"; user: number; server: number }
  | { do: "expire"; server: number }
  | { do: "signOn" | "revoke" | "switchOff"; user: number };

const user = fc.nat(2);
const server = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("call" as const), user, server }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("expire" as const), server }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("signOn" as const, "revoke" as const, "switchOff" as const), user }),
  },
);
const RUNS = 12;

it("brings no token of one user to a server in a call of another, over any interleaving of calls, sign-ins and refusals", async () => {
  const bench = await openIdentityBench();
  const users: Actor[] = [];
  for (const name of ["Ada", "Bob", "Cleo"]) users.push(await bench.addUser(name, "operator"));
  const names = ["files", "mail", "crm", "erp"];
  const servers = [
    await bench.addServer("files"),
    await bench.addServer("mail", {}, { protectedMethods: ["tools/list"] }),
  ];
  for (const name of names.slice(2)) servers.push(await bench.addExchangeServer(name));
  const at = <Value>(list: readonly Value[], index: number): Value => list[index] as Value;

  async function take(next: Step): Promise<void> {
    switch (next.do) {
      case "call": {
        await bench.callAs(at(users, next.user), at(names, next.server));
        return;
      }
      case "expire":
        return at(servers, next.server).authorization.expireAccess();
      case "signOn":
        bench.idp.state.revoked.delete(at(users, next.user).id);
        await bench.switchOn(at(users, next.user));
        return await bench.signOn(at(users, next.user));
      case "revoke":
        return void bench.idp.state.revoked.add(at(users, next.user).id);
      case "switchOff":
        return await bench.switchOff(at(users, next.user));
    }
  }

  const property = fc.asyncProperty(
    fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 6 }),
    async (rounds) => {
      for (const each of users) await take({ do: "signOn", user: users.indexOf(each) });
      for (const round of rounds) await Promise.all(round.map(take));
      for (const each of users) await take({ do: "signOn", user: users.indexOf(each) });
      for (const each of users) expect(await bench.callAs(each, "files")).toBeNull();
      const calls = servers.flatMap(({ mcpCalls }) => mcpCalls);
      expect(calls.filter((call) => call.user !== call.args.as)).toEqual([]);
      expect(calls.length).toBeGreaterThan(0);
    },
  );
  await fc.assert(property, { numRuns: RUNS });
}, 240_000);
