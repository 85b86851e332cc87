import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, describe, expect, it } from "vitest";
import type { FailureEnvelope, ProtocolErrorBody } from "../../../lib/contract/envelope";
import { startGateway, type TestGateway, tool } from "./gateway.test-support";

let test: TestGateway;
afterEach(() => test.close());

const INFO = { name: "t", version: "1" };
type Caller = { callTool(params: { name: string }): Promise<unknown>; close(): Promise<void> };

async function connectSecond(mode: "legacy" | "auto"): Promise<Caller> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(test.url)));
  return client as Caller;
}

const CLIENTS: [string, () => Promise<Caller>][] = [
  [
    "a 1.x client",
    async () => {
      const client = new FirstClient(INFO);
      await client.connect(new FirstTransport(new URL(test.url)) as never);
      return client as Caller;
    },
  ],
  ["a 2.x client with a session", () => connectSecond("legacy")],
  ["a 2.x client without one", () => connectSecond("auto")],
];

/** A tool whose server answers with this error. */
async function startFailing(sent: ProtocolErrorBody): Promise<void> {
  const failing = tool("files__read", { type: "mcp", server: "files", tool: "read" });
  const envelope: FailureEnvelope = {
    success: false,
    status: "failed",
    error_kind: "tool_error",
    error: `files: ${sent.message}`,
    protocol_error: sent,
    tool_name: "files__read",
    execution_time_ms: 1,
    execution_id: "exec_1",
  };
  test = await startGateway({ ports: { tools: () => [failing], executor: { execute: async () => envelope } } });
}

describe.each(CLIENTS)("the error of a tool's server, for %s", (_name, connect) => {
  it.each([-32_601, -32_602, -32_603, -32_050, -32_001, 7])(
    "ERR-05 %i arrives with its message and data",
    async (code) => {
      await startFailing({ code, message: "No such thing", data: { hint: ["a", null] } });
      const client = await connect();
      const error = await client.callTool({ name: "files__read" }).then(
        () => null,
        (thrown: { code: unknown; message: string; data: unknown }) => thrown,
      );
      expect([error?.code, error?.data]).toEqual([code, { hint: ["a", null] }]);
      expect(error?.message).toContain("No such thing");
      await client.close();
    },
  );

  it.each([-32_020, -32_021, -32_022])(
    "ERR-05 %i is about another connection, so the call has a failed result",
    async (code) => {
      await startFailing({ code, message: "Unsupported" });
      const client = await connect();
      expect(await client.callTool({ name: "files__read" })).toMatchObject({
        isError: true,
        content: [{ type: "text", text: expect.stringContaining("files: Unsupported") }],
      });
      await client.close();
    },
  );
});
