import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HTTP_META_KEY } from "../../lib/contract/openapi-constants";
import { IdentityRefusal, type UserIdentities } from "../engine/mcp-ports";
import { buildContext } from "../mcp/client/connections.test-support";
import { createAddressPolicy } from "../platform/outgoing/address-policy";
import {
  type Answer,
  apiSettings,
  buildDocument,
  connectApi,
  openApiBench,
  sendJson,
  startStub,
} from "./openapi.test-support";

const DOCUMENT = buildDocument({ "/it": { get: { operationId: "read" }, post: { operationId: "write" } } });

describe("credentials of an API", () => {
  it("are headers and query parameters of every request, and hidden in its log", async () => {
    const { requests, origin } = await startStub((_, response) =>
      sendJson(response, 200, {}, { "set-cookie": "session=cookie-42" }),
    );
    const settings = apiSettings(DOCUMENT, origin, { headers: { "X-Key": "key-4711" }, query: { token: "tok 0815" } });
    const { call, bench } = await connectApi(settings);
    await call("read");
    expect(requests[0]).toMatchObject({ url: "/it?token=tok%200815", headers: { "x-key": "key-4711" } });
    const said = JSON.stringify([bench.connections.messages("api"), bench.lines]);
    expect(said).toContain("GET /it");
    expect(said).not.toMatch(/key-4711|tok 0815|tok%200815|cookie-42/);
  });

  it("are an access token by client credentials, shared by calls and renewed once the API refuses it", async () => {
    let issued = 0;
    const answer: Answer = ({ url, headers }, response) => {
      if (url === "/token") {
        issued += 1;
        sendJson(response, 200, { access_token: `at-${issued}`, token_type: "bearer", expires_in: 3600 });
      } else
        sendJson(response, headers.authorization === "Bearer at-1" && issued > 0 && url === "/it?old" ? 401 : 200, {});
    };
    const { requests, origin } = await startStub(answer);
    const auth = {
      type: "client_credentials",
      clientId: "me",
      clientSecret: "s3:cret",
      scope: "a b",
      tokenUrl: `${origin}/token`,
    } as const;
    const { call } = await connectApi(apiSettings(DOCUMENT, origin, { auth }));
    await Promise.all([call("read"), call("read")]);
    expect(issued).toBe(1);
    expect(requests[0]).toMatchObject({
      body: "grant_type=client_credentials&scope=a+b",
      headers: { authorization: `Basic ${Buffer.from("me:s3%3Acret").toString("base64")}` },
    });
    expect(requests.at(-1)?.headers.authorization).toBe("Bearer at-1");
  });

  it("are renewed once where the API refuses a token, and sent in the body where the token URL wants that", async () => {
    let issued = 0;
    const { requests, origin } = await startStub(({ url, body, headers }, response) => {
      if (url === "/token" && !body.includes("client_secret=")) sendJson(response, 401, { error: "invalid_client" });
      else if (url === "/token") {
        issued += 1;
        sendJson(response, 200, { access_token: `at-${issued}` });
      } else sendJson(response, headers.authorization === "Bearer at-2" ? 200 : 401, {});
    });
    const auth = {
      type: "client_credentials",
      clientId: "me",
      clientSecret: "x",
      tokenUrl: `${origin}/token`,
    } as const;
    const { call } = await connectApi(apiSettings(DOCUMENT, origin, { auth }));
    expect((await call("write")).isError).toBeUndefined();
    expect(requests.filter(({ url }) => url === "/it")).toHaveLength(2);
  });

  it("of a user are sent for that user alone", async () => {
    const { requests, origin } = await startStub();
    const values: Record<string, string> = { ann: "ann-key", ben: "ben-key" };
    const bench = openApiBench({
      personal: {
        credentials: {
          read: async (_, user) => ({
            kind: "values",
            binding: "b",
            values: { "X-Key": values[user] ?? "", key: `${user} q&1` },
          }),
          writeSignIn: async () => {},
          signIns: async () => [],
        },
        isUser: (id) => id in values,
        getPage: () => "/servers/api",
      },
    });
    bench.connections.apply(
      apiSettings(DOCUMENT, origin, { personal: { slots: ["X-Key", "key"], query: ["key"], binding: "b" } }),
    );
    for (const user of ["ann", "ben"]) {
      const actor = { ...buildContext().actor, id: user };
      await bench.connections.call("api", "read", {}, buildContext({ actor }));
    }
    expect(requests.map(({ headers }) => headers["x-key"])).toEqual(["ann-key", "ben-key"]);
    expect(requests.map(({ url }) => url)).toEqual(["/it?key=ann%20q%261", "/it?key=ben%20q%261"]);
    expect(requests[0]?.headers).not.toHaveProperty("key");
    expect(JSON.stringify(bench.connections.messages("api", "ann"))).not.toMatch(/ann-key|ann q&1|ann%20q/);
  });

  it("are each user's own exchanged token, renewed once where the API refuses it, or a sign-in that is missing", async () => {
    const { requests, origin } = await startStub(({ headers }, response) =>
      sendJson(response, headers.authorization === "Bearer ann-1" ? 401 : 200, {}),
    );
    const issued = new Map<string, number>();
    const current = new Map<string, string>();
    const identities: UserIdentities = {
      isProven: async () => true,
      requestGrant: () => Promise.reject(new Error("no ID-JAG is used here")),
      exchange: async (user) => {
        if (user === "cleo") throw new IdentityRefusal("missing", "Call 'api' with a token of the issuer");
        const count = (issued.get(user) ?? 0) + (current.has(user) ? 0 : 1);
        issued.set(user, count);
        current.set(user, `${user}-${count}`);
        return `${user}-${count}`;
      },
      discard: (token) => void current.delete(token.slice(0, 3)),
    };
    const bench = openApiBench({
      personal: {
        credentials: { read: async () => null, writeSignIn: async () => {}, signIns: async () => [] },
        isUser: () => true,
        getPage: () => "/servers/api",
        identities,
      },
    });
    const auth = { type: "token_exchange", issuer: origin, tokenUrl: `${origin}/token`, clientId: "me" } as const;
    bench.connections.apply(apiSettings(DOCUMENT, origin, { auth, personal: { slots: [], binding: "b" } }));
    const call = (id: string) =>
      bench.connections.call("api", "read", {}, buildContext({ actor: { ...buildContext().actor, id } }));
    for (const user of ["ann", "ben"]) expect((await call(user)).isError).toBeUndefined();
    await expect(call("cleo")).rejects.toMatchObject({
      kind: "sign_in_needed",
      message: "Server 'api': Call 'api' with a token of the issuer: /servers/api",
    });
    const sent = requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(["Bearer ann-1", "Bearer ann-2", "Bearer ben-1"]);
  });

  it("never follow a redirect to another origin, nor do the call's own headers", async () => {
    const other = await startStub();
    const { origin } = await startStub((_, response) => {
      response.writeHead(302, { location: `${other.origin}/elsewhere` }).end();
    });
    const parameters = [{ name: "X-Own", in: "header" }];
    const document = buildDocument({ "/it": { get: { operationId: "read", parameters } } });
    const settings = apiSettings(document, origin, {
      headers: { Authorization: "Bearer abc" },
      query: { key: "k-123" },
    });
    const { call } = await connectApi(settings);
    await call("read", { "X-Own": "mine" });
    expect(other.requests).toHaveLength(1);
    expect(other.requests[0]?.url).toBe("/elsewhere");
    expect(Object.keys(other.requests[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(["authorization"]));
    expect(other.requests[0]?.headers["x-own"]).toBeUndefined();
  });
});

describe("the response of an API", () => {
  const respond = async (answer: Answer, tool = "read", options = {}) => {
    const { requests, origin } = await startStub(answer);
    const { call } = await connectApi(apiSettings(DOCUMENT, origin), options);
    return { requests, result: call(tool) };
  };

  it("is the result with its status and the headers that are no secret", async () => {
    const headers = { etag: '"1"', "x-ratelimit-remaining": "7", "set-cookie": "session=secret" };
    const { result } = await respond((_, response) => sendJson(response, 200, [1], headers));
    expect(await result).toEqual({
      content: [{ type: "text", text: "[1]" }],
      structuredContent: { result: [1] },
      _meta: {
        [HTTP_META_KEY]: {
          status: 200,
          statusText: "OK",
          headers: { "content-type": "application/json", etag: '"1"', "x-ratelimit-remaining": "7" },
        },
      },
    });
  });

  it("is a failure with status and body where it is not 2xx", async () => {
    const { result } = await respond((_, response) => sendJson(response, 422, { message: "no" }));
    expect(await result).toMatchObject({
      isError: true,
      content: [{ text: 'HTTP 422 Unprocessable Entity\n{"message":"no"}' }],
      _meta: { [HTTP_META_KEY]: { status: 422 } },
    });
  });

  it("is media or an embedded resource where it is no text", async () => {
    const bytes = Buffer.from([0, 1]);
    const image = await respond((_, response) => response.writeHead(200, { "content-type": "image/png" }).end(bytes));
    expect((await image.result).content).toEqual([{ type: "image", data: "AAE=", mimeType: "image/png" }]);
    const file = await respond((_, response) =>
      response.writeHead(200, { "content-type": "application/pdf" }).end(bytes),
    );
    expect((await file.result).content).toMatchObject([{ type: "resource", resource: { blob: "AAE=" } }]);
  });

  it("is decompressed within the size limit, and refused beyond it", async () => {
    const big = gzipSync(JSON.stringify({ text: "x".repeat(100_000) }));
    const answer: Answer = (_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(big);
    };
    expect((await (await respond(answer)).result).structuredContent).toMatchObject({
      text: expect.stringMatching(/^x+$/),
    });
    const limited = await respond(answer, "read", { limits: { maxMessageBytes: 10_000 } });
    await expect(limited.result).rejects.toThrow("larger");
  });

  it("is not asked for again by a redirect of a request that writes", async () => {
    const { requests, result } = await respond(
      (_, response) => response.writeHead(302, { location: "/b" }).end(),
      "write",
    );
    expect(await result).toMatchObject({ isError: true, _meta: { [HTTP_META_KEY]: { headers: { location: "/b" } } } });
    expect(requests).toHaveLength(1);
  });

  it("is awaited until the call is cancelled", async () => {
    const { origin, requests } = await startStub(() => undefined);
    const { bench } = await connectApi(apiSettings(DOCUMENT, origin));
    const abort = new AbortController();
    const result = bench.connections.call("api", "read", {}, buildContext({ signal: abort.signal }));
    await expect.poll(() => requests.length).toBe(1);
    abort.abort();
    await expect(result).rejects.toMatchObject({ kind: "cancelled" });
  });

  it("is not fetched from an address that the policy refuses, also after a redirect", async () => {
    const addresses = createAddressPolicy({ privateAddresses: null, local: false });
    const { requests, result } = await respond(() => undefined, "read", { addresses });
    await expect(result).rejects.toThrow("TOOLROOM_PRIVATE_ADDRESSES");
    expect(requests).toEqual([]);
    const metadata = { location: "http://169.254.169.254/latest" };
    const redirected = await respond((_, response) => response.writeHead(302, metadata).end());
    await expect(redirected.result).rejects.toThrow("to which Toolroom never connects");
  });
});
