import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, constants, createGzip, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNodeFetch } from "../../mcp/client/transport/node-fetch";
import { sendRequest } from "../../openapi/send-request";
import { createOutgoingAgents } from "./outgoing-agents";
import { createOutgoingFetch } from "./outgoing-fetch";

const MAX_BYTES = 100_000;
const VALUE = { text: "ä".repeat(5_000) };
const TEXT = JSON.stringify(VALUE);

async function serve(answer: RequestListener): Promise<URL> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

function openNodeFetch(url: URL) {
  const requests = createNodeFetch({ origin: url.origin, headers: {}, maxBytes: MAX_BYTES, onCredentials() {} });
  onTestFinished(() => requests.close());
  return requests;
}

async function sendToApi(url: URL): Promise<string> {
  const agents = createOutgoingAgents();
  onTestFinished(() => agents["http:"].destroy());
  const request = { url, method: "GET", headers: {}, body: null };
  const { body } = await sendRequest(request, null, {
    agents,
    maxBytes: MAX_BYTES,
    signal: AbortSignal.timeout(20_000),
  });
  return body.toString("utf8");
}

/** Every way by which Toolroom reads an answer over HTTP. */
const READERS: readonly (readonly [string, (url: URL) => Promise<string>])[] = [
  ["models and webhooks", async (url) => (await createOutgoingFetch()(url)).text()],
  ["servers and their OAuth", async (url) => (await openNodeFetch(url).fetch(url)).text()],
  ["API operations and documents", sendToApi],
];

const ENCODINGS: readonly (readonly [string, (text: string) => Buffer])[] = [
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["GZIP", gzipSync],
  ["br", brotliCompressSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["gzip, br", (text) => brotliCompressSync(gzipSync(text))],
  ["identity", (text) => Buffer.from(text)],
  ["utf-8", (text) => Buffer.from(text)],
];

/** Byte by byte at the start, where decoders are chosen. */
function trickle(response: ServerResponse, body: Buffer): void {
  for (const byte of body.subarray(0, 4)) response.write(Buffer.of(byte));
  response.end(body.subarray(4));
}

describe.each(READERS)("an answer to %s", (_, read) => {
  it.each(ENCODINGS)("is decoded as %s", async (encoding, encode) => {
    const accepted: unknown[] = [];
    const url = await serve((request, response) => {
      accepted.push(request.headers["accept-encoding"]);
      response.writeHead(200, { "content-type": "application/json", "content-encoding": encoding });
      trickle(response, encode(TEXT));
    });
    expect(await read(url)).toBe(TEXT);
    expect(accepted).toEqual(["gzip, deflate, br"]);
  });

  it.each([204, 200, 202])("is empty where a compressed one with status %i has no body", async (status) => {
    const url = await serve((_request, response) => response.writeHead(status, { "content-encoding": "br" }).end());
    expect(await read(url)).toBe("");
  });

  it.each([
    ["is cut", "gzip", gzipSync(TEXT).subarray(0, -20), /gzip.*Content-Encoding/],
    ["is no gzip", "gzip", Buffer.from(TEXT), /gzip.*Content-Encoding/],
    ["is no br", "br", Buffer.from("junk junk junk junk"), /br.*Content-Encoding/],
    ["is in a form that was not asked for", "zstd", Buffer.from(TEXT), /'zstd', which was not asked for/],
    ["has layers without end", Array(50).fill("gzip").join(), gzipSync(TEXT), /too many layers/],
  ])("fails with a reason where it %s", async (_what, encoding, body, reason) => {
    const url = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(body),
    );
    await expect(read(url)).rejects.toThrow(reason);
  });

  it("fails where its connection is cut", async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.write(gzipSync(TEXT).subarray(0, 30), () => response.destroy());
    });
    await expect(read(url)).rejects.toThrow();
  });
});

describe("a body that grows when it is decoded", () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));

  it.each([
    ["gzip", bomb],
    ["gzip, gzip", gzipSync(bomb)],
  ])("ends at the reader's limit (%s)", async (encoding, body) => {
    const url = await serve((_request, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(body),
    );
    for (const [, read] of READERS.slice(1)) await expect(read(url)).rejects.toThrow(/larger than the 100000 bytes/);
  });

  it("is decoded only as far as its reader reads", async () => {
    const url = await serve((_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    const response = await createOutgoingFetch()(url);
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(value?.byteLength).toBeLessThanOrEqual(MAX_BYTES);
    await reader?.cancel();
  });
});

it("passes the events of a compressed stream on as they come", async () => {
  let finish = (): void => undefined;
  const url = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
    const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
    gzip.pipe(response);
    gzip.write("data: 1\n\n");
    finish = () => void gzip.end("data: 2\n\n");
  });
  const response = await openNodeFetch(url).fetch(url);
  expect(response.headers.get("content-encoding")).toBeNull();
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk);
    if (text === "data: 1\n\n") finish();
  }
  expect(text).toBe("data: 1\n\ndata: 2\n\n");
});

it("asks for a stream of events uncompressed, and keeps what a request asks for itself", async () => {
  const accepted: unknown[] = [];
  const url = await serve((request, response) => {
    accepted.push(request.headers["accept-encoding"]);
    response.end();
  });
  const fetch = createOutgoingFetch();
  await fetch(url, { headers: { accept: "text/event-stream" } });
  await fetch(url, { headers: { "Accept-Encoding": "identity" } });
  expect(accepted).toEqual(["identity", "identity"]);
});
