import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startFastMcpLike } from "../../../../e2e/support/mcp-servers/fastmcp-like.mjs";
import type { SamplingSetting } from "../../../lib/contract/sampling";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { systemClock } from "../../create-tool-engine";
import { buildContext, openBench, readText, remote, script } from "../../mcp/client/connections.test-support";
import { ScriptedClient, type ScriptedStep } from "../../models/scripted-client.test-support";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../platform/db/database.test-support";
import { createSamplingStore } from "./db/sampling-store";
import { createSamplingService } from "./sampling-service";

const MODEL: SamplingSetting = { mode: "model", provider: "acme", model: "tiny" };
const DECLINE: SamplingSetting = { mode: "decline" };
const HI = { role: "assistant", content: { type: "text", text: "Hi" }, model: "tiny", stopReason: "endTurn" };

let scratch: ScratchDatabase;
let calls = 0;
beforeAll(async () => {
  scratch = await createScratchDatabase();
});
afterAll(() => scratch.remove());

/** Servers that are real processes, and a model that follows a script. */
function start(steps: ScriptedStep[] = []) {
  const client = new ScriptedClient(steps);
  const service = createSamplingService({
    store: createSamplingStore({ db: scratch.db }),
    openModel: async () => client,
    models: { acceptsMedia: () => false },
    clock: systemClock,
    logger: quietLogger(),
  });
  const { connections, questions } = openBench({ sampling: service.responder });
  calls += 1;
  const executionId = `exec_${calls}`;
  // A caller that could answer itself.
  const interact = async () => ({ action: "accept" as const, text: "from the caller" });
  const context = buildContext({ executionId, interact });
  const call = async (server: string, tool: string, args: Record<string, unknown> = {}) =>
    JSON.parse(readText(await connections.call(server, tool, args, context)));
  return { client, connections, context, call, questions, list: () => service.list(executionId) };
}

