import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  CLIENT_HEADER,
  type ProxyUser,
  readProxyUser,
  toHeaders,
  writeProxyUser,
} from "../../../lib/http-guard/request-headers";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { createForwarding, type Forwarded, type Forwarding, toInstanceTag } from "./forwarding";
import { createTestInstances } from "./instances.test-support";

const servers: Server[] = [];

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a request that an instance forwards", () => {
  let now: number;
  let sending: Forwarding;
  let receiving: Forwarding;
  let living: ReturnType<typeof createTestInstances>;
  /** What the second instance does with a request. */
  let serve: (request: IncomingMessage, response: ServerResponse, verdict: string) => void;
  let outcome: Promise<Forwarded> | null;
  let entrance: string;
  let named: ProxyUser | null;

  beforeEach(async () => {
    now = 1_000_000;
    outcome = null;
    named = null;
    living = createTestInstances();
    const one = living.add("one");
    const other = living.add("other");
    sending = createForwarding(one, "key", () => now);
    receiving = createForwarding(other, "key", () => now);
    other.serveAt(await listen((request, response) => serve(request, response, receiving.admit(request))));
    entrance = await listen((request, response) => {
      request.headers["x-forwarded-for"] = "9.9.9.9";
      request.headers[CLIENT_HEADER] = "203.0.113.7";
      request.headers["x-forwarded-proto"] = "https";
      writeProxyUser(request.headers, named);
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.once("end", () => {
        outcome = sending.send(other.self, request, Buffer.concat(chunks), response);
      });
    });
  });
  afterEach(async () => {
    sending.close();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it("arrives with the user that a proxy named to the first instance, who cannot be written by a client", async () => {
    const seen: unknown[] = [];
    serve = (request, response) => {
      seen.push(readProxyUser(toHeaders(request)));
      response.end();
    };
    const user = { name: "olivia@example.org", groups: ["ops"] };
    named = user;
    await fetch(entrance, { method: "POST", body: "x" });
    named = null;
    await fetch(entrance, { method: "POST", body: "x", headers: { "x-toolroom-proxy-user": "x %7B%7D" } });
    expect(seen).toEqual([user, null]);
  });

  it("arrives with its body and headers and its client's address, and is known as forwarded", async () => {
    const seen: unknown[] = [];
    serve = async (request, response, verdict) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const { authorization, "x-forwarded-for": client, "x-forwarded-proto": protocol } = request.headers;
      seen.push([verdict, receiving.isForwarded(request), request.url, body, authorization, client, protocol]);
      seen.push(request.headers["toolroom-forwarded"]);
      response.writeHead(201, { "x-own": "1" }).end("done");
    };
    const headers = { authorization: "Bearer t" };
    const answer = await fetch(`${entrance}/mcp/files?x=1`, { method: "POST", body: "häll", headers });
    expect([answer.status, answer.headers.get("x-own"), await answer.text()]).toEqual([201, "1", "done"]);
    expect(seen).toEqual([
      ["forwarded", true, "/mcp/files?x=1", "häll", "Bearer t", "203.0.113.7", "https"],
      undefined,
    ]);
    expect(await outcome).toEqual({ outcome: "answered" });
  });

  it("is known by its body: another one under the same signature is not the instance's", async () => {
    const verdicts: unknown[] = [];
    serve = async (request, response, verdict) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const others = [body, `${body} `, "", '{"method":"tools/call"}'];
      verdicts.push(verdict, ...others.map((each) => receiving.hasSignedBody(request, each)));
      response.end();
    };
    await fetch(`${entrance}/mcp`, { method: "POST", body: '{"method":"ping"}' });
    expect(verdicts).toEqual(["forwarded", true, false, false, false]);
    const outside = { headers: {} } as IncomingMessage;
    expect([receiving.admit(outside), receiving.hasSignedBody(outside, "any")]).toEqual(["outside", true]);
  });

  it("is for another process when it is too old or names one that was at the address before, and is refused with another key", async () => {
    const verdicts: string[] = [];
    serve = (_request, response, verdict) => {
      verdicts.push(verdict);
      response.end();
    };
    const { copies } = sending;
    sending = createForwarding(copies, "key", () => now - 61_000);
    await fetch(entrance);
    sending = createForwarding(copies, "another key", () => now);
    await fetch(entrance);
    sending = createForwarding(copies, "key", () => now);
    receiving = createForwarding(living.add("the next process"), "key", () => now);
    await fetch(entrance);
    expect(verdicts).toEqual(["misdirected", "forged", "misdirected"]);
  });

  it("streams, and ends at the other instance when its client leaves", async () => {
    let open: ServerResponse | null = null;
    serve = (_request, response) => {
      open = response;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
    };
    const leaving = new AbortController();
    const answer = await fetch(entrance, { signal: leaving.signal });
    const reader = answer.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("data: 1\n\n");
    (open as ServerResponse | null)?.write("data: 2\n\n");
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("data: 2\n\n");
    leaving.abort();
    await waitUntil(() => open?.destroyed === true, { what: "the end at the other copy" });
  });

  it("was not taken where the instance is stopping, nor will be where nothing or another process listens, and is lost where its answer is cut or its instance is lost", async () => {
    serve = (_request, response) => void response.writeHead(503).end();
    const first = fetch(entrance).catch(() => null);
    await waitUntil(() => outcome !== null);
    expect(await outcome).toEqual({ outcome: "not_taken" });
    for (const answer of [
      (response: ServerResponse) => response.writeHead(421),
      (response: ServerResponse) => response.writeHead(503, { "toolroom-phase": "starting" }),
    ]) {
      serve = (_request, response) => void answer(response).end();
      outcome = null;
      const other = fetch(entrance).catch(() => null);
      await waitUntil(() => outcome !== null);
      expect(await outcome).toEqual({ outcome: "gone" });
      for (const server of servers) server.closeAllConnections();
      await other;
    }
    serve = (request) => void request.socket.destroy();
    outcome = null;
    const second = fetch(entrance).catch(() => null);
    await waitUntil(() => outcome !== null);
    expect(await outcome).toEqual({ outcome: "lost", bodyBytes: 0 });
    serve = (_request, response) => void response.write("half");
    outcome = null;
    const third = fetch(entrance).catch(() => null);
    await waitUntil(() => outcome !== null);
    living.lose("other");
    expect(await outcome).toEqual({ outcome: "lost", bodyBytes: 4 });
    for (const server of servers) server.closeAllConnections();
    await Promise.all([first, second, third]);
    const [gone] = servers.splice(0, 1);
    await new Promise((resolve) => gone?.close(resolve));
    outcome = null;
    const last = fetch(entrance).catch(() => null);
    await waitUntil(() => outcome !== null);
    expect(await outcome).toEqual({ outcome: "gone" });
    for (const server of servers) server.closeAllConnections();
    await last;
  });

  it("names instances by short tags that differ", () => {
    expect(toInstanceTag("inst_a")).toMatch(/^[\w-]{8}$/);
    expect(toInstanceTag("inst_a")).not.toBe(toInstanceTag("inst_b"));
  });
});
