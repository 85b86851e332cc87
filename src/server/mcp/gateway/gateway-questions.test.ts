import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { buildCall, post, startGateway, type TestGateway } from "./gateway.test-support";

let test: TestGateway;
afterEach(() => test.close());

describe("questions of tools", () => {
  const FORM = {
    kind: "form",
    message: "Which colour?",
    schema: { type: "object", properties: { colour: { type: "string" } } },
  };
  const SAMPLING = {
    kind: "sampling",
    message: "",
    paramsText: JSON.stringify({ messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 5 }),
  };
  const ask = (client: Client | FirstClient, request: unknown) =>
    client.callTool({ name: "ask", arguments: { request } } as never).then((result) => {
      const [block] = result.content as { text: string }[];
      return JSON.parse(block?.text ?? "").answer;
    });

  it("go to a client of a session that can answer them", async () => {
    test = await startGateway();
    const client = new FirstClient(
      { name: "t", version: "1" },
      { capabilities: { elicitation: { form: {}, url: {} }, sampling: {} } },
    );
    client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
      params.mode === "url"
        ? { action: "decline" }
        : { action: "accept", content: { colour: `${params.message} red` } },
    );
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: "assistant",
      model: "tiny",
      content: { type: "text", text: "hello" },
    }));
    await client.connect(new FirstTransport(new URL(test.url)) as never);
    expect(await ask(client, FORM)).toEqual({ action: "accept", content: { colour: "Which colour? red" } });
    expect(await ask(client, { kind: "url", message: "Open", url: "https://example.com" })).toEqual({
      action: "decline",
    });
    expect(await ask(client, SAMPLING)).toMatchObject({ action: "accept", text: "hello", model: "tiny" });
    await client.close();
  });

  it("go to a stateless client between its requests, and the same call continues", async () => {
    test = await startGateway();
    const client = new Client(
      { name: "t", version: "1" },
      { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {} }, sampling: {} } },
    );
    client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { colour: "blue" } }));
    client.setRequestHandler("sampling/createMessage", async () => ({
      role: "assistant",
      model: "tiny",
      content: { type: "text", text: "hello" },
    }));
    await client.connect(new StreamableHTTPClientTransport(new URL(test.url)));
    expect(await ask(client, FORM)).toEqual({ action: "accept", content: { colour: "blue" } });
    expect(await ask(client, SAMPLING)).toMatchObject({ action: "accept", text: "hello", model: "tiny" });
    expect(test.journal.started.length).toBe(2);
    await client.close();
  });

  it.each(["legacy", "auto"] as const)("for roots go to a client that has declared them (%s)", async (mode) => {
    test = await startGateway();
    const client = new Client(
      { name: "t", version: "1" },
      { versionNegotiation: { mode }, capabilities: { roots: {} } },
    );
    client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: "file:///work", name: "Work" }] }));
    await client.connect(new StreamableHTTPClientTransport(new URL(test.url)));
    expect(await ask(client, { kind: "roots" })).toEqual({
      action: "accept",
      content: { roots: [{ uri: "file:///work", name: "Work" }] },
    });
    await client.close();
    const without = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode } });
    await without.connect(new StreamableHTTPClientTransport(new URL(test.url)));
    expect(await ask(without, { kind: "roots" })).toBeNull();
    await without.close();
  });

  it.each([
    ["user_name", "user_name"],
    ["__proto__", "question-1"],
    ["question-7", "question-1"],
    ["no spaces", "question-1"],
  ])("keep the name that the server gave them, where it is usable: %s", async (name, expected) => {
    test = await startGateway();
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "ask" };
    const body = buildCall("ask", 1, { arguments: { request: FORM, name }, _meta });
    const { result } = await (await post(test.url, body, headers)).json();
    expect(Object.keys(result.inputRequests)).toEqual([expected]);
  });

  it("are left to the console where the client cannot answer", async () => {
    test = await startGateway();
    for (const mode of ["legacy", "auto"] as const) {
      const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(test.url)));
      expect(await ask(client, FORM)).toBeNull();
      expect(await ask(client, SAMPLING)).toBeNull();
      await client.close();
    }
  });

  it("end the call when a stateless client does not come back", async () => {
    test = await startGateway({ ports: { limits: { answerMs: 30 } } });
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "ask" };
    const body = buildCall("ask", 1, { arguments: { request: FORM }, _meta });
    const { result } = await (await post(test.url, body, headers)).json();
    expect(result).toMatchObject({
      resultType: "input_required",
      inputRequests: { "question-1": { method: "elicitation/create" } },
    });
    await waitUntil(() => test.journal.ended[0]?.end.status === "cancelled", { what: "the end" });
    const late = { ...body, params: { ...body.params, requestState: result.requestState, inputResponses: {} } };
    expect((await (await post(test.url, late, headers)).json()).error.code).toBe(-32602);
  });
});
