import { createServer, get, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import { createHostPolicy } from "../../../lib/http-guard";
import { waitUntil } from "../../../lib/wait-until.test-support";
import type { EventBus } from "../coordination/live-event-bus";
import { createEventBus, type EventBusLimits } from "../coordination/live-event-bus";
import { createLiveEndpoint, type LiveEndpointPorts } from "./live-endpoint";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const OPEN_TO_ALL = { accounts: false, authenticate: async () => LOCAL_PRINCIPAL, enter: async () => LOCAL_PRINCIPAL };

async function start(
  limits: Partial<EventBusLimits> = {},
  maxUnsentBytes?: number,
  access: LiveEndpointPorts["access"] = OPEN_TO_ALL,
) {
  const hub = createEventBus("life", limits);
  const endpoint = createLiveEndpoint({
    hub,
    access,
    hostPolicy: createHostPolicy({ host: "127.0.0.1" }),
    ...(maxUnsentBytes === undefined ? {} : { maxUnsentBytes }),
    checkMs: 20,
  });
  const server = createServer((incoming, response) => endpoint.handle(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    hub.close();
    server.closeAllConnections();
    server.close();
  });
  return { hub, endpoint, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/live` };
}

function open(
  url: string,
  headers: OutgoingHttpHeaders = {},
): Promise<{ response: IncomingMessage; text: () => string }> {
  return new Promise((resolve, reject) => {
    const call = get(url, { headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", () => undefined);
      ends.push(() => call.destroy());
      resolve({ response, text: () => text });
    });
    call.on("error", reject);
  });
}

const publish = (hub: EventBus, name: string): void => hub.publish({ type: "servers", server: name });

describe("the stream of live events", () => {
  it("EXE-06 is a stream of server-sent events that is not stored or transformed", async () => {
    const { hub, url } = await start();
    const { response, text } = await open(url);
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toContain("text/event-stream");
    expect(response.headers["cache-control"]).toBe("no-store, no-transform");
    publish(hub, "files");
    await waitUntil(() => expect(text()).toContain('data: [{"type":"servers","server":"files"}]\n\n'));
    expect(text()).toMatch(/^id: life:0\ndata: \[\{"type":"hello"\}\]\n\n/);
  });

  it("EXE-06 is for users who are signed in, and ends when they are signed out; a limited token reads nothing", async () => {
    let principal: Principal | null = LOCAL_PRINCIPAL;
    const read = async () => principal;
    const { hub, url } = await start({}, undefined, { accounts: true, authenticate: read, enter: read });
    const { response, text } = await open(url);
    expect(response.statusCode).toBe(200);
    publish(hub, "files");
    await waitUntil(() => expect(text()).toContain("files"));
    const ended = new Promise((resolve) => response.once("end", resolve));
    principal = null;
    await ended;
    expect((await open(url)).response.statusCode).toBe(401);
    principal = { ...LOCAL_PRINCIPAL, token: { id: "t", scopes: ["manage"], tools: ["echo"], servers: null } };
    expect((await open(url)).response.statusCode).toBe(401);
  });

  it("EXE-06 what reaches Next has the same reader: refused without one, without what others may read, ended when signed out", async () => {
    let principal: Principal | null = { ...LOCAL_PRINCIPAL, id: "vera", role: "viewer" };
    const read = async () => principal;
    const { hub, endpoint, url } = await start({}, undefined, { accounts: true, authenticate: read, enter: read });
    const response = await endpoint.respond(new Request(url));
    hub.publish({ type: "servers", server: "private" }, ["ada"]);
    publish(hub, "files");
    const text = response.text();
    principal = null;
    expect(await text).toMatch(/files.*signed_out/s);
    expect(await text).not.toContain("private");
    expect(hub.streamCount).toBe(0);
    expect((await endpoint.respond(new Request(url))).status).toBe(401);
    const full = { code: "TOO_MANY_REQUESTS", message: "Too many", retryAfterSeconds: 7 };
    const enter = () => Promise.reject(Object.assign(new Error(full.message), full));
    const limited = await start({}, undefined, { accounts: true, authenticate: read, enter });
    const refused = await limited.endpoint.respond(new Request(limited.url));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "7"]);
  });

  it("EXE-06 sends a byte at once, also where nothing was missed: Firefox waits for it", async () => {
    const { url, endpoint } = await start();
    const { text } = await open(url, { "last-event-id": "life:0" });
    await waitUntil(() => expect(text()).toBe(":\n\n"));
    const { body } = await endpoint.respond(new Request(url, { headers: { "last-event-id": "life:0" } }));
    const reader = body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(":\n\n");
    await reader?.cancel();
  });

  it("EXE-06 resumes after Last-Event-ID and after ?lastEventId, in next dev too", async () => {
    const { hub, endpoint, url } = await start();
    const first = await open(url);
    publish(hub, "missed");
    await waitUntil(() => expect(first.text()).toContain("missed"));
    const byHeader = await open(url, { "last-event-id": "life:0" });
    const byQuery = await open(`${url}?lastEventId=life:0`);
    await waitUntil(() => expect(byHeader.text() + byQuery.text()).toMatch(/missed.*missed/s));
    const web = await endpoint.respond(new Request(url, { headers: { "last-event-id": "life:0" } }));
    const chunk = await web.body?.getReader().read();
    expect(new TextDecoder().decode(chunk?.value)).toContain("missed");
  });

  it("EXE-06 a closed connection frees its stream", async () => {
    const { hub, url } = await start();
    const { response } = await open(url);
    expect(hub.streamCount).toBe(1);
    response.destroy();
    await waitUntil(() => expect(hub.streamCount).toBe(0));
  });

  it("EXE-06 a closed connection frees the streams of all requests that were sent on it", async () => {
    const { hub, url } = await start();
    const { port, host, pathname } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(3));
    await waitUntil(() => expect(hub.streamCount).toBe(3));
    socket.destroy();
    await waitUntil(() => expect(hub.streamCount).toBe(0));
  });

  it("EXE-06 one stream too many is refused with 503, Retry-After and a message, in next dev too", async () => {
    const { endpoint, url } = await start({ streams: 1 });
    await open(url);
    const { response, text } = await open(url);
    expect(response.statusCode).toBe(503);
    expect(response.headers["retry-after"]).toBe("15");
    await waitUntil(() => expect(JSON.parse(text()).error.code).toBe("too_many_streams"));
    expect(text()).toContain("Close other tabs of the console");
    expect((await endpoint.respond(new Request(url))).status).toBe(503);
  });

  it("EXE-06 a reader that does not read costs a bounded queue, and reads everything again once it does", async () => {
    const { hub, url } = await start({}, 100_000);
    const { response, text } = await open(url);
    response.pause();
    const other = await open(url);
    const message = "x".repeat(500_000);
    for (let at = 0; at < 60; at += 1) {
      hub.publish({ type: "run_text", runId: "r", step: 1, offset: at, text: message });
      await waitUntil(() => expect(other.text().split("run_text").length).toBeGreaterThan(at + 1));
    }
    response.resume();
    await waitUntil(() => expect(text()).toContain('data: [{"type":"reset"}]'));
    expect(text().length).toBeLessThan(other.text().length);
  });

  it.each([
    ["a foreign host", { host: "evil.example" }, 421],
    ["a foreign page", { origin: "https://evil.example" }, 403],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
  ])("ERR-03 %s gets no stream", async (_what, headers, status) => {
    const { hub, url } = await start();
    expect((await open(url, headers)).response.statusCode).toBe(status);
    expect(hub.streamCount).toBe(0);
  });

  it("ERR-02 other methods are refused with the one that is allowed", async () => {
    const { url } = await start();
    const response = await new Promise<IncomingMessage>((resolve) =>
      request(url, { method: "POST", agent: false }, resolve).end(),
    );
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe("GET");
    response.resume();
  });
});
