import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { startTlsServer } from "../../platform/outgoing/tls-server.test-support";
import { createClientDocuments, findDocumentFault } from "./client-documents";
import type { DocumentClient } from "./client-grant-store";

const PATH = "/client.json";

type Answer = (response: ServerResponse, url: string, request: IncomingMessage) => void;

const sendJson = (response: ServerResponse, body: unknown, headers: Record<string, string> = {}): void =>
  void response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

const describeClient = (url: string, more: object = {}): object => ({
  client_id: `${url}${PATH}`,
  client_name: "Notes",
  redirect_uris: ["http://127.0.0.1:4000/callback"],
  ...more,
});

/** A publisher of documents on loopback, and what was stored of them. */
async function open(answer: Answer, privateAddresses = "127.0.0.1") {
  const requests: string[] = [];
  const server = await startTlsServer((request, response) => {
    requests.push(request.url ?? "");
    answer(response, server.url, request);
  });
  const saved = new Map<string, DocumentClient>();
  const clock = { at: 1_800_000_000_000 };
  const documents = createClientDocuments({
    fetch: server.openFetch(privateAddresses),
    grants: {
      findClient: async (id) => {
        const found = saved.get(id);
        return found === undefined ? null : { id, name: "", redirectUris: [], refreshes: true };
      },
      saveDocumentClient: async (client) => void saved.set(client.id, client),
    },
    schemes: [],
    now: () => clock.at,
  });
  return { ...server, documents, requests, saved, clock, id: `${server.url}${PATH}` };
}

describe("the address of a Client ID Metadata Document", () => {
  it.each([
    "http://client.example/a",
    "HTTPS://client.example/a",
    "https://Client.example/a",
    "https://client.example",
    "https://client.example/",
    "https://client.example:443/a",
    "https://client.example/a/../b",
    "https://client.example/./a",
    "https://client.example/%2e%2e/a",
    "https://client.example/a#b",
    "https://client.example/a#",
    "https://client.example/a?b",
    "https://client.example/a?",
    "https://user@client.example/a",
    "https://user:pass@client.example/a",
    "https://client.example\\@evil.example/a",
    "https://0x7f.1/a",
    "https://2130706433/a",
    "https:client.example/a",
    "https:///client.example/a",
    " https://client.example/a",
    "https://client.example/a b",
    "https://client.example/\n",
    "https://clïent.example/a",
    "https://",
    `https://client.example/${"a".repeat(500)}`,
    "file:///etc/passwd",
  ])("is not %j", (clientId) => expect(findDocumentFault(clientId)).not.toBeNull());

  it.each(["https://client.example/a", "https://client.example:8443/oauth/client.json", "https://[::1]/a"])(
    "may be %s",
    (clientId) => expect(findDocumentFault(clientId)).toBeNull(),
  );
});

