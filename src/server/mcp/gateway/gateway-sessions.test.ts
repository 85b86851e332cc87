import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import {
  begin,
  buildCall,
  HEARS_PROGRESS,
  INITIALIZE,
  JSON_HEADERS,
  post,
  startGateway,
  type TestGateway,
  tool,
} from "./gateway.test-support";

let test: TestGateway;
afterEach(() => test.close());

describe("who may speak", () => {
  it("refuses names and pages that are not this server's", async () => {
    test = await startGateway();
    const ask = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const request = httpRequest(
          test.url,
          { method: "POST", headers: { ...JSON_HEADERS, ...headers } },
          (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          },
        );
        request.once("error", reject);
        request.end(JSON.stringify(INITIALIZE));
      });
    const { host } = new URL(test.url);
    expect(await ask({ host: "evil.example.com" })).toBe(403);
    expect(await ask({ host, origin: "http://evil.example.com" })).toBe(403);
    expect(await ask({ host, origin: "http://localhost:1" })).toBe(403);
    expect(await ask({ host, origin: `http://${host}` })).toBe(200);
    expect(await ask({ host })).toBe(200);
  });

  it("tells what is wrong with a request that is no message", async () => {
    test = await startGateway({ ports: { limits: { maxBodyBytes: 1000 } } });
    const tooLarge = await post(test.url, { ...INITIALIZE, padding: "x".repeat(2000) });
    expect([tooLarge.status, (await tooLarge.json()).error.message]).toEqual([
      413,
      "The request is larger than 1000 bytes",
    ]);
    const noJson = await post(test.url, "{");
    expect([noJson.status, (await noJson.json()).error.code]).toEqual([400, -32700]);
    expect((await post(test.url, "{}", { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(test.url, INITIALIZE, { accept: "text/html" })).status).toBe(406);
    expect((await post(test.url, { hello: 1 })).status).toBe(400);
    expect((await fetch(test.url, { method: "PUT" })).status).toBe(405);
    const noSession = await post(test.url, buildCall("echo", 7));
    expect([noSession.status, await noSession.json()]).toMatchObject([400, { id: 7 }]);
  });
});

