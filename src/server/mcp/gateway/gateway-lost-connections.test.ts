import { connect, type Socket } from "node:net";
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
} from "./gateway.test-support";

let test: TestGateway;
afterEach(() => test.close());

const FORM = { kind: "form", message: "Which colour?", schema: { type: "object", properties: {} } };
const EVENTS = { ...JSON_HEADERS };

/** A client that is gone as soon as its call runs. */
async function callAndLeave(body: unknown, headers: Record<string, string>, leave: () => boolean): Promise<void> {
  const abort = new AbortController();
  const closed = new Promise<void>((resolve) => {
    test.server.once("request", (_request, response) => response.once("close", () => resolve()));
  });
  const running = fetch(test.url, {
    method: "POST",
    headers: { ...EVENTS, ...headers },
    body: JSON.stringify(body),
    signal: abort.signal,
  }).then((response) => response.text());
  running.catch(() => {});
  await waitUntil(leave, { what: "the call's start" });
  abort.abort();
  await expect(running).rejects.toThrow();
  await closed;
}

async function beginAsking(): Promise<Record<string, string>> {
  const params = { ...INITIALIZE.params, capabilities: { elicitation: {} } };
  const response = await post(test.url, { ...INITIALIZE, params });
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

describe("questions", () => {
  const ask = (id: number) => buildCall("ask", id, { arguments: { request: FORM } });

  it("go to the console at once when the client reads no stream", async () => {
    test = await startGateway();
    const headers = { ...(await beginAsking()), accept: "application/json" };
    const { result } = await (await post(test.url, ask(1), headers)).json();
    expect(JSON.parse(result.content[0].text)).toEqual({ answer: null });
  });

  it("go to the console when the client leaves before it has answered", async () => {
    test = await startGateway();
    const headers = await beginAsking();
    const abort = new AbortController();
    const response = await fetch(test.url, {
      method: "POST",
      headers: { ...EVENTS, ...headers },
      body: JSON.stringify(ask(1)),
      signal: abort.signal,
    });
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toContain("elicitation/create");
    abort.abort();
    await waitUntil(() => test.journal.ended.length === 1, { what: "the end" });
    expect(test.journal.ended[0]?.end).toMatchObject({ status: "succeeded", resultText: '{"answer":null}' });
  });

  it("go to the console when the client has left before they come up", async () => {
    let asks = (): void => {};
    const asking = new Promise<void>((resolve) => {
      asks = resolve;
    });
    test = await startGateway({
      ports: {
        executor: {
          execute: async (name: string, _args: unknown, options: { interact?: unknown; signal?: AbortSignal }) => {
            test.journal.started.push({} as never);
            await asking;
            const interact = options.interact as (request: unknown, signal: unknown) => Promise<unknown>;
            const answer = await interact(FORM, options.signal);
            test.journal.ended.push({ start: {}, end: { answer } } as never);
            return { success: true, result: answer, tool_name: name, execution_time_ms: 1 } as never;
          },
        } as never,
      },
    });
    const headers = await beginAsking();
    await callAndLeave(buildCall("ask", 1), headers, () => test.journal.started.length === 1);
    asks();
    await waitUntil(() => test.journal.ended.length === 1, { what: "the end" });
    expect(test.journal.ended[0]?.end).toEqual({ answer: null });
  });
});

describe("a call of a session", () => {
  const GONE = expect.objectContaining({ level: "warn", event: "caller_gone" });

  it.each([
    ["on the fast path", true],
    ["on the path of the SDK", false],
  ])("TIME-03 is recorded with the fact that its caller was gone before the answer: %s", async (_path, fastPath) => {
    test = await startGateway({ ports: { fastPath } });
    const headers = await begin(test.url);
    await callAndLeave(buildCall("steps", 1), headers, () => test.journal.started.length === 1);
    await waitUntil(() => test.journal.ended.length === 1, { what: "the end" });
    expect(test.journal.ended[0]?.end).toMatchObject({ status: "succeeded" });
    expect(test.journal.ended[0]?.end.logs).toContainEqual(GONE);
    await (await post(test.url, buildCall("steps", 2), headers)).text();
    expect(test.journal.ended[1]?.end.logs).not.toContainEqual(GONE);
  });
});

describe("ids of requests", () => {
  it("stay taken while their call runs, also when its connection is lost, and all end with the session", async () => {
    test = await startGateway();
    const headers = await begin(test.url);
    await callAndLeave(buildCall("slow", 9), headers, () => test.journal.started.length === 1);
    const again = await post(test.url, buildCall("slow", 9), headers);
    expect([again.status, (await again.json()).error]).toEqual([
      400,
      { code: -32600, message: "A request with this id is still in progress" },
    ]);
    await fetch(test.url, { method: "DELETE", headers });
    await waitUntil(() => test.journal.ended[0]?.end.status === "cancelled", { what: "the cancel" });
    expect(test.journal.started.length).toBe(1);
  });

  it("are free again once a lost or cancelled call has ended, and its answer is discarded", async () => {
    test = await startGateway();
    const headers = await begin(test.url);
    await callAndLeave(buildCall("steps", 1), headers, () => test.journal.started.length === 1);
    await waitUntil(() => test.journal.ended.length === 1, { what: "the end" });
    const echoed = async () => {
      const response = await post(test.url, buildCall("echo", 1, { arguments: { text: "new" } }), headers);
      return (await response.json()).result?.content[0].text;
    };
    expect(await echoed()).toBe('{"echo":{"text":"new"}}');
    const running = post(test.url, buildCall("slow", 1, HEARS_PROGRESS), headers);
    await waitUntil(() => test.journal.started.length === 3, { what: "the start" });
    await post(test.url, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, headers);
    expect(await (await running).text()).toBe("");
    await waitUntil(() => test.journal.ended.length === 3, { what: "the cancel" });
    expect(await echoed()).toBe('{"echo":{"text":"new"}}');
  });
});

describe("floods of progress", () => {
  const FLOOD = 20_000;
  const execute = async (name: string, _args: unknown, options: Record<string, (...given: unknown[]) => void>) => {
    test.journal.started.push({} as never);
    const padding = "x".repeat(10_000);
    for (let step = 1; step <= FLOOD; step += 1) {
      options.onProgress?.(step, FLOOD, padding);
      options.onLog?.({ level: "info", message: padding });
      if (step % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    test.journal.ended.push({} as never);
    return { success: true, result: "done", tool_name: name, execution_time_ms: 1 } as never;
  };
  const call = buildCall("echo", 1, { _meta: { progressToken: "p" } });

  it("reach a client as some, the last one before the answer", async () => {
    test = await startGateway({ ports: { executor: { execute } as never } });
    const text = await (await post(test.url, call, await begin(test.url))).text();
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
    expect(events.length).toBeLessThan(FLOOD / 50);
    expect(events.at(-2).params.progress).toBe(FLOOD);
    expect(events.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: "done" }] } });
  });

  it("do not pile up for a client that does not read", async () => {
    test = await startGateway({ ports: { executor: { execute } as never } });
    const headers = await begin(test.url);
    const level = { jsonrpc: "2.0", id: 2, method: "logging/setLevel", params: { level: "info" } };
    await post(test.url, level, headers);
    let served: Socket | undefined;
    test.server.once("connection", (socket: Socket) => {
      served = socket;
    });
    const { hostname, port } = new URL(test.url);
    const client = connect(Number(port), hostname);
    client.pause();
    const body = JSON.stringify(call);
    const lines = Object.entries({ ...JSON_HEADERS, ...headers, host: `${hostname}:${port}` });
    const head = lines.map(([name, value]) => `${name}: ${value}`).join("\r\n");
    client.write(`POST /mcp HTTP/1.1\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await waitUntil(() => test.journal.started.length === 1, { what: "the start" });
    let most = 0;
    await waitUntil(
      () => {
        most = Math.max(most, served?.writableLength ?? 0);
        return test.journal.ended.length > 0;
      },
      { what: "the end", timeoutMs: 60_000 },
    );
    client.destroy();
    // Unchecked, all of it would wait here: two hundred megabytes.
    expect(served).toBeDefined();
    expect(most).toBeLessThan(5_000_000);
  });
});

describe("the end of the gateway", () => {
  it("gives the answers of calls that were ended in the same breath", async () => {
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    test = await startGateway({
      ports: {
        executor: {
          execute: async (name: string) => {
            test.journal.started.push({} as never);
            await ended;
            await null;
            return { success: false, error: "interrupted", error_kind: "interrupted", tool_name: name } as never;
          },
        },
      },
    });
    const running = post(test.url, buildCall("echo", 1, HEARS_PROGRESS), await begin(test.url));
    await waitUntil(() => test.journal.started.length === 1, { what: "the start" });
    end();
    await test.gateway.close();
    expect(await (await running).json()).toMatchObject({ id: 1, result: { isError: true } });
  });

  it("does not wait for a call that does not end", async () => {
    test = await startGateway({
      ports: {
        limits: { lastAnswersMs: 30 },
        executor: {
          execute: () => {
            test.journal.started.push({} as never);
            return new Promise(() => {});
          },
        },
      },
    });
    const running = post(test.url, buildCall("echo", 1, HEARS_PROGRESS), await begin(test.url));
    await waitUntil(() => test.journal.started.length === 1, { what: "the start" });
    await test.gateway.close();
    expect(await (await running).text()).toBe("");
  });
});
