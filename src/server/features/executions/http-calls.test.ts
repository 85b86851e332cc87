import { describe, expect, it } from "vitest";
import type { ExecutionDetail } from "../../../lib/contract/execution";
import { HTTP_META_KEY } from "../../../lib/contract/openapi-constants";
import type { ServerSettings } from "../../../lib/contract/server";
import { exportText } from "./export.test-support";
import { createHttpCalls } from "./http-calls";

const SETTINGS = {
  orders: { transport: "openapi" },
  remote: { transport: "http", url: `https://mcp.example/\${TENANT}/mcp` },
  local: { transport: "stdio" },
} as unknown as Record<string, ServerSettings>;

const describeHttpCall = createHttpCalls({
  getSettings: (server) => SETTINGS[server] ?? null,
  describeRequest: (_server, tool, args) =>
    tool === "getOrder"
      ? {
          method: "GET",
          url: `https://orders.example/orders/${args.id}?full=1`,
          headers: { accept: "application/json" },
          body: null,
        }
      : null,
});

function aCall(id: string, serverName: string | null, tool: string, rest: Partial<ExecutionDetail>): ExecutionDetail {
  return {
    id,
    toolName: `${serverName}__${tool}`,
    serverName,
    startedAt: 1_000,
    queuedAt: 999,
    durationMs: 12.5,
    implementationType: "mcp",
    argumentsText: '{"id":7}',
    resultText: null,
    resultTruncated: false,
    error: null,
    timing: { validateMs: 0, recordMs: 0, waitMs: null, runMs: 12 },
    definition: { implementation: { type: "mcp", server: serverName, tool } },
    ...rest,
  } as ExecutionDetail;
}

const result = (text: string, status: number, statusText: string) =>
  JSON.stringify({
    content: [{ type: "text", text }],
    ...(status > 299 && { isError: true }),
    _meta: { [HTTP_META_KEY]: { status, statusText, headers: { "content-type": "application/json" } } },
  });

const CALLS = [
  aCall("exec_1", "orders", "getOrder", { resultText: result('{"total":3}', 200, "OK") }),
  aCall("exec_2", "orders", "getOrder", { resultText: result('HTTP 404 Not Found\n{"no":true}', 404, "Not Found") }),
  aCall("exec_3", "orders", "getOrder", { error: "Server 'orders' is unavailable" }),
  aCall("exec_4", "orders", "renamed", {}),
  aCall("exec_5", "remote", "say", { resultText: '{"content":[]}' }),
  aCall("exec_6", "remote", "", {
    implementationType: "resource",
    definition: null,
    argumentsText: '{"uri":"file:///a"}',
  }),
  aCall("exec_7", "local", "say", {}),
  aCall("exec_8", null, "echo", {}),
  aCall("exec_9", "remote", "say", { timing: { validateMs: 0, recordMs: 0, waitMs: null, runMs: null } }),
  aCall("exec_10", "remote", "say", { restricted: true }),
];

interface Entry {
  comment: string;
  time: number;
  request: { method: string; url: string; queryString: object[]; postData?: { text: string }; cookies: object[] };
  response: { status: number; statusText: string; content: { text: string; mimeType: string }; comment?: string };
}

describe("the HAR file of executions", () => {
  it("has the calls of HTTP servers as requests and responses, without credentials, and says how many are left out", async () => {
    const { log } = JSON.parse(await exportText(CALLS, "har", describeHttpCall)) as {
      log: { version: string; entries: Entry[]; comment: string };
    };
    expect(log.version).toBe("1.2");
    expect(log.comment).toMatch(/without credentials.*: 5\.$/);
    expect(log.entries.map(({ request, response }) => [request.method, request.url, response.status])).toEqual([
      ["GET", "https://orders.example/orders/7?full=1", 200],
      ["GET", "https://orders.example/orders/7?full=1", 404],
      ["GET", "https://orders.example/orders/7?full=1", 0],
      ["POST", `https://mcp.example/\${TENANT}/mcp`, 200],
      ["POST", `https://mcp.example/\${TENANT}/mcp`, 0],
    ]);
    const [found, missing, failed, tool, resource] = log.entries;
    expect(found).toMatchObject({
      time: 12.5,
      comment: "orders__getOrder, exec_1",
      request: { queryString: [{ name: "full", value: "1" }] },
    });
    expect(found?.response.content).toMatchObject({ text: '{"total":3}', mimeType: "application/json" });
    expect(missing?.response).toMatchObject({ statusText: "Not Found", content: { text: '{"no":true}' } });
    expect(failed?.response.comment).toBe("Server 'orders' is unavailable");
    expect(JSON.parse(tool?.request.postData?.text ?? "")).toEqual({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "say", arguments: { id: 7 } },
    });
    expect(JSON.parse(tool?.response.content.text ?? "")).toEqual({ jsonrpc: "2.0", id: 1, result: { content: [] } });
    expect(resource?.request.postData?.text).toContain('"method":"resources/read","params":{"uri":"file:///a"}');
  });

  it("is a whole file without any call", async () => {
    expect(JSON.parse(await exportText([], "har", describeHttpCall))).toMatchObject({ log: { entries: [] } });
  });
});