describe("sessions", () => {
  it("begin with initialize, and their calls are cancelled when the client deletes them", async () => {
    test = await startGateway();
    const headers = await begin(test.url);
    const running = post(test.url, buildCall("slow", 1, HEARS_PROGRESS), headers);
    await waitUntil(() => test.journal.started.length === 1, { what: "the start" });
    expect(test.gateway.sessionCount()).toBe(1);
    expect((await fetch(test.url, { method: "DELETE", headers })).status).toBe(200);
    await waitUntil(() => test.journal.ended[0]?.end.status === "cancelled", { what: "the cancel" });
    expect(await (await running).text()).toBe("");
    expect((await post(test.url, buildCall("echo", 2), headers)).status).toBe(404);
    expect(test.gateway.sessionCount()).toBe(0);
  });

  it("hear progress while their call runs, growing, before its answer", async () => {
    test = await startGateway();
    const headers = await begin(test.url);
    const response = await post(test.url, buildCall("steps", 1, { _meta: { progressToken: "p" } }), headers);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
    expect(events.map(({ params, id }) => params?.progress ?? `answer ${id}`)).toEqual([1, 2, 3, "answer 1"]);
    expect(events[0].params).toEqual({ progressToken: "p", progress: 1, total: 3, message: "step 1" });
  });

  it("hear a tool's log lines once they have asked for them", async () => {
    test = await startGateway();
    const headers = await begin(test.url);
    const quiet = await post(test.url, buildCall("steps", 1), headers);
    expect(quiet.headers.get("content-type")).toBe("application/json");
    const level = { jsonrpc: "2.0", id: 2, method: "logging/setLevel", params: { level: "info" } };
    expect((await (await post(test.url, level, headers)).json()).result).toEqual({});
    const told = await (await post(test.url, buildCall("steps", 3), headers)).text();
    expect(told.match(/"method":"notifications\/message"/g)?.length).toBe(4);
    expect(told).toContain('"level":"info","data":"did step 1"');
  });

  it("continue a call whose connection was lost", async () => {
    test = await startGateway();
    const headers = await begin(test.url);
    const abort = new AbortController();
    const running = fetch(test.url, {
      method: "POST",
      headers: { ...JSON_HEADERS, ...headers },
      body: JSON.stringify(buildCall("steps", 1)),
      signal: abort.signal,
    });
    await waitUntil(() => test.journal.started.length === 1, { what: "the start" });
    abort.abort();
    await expect(running.then((response) => response.text())).rejects.toThrow();
    await waitUntil(() => test.journal.ended[0]?.end.status === "succeeded", { what: "the end" });
  });

  it("end a cancelled call's request without an answer", async () => {
    test = await startGateway();
    const headers = await begin(test.url);
    const running = post(test.url, buildCall("slow", 1, HEARS_PROGRESS), headers);
    await waitUntil(() => test.journal.started.length === 1, { what: "the start" });
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "enough" } };
    expect((await post(test.url, cancel, headers)).status).toBe(202);
    expect(await (await running).text()).toBe("");
    await waitUntil(() => test.journal.ended[0]?.end.status === "cancelled", { what: "the cancel" });
  });

  it("refuse a second request of an id that is being answered, and ids of other addresses", async () => {
    test = await startGateway({ ports: { serverNames: () => ["files"] } });
    const headers = await begin(test.url);
    const running = post(test.url, buildCall("slow", 1), headers);
    await waitUntil(() => test.journal.started.length === 1, { what: "the start" });
    expect((await post(test.url, buildCall("echo", 1), headers)).status).toBe(400);
    expect((await post(`${test.url}/files`, buildCall("echo", 2), headers)).status).toBe(404);
    await fetch(test.url, { method: "DELETE", headers });
    await running;
  });

  it("end when they are idle for long, and the oldest when there are too many", async () => {
    test = await startGateway({ ports: { limits: { sessionIdleMs: 60, maxSessions: 2 } } });
    const oldest = await begin(test.url);
    const begunAt = Date.now();
    await waitUntil(() => Date.now() > begunAt + 1);
    await begin(test.url);
    await begin(test.url);
    expect(test.gateway.sessionCount()).toBe(2);
    expect((await post(test.url, buildCall("echo", 1), oldest)).status).toBe(404);
    await waitUntil(() => test.gateway.sessionCount() === 0, { what: "the end of idle sessions" });
  });

  it("continue while other addresses are requested, and receive changes", async () => {
    test = await startGateway();
    const address = `${test.url}?tools=echo,later`;
    const headers = await begin(address);
    const list = { jsonrpc: "2.0", id: 3, method: "tools/list" };
    const names = async () =>
      (await (await post(address, list, headers)).json()).result.tools.map(({ name }: { name: string }) => name);
    for (let index = 0; index < 250; index += 1) await post(`${test.url}?tools=other${index}`, buildCall("echo", 1));
    expect(await names()).toEqual(["echo"]);
    test.engine.registry.register(tool("later", { type: "mock", mock_response: null }));
    test.changed();
    expect(await names()).toEqual(["echo", "later"]);
  });

  it("do not begin with an initialize that is none, and the refusal names what it needs", async () => {
    test = await startGateway();
    const { id: _, ...notification } = INITIALIZE;
    for (const wrong of [
      { ...INITIALIZE, params: { protocolVersion: 5 } },
      { ...INITIALIZE, params: {} },
      notification,
    ]) {
      const response = await post(test.url, wrong);
      expect((await response.json()).error).toEqual({
        code: -32602,
        message: "initialize needs an id, and params with protocolVersion, capabilities, clientInfo (name, version)",
      });
      expect([response.status, response.headers.get("mcp-session-id"), test.gateway.sessionCount()]).toEqual([
        400,
        null,
        0,
      ]);
    }
    const headers = await begin(test.url);
    const level = { jsonrpc: "2.0", id: 2, method: "logging/setLevel", params: { level: "loud" } };
    expect((await (await post(test.url, level, headers)).json()).error).toEqual({
      code: -32602,
      message: "The params of logging/setLevel are invalid",
    });
  });

  it("answer a batch at once", async () => {
    test = await startGateway();
    const headers = await begin(test.url);
    const response = await post(
      test.url,
      [buildCall("echo", 1), { jsonrpc: "2.0", method: "notifications/initialized" }, buildCall("nothing", 2)],
      headers,
    );
    const answers = (await response.json()) as { id: number; error?: { code: number } }[];
    expect(new Map(answers.map(({ id, error }) => [id, error?.code]))).toEqual(
      new Map([
        [1, undefined],
        [2, -32602],
      ]),
    );
    const twins = await post(test.url, [buildCall("echo", 1), buildCall("echo", 1)], headers);
    expect(twins.status).toBe(400);
  });

  it("keep a long call's stream alive, and undelivered messages for the next stream", async () => {
    test = await startGateway({ ports: { limits: { keepAliveMs: 20 } } });
    const headers = await begin(test.url);
    const running = await post(test.url, buildCall("slow", 1, HEARS_PROGRESS), headers);
    expect(running.headers.get("content-type")).toBe("text/event-stream");
    const { value } = (await running.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toBe(": keep-alive\n\n");
    await post(test.url, { jsonrpc: "2.0", id: 5, method: "tools/list" }, headers);
    test.engine.registry.register(tool("later", { type: "mock", mock_response: null }));
    test.changed();
    await post(test.url, { jsonrpc: "2.0", id: 6, method: "ping" }, headers);
    const stream = await fetch(test.url, { headers: { ...headers, accept: "text/event-stream" } });
    let received = "";
    for await (const chunk of (stream.body ?? []) as AsyncIterable<Uint8Array>) {
      received += new TextDecoder().decode(chunk);
      if (received.includes("data:")) break;
    }
    // A byte comes at once.
    expect(received).toMatch(/^: keep-alive\n\n[\s\S]*notifications\/tools\/list_changed/);
    await fetch(test.url, { method: "DELETE", headers });
  });

  it("send the head of a lone call's answer while it runs, stay alive without a stream, and end with an answer", async () => {
    test = await startGateway({ ports: { fastPath: true, limits: { keepAliveMs: 20 } } });
    const headers = await begin(test.url);
    const running = await post(test.url, buildCall("slow", 1), headers);
    expect([running.headers.get("content-type"), test.journal.ended.length]).toEqual(["application/json", 0]);
    const [alive, whole] = running.body?.tee() ?? [];
    expect(new TextDecoder().decode((await alive?.getReader().read())?.value)).toBe("\n");
    await post(test.url, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, headers);
    const error = { code: -32000, message: "The call has ended without an answer" };
    expect(await new Response(whole).json()).toEqual({ jsonrpc: "2.0", id: 1, error });
  });

  it.each([
    ["a client that can be asked", { elicitation: {} }, {}, null],
    ["a client that hears progress", {}, HEARS_PROGRESS, null],
    ["a client that hears log messages", {}, {}, { method: "logging/setLevel", params: { level: "info" } }],
  ])("keep the stream possible for %s", async (_title, capabilities, more, before) => {
    test = await startGateway({ ports: { limits: { keepAliveMs: 20 } } });
    const headers = await begin(test.url, capabilities);
    if (before !== null) await (await post(test.url, { jsonrpc: "2.0", id: 9, ...before }, headers)).text();
    const running = await post(test.url, buildCall("slow", 1, more), headers);
    expect(running.headers.get("content-type")).toBe("text/event-stream");
    await fetch(test.url, { method: "DELETE", headers });
  });

  it("record calls that the server's end cuts as interrupted", async () => {
    test = await startGateway();
    const headers = await begin(test.url);
    const running = post(test.url, buildCall("slow", 1), headers);
    await waitUntil(() => test.journal.started.length === 1, { what: "the start" });
    await test.gateway.close();
    expect((await (await running).json()).result).toMatchObject({ isError: true });
    await waitUntil(() => test.journal.ended[0]?.end.status === "interrupted", { what: "the record" });
  });
});