describe("a Client ID Metadata Document", () => {
  it("makes its client known with the name and the addresses that it lists", async () => {
    const { documents, saved, id } = await open((response, url) => sendJson(response, describeClient(url)));
    await documents.refresh(id, "session");
    expect(saved.get(id)).toEqual({
      id,
      name: "Notes",
      redirectUris: ["http://127.0.0.1:4000/callback"],
      grantTypes: ["authorization_code", "refresh_token"],
      isNative: true,
    });
  });

  it("is fetched once for requests that come together, and again when its lifetime is over", async () => {
    const answer: Answer = (response, url) =>
      sendJson(response, describeClient(url), { "cache-control": "max-age=120" });
    const { documents, requests, clock, id, saved } = await open(answer);
    await Promise.all([1, 2, 3].map((each) => documents.refresh(id, `session ${each}`)));
    clock.at += 119_000;
    await documents.refresh(id, "session");
    expect(requests).toHaveLength(1);
    clock.at += 2_000;
    await documents.refresh(id, "session");
    expect(requests).toHaveLength(2);
    saved.clear();
    await documents.refresh(id, "session");
    expect(saved.size, "a deleted client is read again").toBe(1);
  });

  it("is used for a minute at least and a day at most, whatever it says of itself", async () => {
    for (const [control, least, most] of [
      ["no-store", 59, 61],
      ["max-age=0", 59, 61],
      ["max-age=999999999", 86_399, 86_401],
      ["", 299, 301],
    ] as const) {
      const answer: Answer = (response, url) => sendJson(response, describeClient(url), { "cache-control": control });
      const { documents, requests, clock, id } = await open(answer);
      await documents.refresh(id, "session");
      clock.at += least * 1_000;
      await documents.refresh(id, "session");
      expect([control, requests.length]).toEqual([control, 1]);
      clock.at += (most - least) * 1_000;
      await documents.refresh(id, "session");
      expect([control, requests.length]).toEqual([control, 2]);
    }
  });

  it("is fetched for one browser session twenty times a minute at most", async () => {
    const { documents, requests, url } = await open((response) => void response.writeHead(404).end());
    for (let index = 0; index < 25; index += 1) {
      await expect(documents.refresh(`${url}/${index}`, "session")).rejects.toThrow();
    }
    expect(requests).toHaveLength(20);
    await expect(documents.refresh(`${url}/more`, "session")).rejects.toThrow(/try again in/);
    await expect(documents.refresh(`${url}/more`, "other session")).rejects.toThrow(/status 404/);
  });

  const redirect =
    (status: number, location: string): Answer =>
    (response, url) =>
      void response.writeHead(status, { location: location.replace("SELF", url) }).end();
  const withFields =
    (more: object): Answer =>
    (response, url) =>
      sendJson(response, describeClient(url, more));
  const withText =
    (text: string, type = "application/json"): Answer =>
    (response) =>
      void response.writeHead(200, { "content-type": type }).end(text);

  const attacks: [string, Answer, RegExp][] = [
    ["redirects to another document", redirect(302, "SELF/other.json"), /redirects/],
    ["redirects to itself", redirect(302, `SELF${PATH}`), /redirects/],
    ["redirects for good", redirect(301, "SELF/other.json"), /redirects/],
    ["redirects to metadata of a cloud", redirect(307, "http://169.254.169.254/latest"), /redirects/],
    ["redirects to this machine", redirect(308, "http://127.0.0.1/"), /redirects/],
    ["redirects to a file", redirect(303, "file:///etc/passwd"), /redirects/],
    ["has status 201", (response) => void response.writeHead(201).end("{}"), /status 201/],
    ["has status 204", (response) => void response.writeHead(204).end(), /status 204/],
    ["has status 401", (response) => void response.writeHead(401).end(), /status 401/],
    ["has status 500", (response) => void response.writeHead(500).end(), /status 500/],
    ["is HTML", withText("<html>", "text/html"), /application\/json/],
    ["names no type", (response) => void response.writeHead(200).end("{}"), /application\/json/],
    ["is a script", withText("{}", "application/javascript"), /application\/json/],
    ["is longer than allowed", withText(JSON.stringify({ a: "x".repeat(20_000) })), /too large/],
    [
      "never ends",
      (response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const timer = setInterval(() => response.write(" ".repeat(4_096)), 1);
        response.on("close", () => clearInterval(timer));
      },
      /too large/,
    ],
    [
      "grows when it is unpacked",
      (response) =>
        void response
          .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
          .end(gzipSync(Buffer.alloc(10_000_000, 32))),
      /too large/,
    ],
    [
      "is cut off",
      (response) =>
        response
          .writeHead(200, { "content-type": "application/json", "content-length": "500" })
          .write("{", () => response.destroy()),
      /could not be read/,
    ],
    ["is no JSON", withText("{"), /not JSON/],
    ["is empty", withText(""), /not JSON/],
    ["is a list", withText("[]"), /JSON object/],
    ["is null", withText("null"), /JSON object/],
    ["is nested deeply", withText("[".repeat(8_000) + "]".repeat(8_000)), /JSON object/],
    ["names no client", withText('{"redirect_uris":["http://127.0.0.1/"]}'), /client_id/],
    ["names another client", withFields({ client_id: "https://client.example/a" }), /client_id/],
    ["names itself with a slash more", withFields({ client_id: `${PATH}/` }), /client_id/],
    ["has its client only in a prototype", withText('{"__proto__":{"client_id":"x"}}'), /client_id/],
    ["names its client as a list", withFields({ client_id: ["x"] }), /client_id/],
    ["has a secret", withFields({ client_secret: "s" }), /client_secret/],
    ["has a secret that is null", withFields({ client_secret: null }), /client_secret/],
    ["has a secret that ends", withFields({ client_secret_expires_at: 0 }), /client_secret_expires_at/],
    ["proves itself by a secret", withFields({ token_endpoint_auth_method: "client_secret_basic" }), /must be none/],
    ["proves itself by a key", withFields({ token_endpoint_auth_method: "private_key_jwt" }), /must be none/],
    ["has no redirect address", withFields({ redirect_uris: undefined }), /redirect_uris/],
    ["has an empty list of redirect addresses", withFields({ redirect_uris: [] }), /redirect_uris/],
    ["has a redirect address that is no text", withFields({ redirect_uris: [1] }), /redirect_uris\[0\]/],
    ["wants answers over http", withFields({ redirect_uris: ["http://client.example/"] }), /redirect_uris\[0\]/],
    ["wants answers in a script", withFields({ redirect_uris: ["javascript:alert(1)"] }), /redirect_uris\[0\]/],
    ["wants answers in data", withFields({ redirect_uris: ["data:text/html,x"] }), /redirect_uris\[0\]/],
    ["wants answers anywhere", withFields({ redirect_uris: ["https://*.client.example/"] }), /redirect_uris\[0\]/],
    ["wants answers with a fragment", withFields({ redirect_uris: ["https://client.example/#a"] }), /redirect_uris/],
    ["has too many addresses", withFields({ redirect_uris: Array(11).fill("http://127.0.0.1/") }), /1 to 10/],
  ];

  it.each(attacks)("that %s is refused, and nothing is stored of it", async (_title, answer, problem) => {
    const { documents, saved, id, requests } = await open(answer);
    await expect(documents.refresh(id, "session")).rejects.toThrow(problem);
    expect([saved.size, requests]).toEqual([0, [PATH]]);
    // A refusal is not remembered: the publisher may have corrected the document.
    await expect(documents.refresh(id, "session")).rejects.toThrow(problem);
    expect(requests).toHaveLength(2);
  });

  it.each(["127.0.0.1", "localhost", "[::1]", "[::ffff:7f00:1]", "169.254.169.254", "10.0.0.1", "192.168.0.1"])(
    "at the private address %s is not asked for where private addresses are refused",
    async (host) => {
      const { documents, requests, url, saved } = await open(
        (response, at) => sendJson(response, describeClient(at)),
        "deny",
      );
      const { port } = new URL(url);
      await expect(documents.refresh(`https://${host}:${port}${PATH}`, "session")).rejects.toThrow(
        /private address|never connects/,
      );
      expect([requests, saved.size]).toEqual([[], 0]);
    },
  );

  it("keeps what was known of its client when it cannot be read any more", async () => {
    let answer: Answer = (response, url) => sendJson(response, describeClient(url));
    const { documents, saved, id, clock } = await open((...given) => answer(...given));
    await documents.refresh(id, "session");
    answer = (response) => void response.writeHead(503).end();
    clock.at += 301_000;
    await expect(documents.refresh(id, "session")).rejects.toThrow(/503/);
    expect(saved.size).toBe(1);
  });
});
