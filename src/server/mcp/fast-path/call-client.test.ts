import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../client/connection/connection-limits";
import { Redactor } from "../client/log/redactor";
import { ServerLog } from "../client/log/server-log";
import type { LooseMessage } from "../client/transport/json-rpc";
import { ObservedTransport } from "../client/transport/observed-transport";
import { createOutgoingRequest } from "../client/transport/sent-request";
import { CallClient } from "./call-client";

const INITIALIZED = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "fake", version: "1" },
};

/** A server whose answers the test gives. */
class FakeTransport implements Transport {
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly sent: LooseMessage[] = [];
  async start(): Promise<void> {}
  async close(): Promise<void> {
    this.onclose?.();
  }
  async send(message: JSONRPCMessage): Promise<void> {
    const sent = message as LooseMessage;
    this.sent.push(sent);
    if (sent.method === "initialize") this.answer(sent, { result: INITIALIZED });
    if (sent.method === "ping") this.answer(sent, { result: {} });
  }
  answer({ id }: LooseMessage, response: object): void {
    this.onmessage?.({ jsonrpc: "2.0", id, ...response } as JSONRPCMessage);
  }
  calls(): LooseMessage[] {
    return this.sent.filter(({ method }) => method === "tools/call");
  }
}

async function connect() {
  const inner = new FakeTransport();
  const clock = { now: () => 0, elapsed: () => 0 };
  const log = new ServerLog({ clock, redactor: new Redactor(), limits: DEFAULT_LIMITS, onLine: () => undefined });
  const transport = new ObservedTransport(inner as never, log, "stdio");
  const client = new CallClient(
    { name: "test", version: "1" },
    { fastPath: true, versionNegotiation: { mode: "legacy" } },
  );
  await client.connect(transport);
  const controller = new AbortController();
  const call = (): Promise<unknown> =>
    client.call(createOutgoingRequest(), { name: "echo", arguments: { a: 1 } }, controller.signal);
  return { client, inner, controller, call };
}

describe("calls that Toolroom sends itself", () => {
  it("RTE-03 have ids and progress tokens that no request of the SDK has, and get their own responses", async () => {
    const { client, inner, call } = await connect();
    const both = [call(), call()];
    await client.ping();
    const [first, second] = inner.calls();
    const params = { name: "echo", arguments: { a: 1 }, _meta: { progressToken: first?.id } };
    expect(JSON.stringify(first?.params)).toBe(JSON.stringify(params));
    const ids = inner.sent.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
    inner.answer(second as LooseMessage, { result: { content: [], n: 2 } });
    inner.answer(first as LooseMessage, { result: { content: [], n: 1 } });
    expect(await Promise.all(both)).toEqual([
      { content: [], n: 1 },
      { content: [], n: 2 },
    ]);
  });

  it("reject with the server's error", async () => {
    const { inner, call } = await connect();
    const calling = call();
    inner.answer(inner.calls()[0] as LooseMessage, { error: { code: -32_001, message: "no", data: { why: 1 } } });
    await expect(calling).rejects.toMatchObject({ name: "ProtocolError", code: -32_001, message: "no" });
  });

  it("are cancelled on the server once, and a response that comes later is ignored", async () => {
    const { inner, controller, call } = await connect();
    const calling = call();
    controller.abort("enough");
    await expect(calling).rejects.toThrow("enough");
    const [sent] = inner.calls();
    inner.answer(sent as LooseMessage, { result: { content: [] } });
    const cancels = inner.sent.filter(({ method }) => method === "notifications/cancelled");
    expect(cancels.map(({ params }) => params)).toEqual([{ requestId: sent?.id, reason: "enough" }]);
  });

  it("are not sent for a caller that has left already", async () => {
    const { inner, controller, call } = await connect();
    controller.abort("gone");
    await expect(call()).rejects.toThrow("gone");
    expect(inner.calls()).toEqual([]);
  });

  it("end with their connection, and none is sent after it", async () => {
    const { inner, call } = await connect();
    const calling = call();
    await inner.close();
    await expect(calling).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    await expect(call()).rejects.toThrow("Not connected");
    expect(inner.calls()).toHaveLength(1);
  });
});
