import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { CONNECTION_LIMITS, checkTarget, EdgeRequest } from "./http-edge.mjs";
import { refuseConnect, refuseUpgrade } from "./upgrade-handler.mjs";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A server wired like server.mjs, which echoes method, target, host and body. */
async function startEdge(): Promise<number> {
  const server = createServer(
    { IncomingMessage: EdgeRequest, ...CONNECTION_LIMITS },
    async (request: IncomingMessage, response: ServerResponse) => {
      const refusal = checkTarget(request);
      if (refusal !== null) return void response.writeHead(refusal.status, refusal.headers).end(refusal.message);
      let body = "";
      for await (const chunk of request) body += String(chunk);
      response.end(`${request.method} ${request.url} ${request.headers.host} [${body}]`);
    },
  );
  server.on("upgrade", refuseUpgrade);
  server.on("connect", refuseConnect);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Sends the texts over one connection, each after the previous responses; returns everything received. */
async function exchange(...texts: string[]): Promise<string> {
  const socket = net.connect(await startEdge(), "127.0.0.1");
  ends.push(() => socket.destroy());
  let received = "";
  let wake = (): void => undefined;
  socket.on("data", (data) => {
    received += String(data);
    wake();
  });
  // A refusal may reset the connection before all of a request is read.
  socket.on("error", () => wake());
  socket.on("close", () => wake());
  for (const [index, text] of texts.entries()) {
    socket.write(text);
    const answered = (): boolean => received.split("HTTP/1.1 ").length - 1 > index && /\]|\}|\r\n\r\n$/.test(received);
    while (!answered() && !socket.destroyed) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return received;
}

const H2C = "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQ\r\n";
const WEBSOCKET = "connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n";