describe("sampling with a model", () => {
  it("answers a request of the 2025 protocol, asks neither caller nor user, and pauses the call's timeout", async () => {
    const { connections, call, context, questions, client, list } = start([{ text: "Hi" }]);
    connections.apply(script("asking", { sampling: MODEL }));
    expect(await call("asking", "sample")).toEqual({ result: HI });
    expect([context.holds, context.released, questions]).toEqual([1, 1, []]);
    expect(client.requests[0]?.messages).toEqual([{ role: "user", contents: [{ type: "text", text: "Say hi" }] }]);
    expect(await list()).toMatchObject([{ outcome: "answered", responseText: "Hi" }]);
    expect((await call("asking", "capabilities")).sampling).toEqual({});
  });

  it("answers a request of the 2025 protocol over HTTP", async () => {
    const server = await startFastMcpLike();
    onTestFinished(() => server.close());
    const { connections, call, list } = start([{ text: "Hi" }]);
    connections.apply(remote("fast", server.url, { sampling: MODEL }));
    expect(await call("fast", "summarize")).toEqual(HI);
    expect(await list()).toMatchObject([{ outcome: "answered", requestText: expect.stringContaining("Summarize") }]);
  });

  it("answers an input request of the 2026-07-28 protocol", async () => {
    const { connections, call, list } = start([{ text: "Hi" }]);
    connections.apply(script("stateless", { sampling: MODEL }));
    expect(await call("stateless", "sample")).toMatchObject({ draft: HI, capabilities: { sampling: {} } });
    expect(await list()).toMatchObject([{ outcome: "answered", responseText: "Hi" }]);
  });

  it("gives the server a failure as an error of the protocol", async () => {
    const { connections, call, list } = start();
    connections.apply(script("asking", { sampling: MODEL }));
    const failed = await call("asking", "sample");
    expect(failed.error).toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^The configured model could not/),
    });
    const params = { messages: [{ role: "user", content: { type: "image", data: "aGk=", mimeType: "image/png" } }] };
    expect((await call("asking", "sample", { params })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining("image content"),
    });
    expect(await list()).toMatchObject([{ outcome: "failed" }, { outcome: "failed" }]);
  });

  it("fails a call of the 2026-07-28 protocol, which has no error for an input request", async () => {
    const { connections, call, list } = start();
    connections.apply(script("stateless", { sampling: MODEL }));
    await expect(call("stateless", "sample")).rejects.toThrow("The configured model could not answer");
    expect(await list()).toMatchObject([{ outcome: "failed" }]);
  });

  it("answers ten requests of a call, and ten of the next", async () => {
    const { connections, call, client } = start(Array.from({ length: 20 }, () => ({ text: "Hi" })));
    connections.apply(script("asking", { sampling: MODEL }));
    expect(await call("asking", "sample_often", { times: 11 })).toMatchObject({ error: { code: -32000 } });
    expect(await call("asking", "sample_often", { times: 10 })).toEqual({ result: HI });
    expect(client.remaining).toBe(0);
  });

  it("answers a server that names no call while several run", async () => {
    const { connections, call, list } = start([{ text: "Hi" }, { text: "Hi" }]);
    connections.apply(script("asking", { sampling: MODEL }));
    const abort = new AbortController();
    const other = buildContext({ executionId: "exec_other", signal: abort.signal });
    const hanging = connections.call("asking", "hang", {}, other);
    expect(await call("asking", "sample_often", { times: 2 })).toEqual({ result: HI });
    expect(other.logged).toHaveLength(1);
    expect(await list()).toHaveLength(1);
    abort.abort();
    await expect(hanging).rejects.toMatchObject({ kind: "cancelled" });
  });

  it("asks no model for a server that requests a response outside of a call", async () => {
    const { connections, client } = start([{ text: "never" }]);
    connections.apply(script("asking", { sampling: MODEL }));
    const read = await connections.content("asking", (content) => content.ask("resources/read", { uri: "sample:" }));
    expect(JSON.stringify(read)).toContain("only while a tool call runs");
    expect(client.requests).toEqual([]);
  });

  it("leaves the model when the call is cancelled", async () => {
    const asked: AbortSignal[] = [];
    const { connections, context, list } = start([
      (_, { signal }) => {
        if (signal) asked.push(signal);
        return { hang: true };
      },
    ]);
    connections.apply(script("asking", { sampling: MODEL }));
    const cancel = new AbortController();
    const running = connections.call("asking", "sample", {}, { ...context, signal: cancel.signal });
    await waitUntil(() => asked.length === 1);
    cancel.abort();
    await expect(running).rejects.toMatchObject({ kind: "cancelled" });
    await waitUntil(() => asked[0]?.aborted === true);
    await waitUntil(async () => expect(await list()).toMatchObject([{ outcome: "cancelled" }]));
  });
});

describe("sampling that is declined", () => {
  it("is not declared, and a request all the same gets the refusal of the 2025 protocol", async () => {
    const { connections, call, questions, list } = start();
    connections.apply(script("asking", { sampling: DECLINE }));
    const declared = await call("asking", "capabilities");
    expect(declared).toMatchObject({ roots: {}, elicitation: { form: {}, url: {} } });
    expect(declared).not.toHaveProperty("sampling");
    expect(await call("asking", "sample")).toEqual({ error: { code: -1, message: "User rejected sampling request" } });
    expect(questions).toEqual([]);
    expect(await list()).toMatchObject([{ outcome: "declined" }]);
  });

  it("fails a call of the 2026-07-28 protocol with the refusal", async () => {
    const { connections, call, list } = start();
    connections.apply(script("stateless", { sampling: DECLINE }));
    await expect(call("stateless", "sample")).rejects.toThrow("User rejected sampling request (code -1)");
    expect(await list()).toMatchObject([{ outcome: "declined" }]);
    const sent = connections
      .messages("stateless")
      .filter(({ method, kind }) => method === "tools/call" && kind === "request");
    expect(sent).toHaveLength(1);
    expect(sent[0]?.text).not.toContain("sampling");
  });

  it("leaves other requests as they are: an unknown one gets the protocol's error", async () => {
    const { connections, call } = start();
    connections.apply(script("asking", { sampling: DECLINE }));
    expect(await call("asking", "unknown")).toMatchObject({ error: { code: -32601 } });
    expect(await call("asking", "url")).toEqual({ result: { action: "accept" } });
  });
});
