import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { createNodeFetch } from "../client/transport/node-fetch";
import { LeanHttpTransport } from "./lean-transport";

const MAX_BYTES = 100_000;
const CALL = { jsonrpc: "2.0" as const, id: 7, method: "tools/call", params: { name: "echo", arguments: {} } };
const ANSWER = { jsonrpc: "2.0", id: 7, result: { content: [] } };
const STREAM = { "content-type": "text/event-stream" };
const PROGRESS = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 7, progress: 1 } };
const formatEvent = (message: unknown, head = ""): string => `${head}data: ${JSON.stringify(message)}\n\n`;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A transport to a server that answers with `handler`, and what it delivered. */
async function connect(handler: Handler) {
  const requests: { method: string | undefined; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer((request, response) => {
    requests.push({ method: request.method, headers: request.headers });
    request.resume().on("end", () => handler(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const plain = createNodeFetch({
    origin: url.origin,
    headers: { "X-Custom": "yes" },
    maxBytes: MAX_BYTES,
    onCredentials() {},
  });
  const transport = new LeanHttpTransport(url, { fetch: plain.fetch, requests: plain, maxBytes: MAX_BYTES });
  onTestFinished(async () => {
    await transport.close();
    plain.close();
    server.closeAllConnections();
    server.close();
  });
  const messages: { message: JSONRPCMessage; text: string; on: unknown }[] = [];
  const errors: string[] = [];
  const ends: number[] = [];
  transport.onmessage = (message: JSONRPCMessage) => {
    messages.push({ message, text: transport.receivedText, on: transport.receivedOn });
  };
  transport.onerror = ({ message }) => void errors.push(message);
  await transport.start();
  const send = (): Promise<void> =>
    transport.send(CALL as JSONRPCMessage, { onRequestStreamEnd: () => void ends.push(messages.length) });
  return { transport, send, messages, errors, ends, requests };
}

describe("a call over HTTP", () => {
  it.each([
    ["JSON", "application/json; charset=utf-8", JSON.stringify(ANSWER)],
    ["a stream", "text/event-stream", formatEvent(ANSWER, "event: message\n")],
  ])("delivers the answer of %s with its text, and sends the settings' headers", async (_, type, body) => {
    const peer = await connect((_request, response) => response.writeHead(200, { "content-type": type }).end(body));
    peer.transport.setProtocolVersion("2025-11-25");
    await peer.send();
    await waitUntil(() => peer.messages.length === 1, { what: "the answer" });
    expect(peer.messages[0]).toEqual({ message: ANSWER, text: JSON.stringify(ANSWER), on: 7 });
    expect(peer.requests[0]?.headers).toMatchObject({ "x-custom": "yes", "mcp-protocol-version": "2025-11-25" });
    expect(peer.errors).toEqual([]);
  });

  it("names the request on whose stream a notification came, and ends it once after the stream", async () => {
    const peer = await connect((_request, response) =>
      response.writeHead(200, STREAM).end(formatEvent(PROGRESS) + formatEvent(ANSWER)),
    );
    await peer.send();
    await waitUntil(() => peer.ends.length === 1, { what: "the stream's end" });
    expect(peer.messages.map(({ on }) => on)).toEqual([7, 7]);
    expect(peer.ends).toEqual([2]);
  });

  it("resumes a stream that numbers its events with the id of the last one, and loses no event", async () => {
    const peer = await connect((request, response) => {
      response.writeHead(200, STREAM);
      if (request.method === "GET") response.end(formatEvent(ANSWER, "id: c\n"));
      else
        response.end(
          formatEvent(PROGRESS) + formatEvent(PROGRESS, "id: a\nretry: 10\n") + formatEvent(PROGRESS, "id: b\n"),
        );
    });
    await peer.send();
    await waitUntil(() => peer.messages.length === 4, { what: "the answer" });
    expect(peer.messages.at(-1)?.message).toEqual(ANSWER);
    expect(peer.requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
    expect(peer.requests[1]?.headers["last-event-id"]).toBe("b");
  });

  it("sends a refused call no second time, and fails with the refusal", async () => {
    const peer = await connect((_request, response) => response.writeHead(500).end("away"));
    await expect(peer.send()).rejects.toMatchObject({ data: { status: 500, text: "away" } });
    expect(peer.requests).toHaveLength(1);
  });

  it.each([
    ["JSON", "application/json", JSON.stringify(ANSWER)],
    ["a stream", "text/event-stream", formatEvent(ANSWER)],
  ])("decodes a compressed answer of %s", async (_, type, body) => {
    const peer = await connect((_request, response) =>
      response.writeHead(200, { "content-type": type, "content-encoding": "gzip" }).end(gzipSync(body)),
    );
    await peer.send();
    await waitUntil(() => peer.messages.length === 1, { what: "the answer" });
    expect(peer.messages[0]).toEqual({ message: ANSWER, text: JSON.stringify(ANSWER), on: 7 });
    expect(peer.requests).toHaveLength(1);
  });

  it("hands a compressed stream that can be resumed to the SDK decoded", async () => {
    const body = gzipSync(formatEvent(ANSWER, "id: 1\nretry: 5000\n").replace("result", "\\u0072esult"));
    const peer = await connect((_request, response) =>
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" }).end(body),
    );
    await peer.send();
    await waitUntil(() => peer.messages.length === 1, { what: "the answer" });
    expect(peer.messages[0]?.message).toEqual(ANSWER);
  });

  it("ends a call whose event is larger than a message may be", async () => {
    const peer = await connect((_request, response) => {
      response.writeHead(200, STREAM).write(`${formatEvent(PROGRESS)}data: ${"x".repeat(MAX_BYTES + 1)}`);
    });
    await peer.send();
    await waitUntil(() => peer.ends.length === 1, { what: "the stream's end" });
    expect(peer.errors.join()).toContain(`larger than the ${MAX_BYTES} bytes allowed`);
  });

  it("says nothing of a stream that Toolroom closed", async () => {
    let closed = false;
    const peer = await connect((_request, response) => {
      response.on("close", () => {
        closed = true;
      });
      response.writeHead(200, STREAM).write(formatEvent(PROGRESS));
    });
    await peer.send();
    await waitUntil(() => peer.messages.length === 1, { what: "the progress" });
    await peer.transport.close();
    await waitUntil(() => closed, { what: "the stream's end at the server" });
    expect([peer.errors, peer.ends]).toEqual([[], []]);
  });
});