describe("the HTTP edge", () => {
  it.each([
    ["a GET", `GET /tools HTTP/1.1\r\nhost: a\r\n${H2C}\r\n`, "GET /tools a []"],
    [
      "a POST with a length",
      `POST /mcp HTTP/1.1\r\nhost: a\r\n${H2C}content-length: 4\r\n\r\nbody`,
      "POST /mcp a [body]",
    ],
    [
      "a chunked POST",
      `POST /api/trpc/x HTTP/1.1\r\nhost: a\r\n${H2C}transfer-encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n`,
      "POST /api/trpc/x a [body]",
    ],
  ])(
    "ERR-02 %s that offers HTTP/2 is answered over HTTP/1.1, and its connection stays usable",
    async (_what, text, echo) => {
      const received = await exchange(text, "GET /after HTTP/1.1\r\nhost: a\r\n\r\n");
      expect(received).toContain(echo);
      expect(received).toContain("GET /after a []");
      expect(received).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  it("ERR-02 a WebSocket handshake is answered with 404 at every address", async () => {
    for (const address of ["/tools", "/transcripts/t"]) {
      const received = await exchange(`GET ${address} HTTP/1.1\r\nhost: a\r\n${WEBSOCKET}\r\n`);
      expect(received).toMatch(/^HTTP\/1\.1 404 /);
      expect(received).toContain("There is no WebSocket at this address.");
    }
  });

  it("ERR-02 an absolute target is served as its path, under the host it names", async () => {
    const received = await exchange("GET http://evil.example:81/tools?q=1 HTTP/1.1\r\nhost: localhost\r\n\r\n");
    expect(received).toContain("GET /tools?q=1 evil.example:81 []");
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"])("passes %s on to SCIM, which says what it allows", async (method) => {
    const received = await exchange(`${method} /scim/v2/Users/1 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
    expect(received).toContain(`${method} /scim/v2/Users/1 a []`);
  });

  it.each([
    ["TRACE / HTTP/1.1", 405, "GET, HEAD, OPTIONS"],
    ["TRACE /api/trpc/tools.list HTTP/1.1", 405, "GET, HEAD, OPTIONS, POST"],
    ["DELETE /tools HTTP/1.1", 405, "GET, HEAD, OPTIONS"],
    ["DELETE /api/trpc/tools.list HTTP/1.1", 405, "GET, HEAD, OPTIONS, POST"],
    ["TRACE /api/v1/tools HTTP/1.1", 405, "GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE"],
    ["TRACE /scim/v2/Users HTTP/1.1", 405, "GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE"],
    ["POST /tools HTTP/1.1", 405, "GET, HEAD, OPTIONS"],
    ["OPTIONS * HTTP/1.1", 204, "GET, HEAD, OPTIONS, POST"],
    ["OPTIONS /tools HTTP/1.1", 204, "GET, HEAD, OPTIONS"],
    ["CONNECT example.org:80 HTTP/1.1", 405, "GET, HEAD, OPTIONS, POST"],
    ["GET * HTTP/1.1", 400, null],
    ["GET ftp://localhost/ HTTP/1.1", 400, null],
    ["GET http://user@localhost/ HTTP/1.1", 400, null],
    ["GET /tools/% HTTP/1.1", 400, null],
    ["GET /api/trpc/%ff HTTP/1.1", 400, null],
    ["GET /api/v1/tools/%E0%A4%A HTTP/1.1", 400, null],
    ["GET /_global-error HTTP/1.1", 404, null],
  ])("ERR-02 %s is answered with %i and says what is allowed", async (line, status, allow) => {
    const received = await exchange(`${line}\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(/\r\nallow: ([^\r]*)/i.exec(received)?.[1] ?? null).toBe(allow);
  });

  it("ERR-02 a malformed request or one with too many headers is refused, and a client that expects 100-continue gets it", async () => {
    expect(await exchange("GARBAGE\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await exchange("GET / HTTP/1.1\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
    expect(await exchange(`GET / HTTP/1.1\r\nhost: a\r\nx: ${"x".repeat(70_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
    const asking = "POST /mcp HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\n";
    expect(await exchange(asking, "body")).toMatch(/^HTTP\/1\.1 100 .*POST \/mcp a \[body\]/s);
  });

  it("ERR-02 a HEAD, a POST to the API and every method of /mcp pass", async () => {
    const save = "POST /api/preferences HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n";
    expect(await exchange(save)).toContain("POST /api/preferences a []");
    expect(await exchange("DELETE /mcp HTTP/1.1\r\nhost: a\r\n\r\n")).toContain("DELETE /mcp a []");
    expect(await exchange("DELETE /api/v1/tools/x HTTP/1.1\r\nhost: a\r\n\r\n")).toContain(
      "DELETE /api/v1/tools/x a []",
    );
    expect(await exchange("HEAD /tools HTTP/1.1\r\nhost: a\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("headers", () => {
  it.each(["Host", "authorization", "Origin", "Content-Type", "sec-fetch-site"])(
    "of which one counts are refused when sent twice: %s",
    async (name) => {
      const twice = `${name}: a\r\n${name.toUpperCase()}: a\r\n`;
      const host = name === "Host" ? "" : "host: a\r\n";
      const answer = await exchange(`GET /mcp HTTP/1.1\r\n${host}${twice}connection: close\r\n\r\n`);
      expect(answer).toContain("HTTP/1.1 400");
      expect(answer).toContain(`The header ${name.toLowerCase()} must be sent once.`);
      const socket = await exchange(`GET /x HTTP/1.1\r\n${host}${twice}${WEBSOCKET}\r\n`);
      expect(socket).toContain("HTTP/1.1 400");
    },
  );

  /** Returns the headers as the application sees them. */
  function pass(url: string, headers: Record<string, string>): object {
    const request = { method: "GET", url, rawHeaders: [], headers: { ...headers } };
    expect(checkTarget(request as unknown as IncomingMessage)).toBeNull();
    return request.headers;
  }
  const OWN = { cookie: "a=b", "x-toolroom-console": "1", accept: "text/html" };

  it("that Next sends between its own parts do not reach it from a client", () => {
    const internal = {
      "x-middleware-prefetch": "1",
      "x-middleware-subrequest": "a:a",
      "x-nextjs-data": "1",
      "x-matched-path": "/x",
      "x-now-route-matches": "1",
      "x-invoke-path": "/",
      "x-prerender-revalidate": "1",
      "next-action": "a",
      "next-resume": "1",
      "x-next-resume-state-length": "1",
      "x-action-forwarded": "1",
      "x-vercel-id": "1",
    };
    for (const url of ["/", "/api/v1/executions", "/api/trpc/x"]) {
      expect(pass(url, { ...internal, ...OWN })).toEqual(OWN);
    }
  });

  it("of the console's pages reach pages alone, and no router state that Next cannot read", () => {
    const state = encodeURIComponent(JSON.stringify(["", { children: ["tools", {}] }, null, null, 1]));
    const page = { rsc: "1", "next-url": "/", "next-router-prefetch": "1" };
    const known = { ...page, "next-router-state-tree": state };
    expect(pass("/tools?_rsc=1", { ...known, ...OWN })).toEqual({ ...known, ...OWN });
    for (const url of ["/api/v1/tools", "/api"]) expect(pass(url, { ...known, ...OWN })).toEqual(OWN);
    for (const garbage of ["garbage", "%", "%5B%5D", "null", "%5B%22%22%2C1%5D"]) {
      expect(pass("/tools", { ...page, "next-router-state-tree": garbage })).toEqual(page);
    }
  });
});

it("an idle connection stays open for longer than a client needs to read a long list", async () => {
  const response = await fetch(`http://127.0.0.1:${await startEdge()}/`);
  expect(response.headers.get("keep-alive")).toBe("timeout=75");
  expect(CONNECTION_LIMITS.headersTimeout).toBeGreaterThan(CONNECTION_LIMITS.keepAliveTimeout);
});
