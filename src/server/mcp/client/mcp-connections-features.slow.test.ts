import path from "node:path";
import { describe, expect, it } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import type { ContentList } from "../../engine/mcp-ports";
import { buildContext, npmServer, openBench, readText, script } from "./connections.test-support";

describe("tools", () => {
  it("hands on a list as it came, with the malformed tools beside the good ones", async () => {
    const { connections, lists } = openBench();
    connections.apply(script("malformed-tools"));
    await connections.ready("malformed-tools");
    const names = lists[0]?.tools.map((tool) => (tool as { name?: unknown } | null)?.name);
    expect(names).toEqual([
      "no_schema",
      "array_type",
      "null_description",
      "text_required",
      "text_hint",
      "array_output",
      undefined,
      undefined,
      undefined,
      "good",
    ]);
    expect(readText(await connections.call("malformed-tools", "good", {}, buildContext()))).toBe("good");
  });

  it("reads them once after each burst of changes", async () => {
    const { connections, lists } = openBench();
    connections.apply(script("changing-tools"));
    await connections.ready("changing-tools");
    expect(lists.map(({ tools }) => tools.length)).toEqual([2]);
    await connections.call("changing-tools", "change", {}, buildContext());
    await waitUntil(() => lists.length > 1);
    await connections.call("changing-tools", "change", {}, buildContext());
    await waitUntil(() => lists.at(-1)?.tools.length === 4);
    expect(lists.map(({ tools }) => tools.length)).toEqual([2, 3, 4]);
    const listed = connections
      .messages("changing-tools")
      .filter(({ method, kind }) => method === "tools/list" && kind === "request");
    expect(listed).toHaveLength(3);
  });

  it("reads all pages, and stops when a server goes round in circles or on for ever", async () => {
    const { connections, lists } = openBench({ limits: { maxPages: 20, maxListed: 30 } });
    for (const kind of ["three", "loop", "endless"]) connections.apply(script("paging", { name: kind, args: [kind] }));
    await Promise.all(["three", "loop", "endless"].map((server) => connections.ready(server)));
    const count = (server: string) => lists.find((list) => list.server === server)?.tools.length;
    expect([count("three"), count("loop"), count("endless")]).toEqual([3, 3, 20]);
    expect(
      connections
        .log("loop")
        .map(({ text }) => text)
        .join(),
    ).toContain("the same cursor twice");
    expect(
      connections
        .log("endless")
        .map(({ text }) => text)
        .join(),
    ).toContain("more than 20 pages");
  });
});

describe("the 2026-07-28 protocol", () => {
  it("is spoken with servers that know it, malformed tools and unknown content included", async () => {
    const { connections, lists } = openBench();
    connections.apply(script("stateless"));
    expect(await connections.ready("stateless")).toMatchObject({
      status: "connected",
      protocolVersion: "2026-07-28",
      peer: { name: "stateless", version: "2.0.0" },
      instructions: "stateless",
      capabilities: ["logging", "tools"],
    });
    expect(lists[0]?.tools).toContainEqual({ name: "no_schema" });
    const args = { a: 1.0, b: null };
    const context = buildContext();
    expect(readText(await connections.call("stateless", "echo", args, context))).toBe(JSON.stringify(args));
    await waitUntil(() => context.logged.includes("echoing"));
    expect(await connections.call("stateless", "odd", {}, buildContext())).toEqual({
      content: [{ type: "hologram", data: 1 }],
      structuredContent: [1, 2],
    });
  });

  it("tells of changed tools on its own stream", async () => {
    const { connections, lists } = openBench();
    connections.apply(script("stateless"));
    await connections.ready("stateless");
    await waitUntil(() =>
      connections.messages("stateless").some(({ method }) => method === "notifications/subscriptions/acknowledged"),
    );
    await connections.call("stateless", "change", {}, buildContext());
    await waitUntil(() => lists.length === 2);
    expect(lists[1]?.tools).toContainEqual(expect.objectContaining({ name: "added_1" }));
  });

  it("asks the caller of that very call for input, while others are on their way", async () => {
    const { connections, questions } = openBench();
    connections.apply(script("stateless"));
    const abort = new AbortController();
    const other = connections.call("stateless", "hang", {}, buildContext({ signal: abort.signal }));
    const context = buildContext({
      interact: async (request) => ({ action: "accept", content: { name: request.kind } }),
    });
    const result = await connections.call("stateless", "greet", { x: 1 }, context);
    expect(readText(result)).toBe('state of {"x":1}: {"who":{"action":"accept","content":{"name":"form"}}}');
    expect([context.holds, context.released, questions.length]).toEqual([1, 1, 0]);
    abort.abort();
    await expect(other).rejects.toMatchObject({ kind: "cancelled" });
    await waitUntil(() => connections.log("stateless").some(({ text }) => text.startsWith("cancelled")));
  });

  it("is left alone where the settings say legacy", async () => {
    const { connections } = openBench();
    connections.apply(script("echo", { protocol: "legacy" }));
    await connections.ready("echo");
    expect(connections.messages("echo")[0]).toMatchObject({ method: "initialize", direction: "sent", kind: "request" });
    expect(connections.messages("echo")[1]).toMatchObject({
      method: "initialize",
      direction: "received",
      kind: "response",
    });
  });
});

describe("questions of a server", () => {
  it("puts a form to the console, with the call that it belongs to, and holds the call's time", async () => {
    const { connections, questions } = openBench({ answer: () => ({ action: "accept", content: { age: 42 } }) });
    connections.apply(script("asking"));
    const context = buildContext({ interact: async () => null });
    const said = JSON.parse(readText(await connections.call("asking", "form", {}, context)));
    expect(said.result).toEqual({ action: "accept", content: { age: 42 } });
    expect(questions[0]?.question).toMatchObject({
      server: "asking",
      executionId: "exec_test",
      toolName: "test__tool",
      request: { kind: "form", message: "How old?", schema: { required: ["age"] } },
    });
    expect([context.holds, context.released]).toEqual([1, 1]);
  });

  it("names no call where several could be meant", async () => {
    const { connections, questions } = openBench();
    connections.apply(script("asking"));
    const abort = new AbortController();
    const other = connections.call("asking", "hang", {}, buildContext({ signal: abort.signal }));
    await connections.call("asking", "form", {}, buildContext());
    expect(questions[0]?.question).toMatchObject({ executionId: null, toolName: null });
    abort.abort();
    await expect(other).rejects.toThrow();
  });

  it("refuses an answer that does not fit the form, and says where", async () => {
    const { connections } = openBench({ answer: () => ({ action: "accept", content: { age: "old" } }) });
    connections.apply(script("asking"));
    const said = JSON.parse(readText(await connections.call("asking", "form", {}, buildContext())));
    expect(said.error).toEqual({
      code: -32602,
      message: "The response does not match the requested form: 'age' must be an integer",
    });
  });

  it("offers an address, and hands on a refusal", async () => {
    const { connections, questions } = openBench();
    connections.apply(script("asking"));
    const said = JSON.parse(readText(await connections.call("asking", "url", {}, buildContext())));
    expect(said.result).toEqual({ action: "decline" });
    expect(questions[0]?.question.request).toEqual({ kind: "url", message: "Open it", url: "https://example.com/a" });
  });

  it("offers sampling, and tells the server of a refusal in the protocol's way", async () => {
    const answers = [{ action: "accept" as const, text: "hi there", model: "me" }, { action: "decline" as const }];
    const { connections, questions } = openBench({ answer: () => answers.shift() ?? { action: "cancel" } });
    connections.apply(script("asking"));
    const accepted = JSON.parse(readText(await connections.call("asking", "sample", {}, buildContext())));
    expect(accepted.result).toEqual({
      role: "assistant",
      content: { type: "text", text: "hi there" },
      model: "me",
    });
    const refused = JSON.parse(readText(await connections.call("asking", "sample", {}, buildContext())));
    expect(refused.error).toEqual({ code: -1, message: "User rejected sampling request" });
    expect(questions[0]?.question.request).toMatchObject({
      kind: "sampling",
      paramsText: expect.stringContaining("Say hi"),
    });
  });

  it("hands on a sampling result of the caller's model as it is, stop reason and content kind included", async () => {
    const result = {
      role: "assistant",
      content: { type: "image", data: "aGk=", mimeType: "image/png" },
      model: "painter-2",
      stopReason: "maxTokens",
    };
    const { connections } = openBench({ answer: () => ({ action: "accept", content: result, text: "" }) });
    connections.apply(script("asking"));
    const said = JSON.parse(readText(await connections.call("asking", "sample", {}, buildContext())));
    expect(said.result).toEqual(result);
  });

  it("answers with the configured roots", async () => {
    const { connections } = openBench();
    connections.apply(script("asking", { roots: [{ uri: "file:///data", name: "data" }, { uri: "file:///tmp" }] }));
    const said = JSON.parse(readText(await connections.call("asking", "roots", {}, buildContext())));
    expect(said.result).toEqual({ roots: [{ uri: "file:///data", name: "data" }, { uri: "file:///tmp" }] });
  });

  it("asks the caller of the tool for its roots, and leaves out what is none", async () => {
    const { connections } = openBench();
    connections.apply(script("asking", { roots: [{ uri: "file:///configured" }] }));
    const given = [{ uri: "file:///mine", name: "Mine", extra: 1 }, { uri: "https://example.com" }, { name: "x" }, 7];
    const context = buildContext({
      interact: async ({ kind }) => (kind === "roots" ? { action: "accept", content: { roots: given } } : null),
    });
    const said = JSON.parse(readText(await connections.call("asking", "roots", {}, context)));
    expect(said.result).toEqual({ roots: [{ uri: "file:///mine", name: "Mine" }] });
    expect([context.holds, context.released]).toEqual([1, 1]);
  });

  it.each([
    ["cannot tell its roots", async () => null],
    ["fails", async () => Promise.reject(new Error("gone"))],
  ])("answers with the configured roots when the caller %s", async (_, interact) => {
    const { connections } = openBench();
    connections.apply(script("asking", { roots: [{ uri: "file:///configured" }] }));
    const said = JSON.parse(readText(await connections.call("asking", "roots", {}, buildContext({ interact }))));
    expect(said.result).toEqual({ roots: [{ uri: "file:///configured" }] });
  });

  it.each(["impatient", "fickle"])(
    "takes the question back when the call ends or the server withdraws it (%s)",
    async (tool) => {
      const { connections, questions } = openBench({ answer: () => new Promise(() => undefined) });
      connections.apply(script("asking"));
      const context = buildContext();
      await connections.call("asking", tool, {}, context);
      await waitUntil(() => questions[0]?.signal.aborted === true && context.released === 1);
      expect(context.holds).toBe(1);
    },
  );
});

describe("the reference servers", () => {
  it("everything: lists, calls, fails, reports progress and shows an image", async () => {
    const { connections, lists } = openBench({
      answer: ({ request }) =>
        request.kind === "sampling" ? { action: "accept", text: "sampled" } : { action: "decline" },
    });
    connections.apply(npmServer("everything", { args: ["stdio"], roots: [{ uri: "file:///tmp" }] }));
    expect(await connections.ready("everything")).toMatchObject({ status: "connected", protocolVersion: "2025-11-25" });
    expect(lists.at(-1)?.tools.length).toBe(17);
    const context = buildContext();
    const call = (tool: string, args: Record<string, unknown>) => connections.call("everything", tool, args, context);
    expect(readText(await call("echo", { message: "hi" }))).toBe("Echo: hi");
    expect((await call("get-structured-content", { location: "Chicago" })).structuredContent).toMatchObject({
      conditions: expect.any(String),
    });
    const image = await call("get-tiny-image", {});
    expect(image.content.find(({ type }) => type === "image")).toMatchObject({ mimeType: "image/png" });
    await call("trigger-long-running-operation", { duration: 0.3, steps: 3 });
    expect(context.steps.map(({ progress, total }) => [progress, total])).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    expect(readText(await call("trigger-elicitation-request", {}))).toContain("declined");
    expect(readText(await call("trigger-sampling-request", { prompt: "p", maxTokens: 5 }))).toContain("sampled");
    expect(readText(await call("get-roots-list", {}))).toContain("file:///tmp");
    expect((await call("no-such-tool", {})).isError).toBe(true);
  });

  it("everything: resources with templates, prompts, and a cancelled call", async () => {
    const { connections } = openBench();
    connections.apply(npmServer("everything", { args: ["stdio"] }));
    const list = (which: ContentList) => connections.content("everything", (content) => content.list(which));
    const request = (method: string, params: Record<string, unknown>) =>
      connections.content("everything", (content) => content.request(method, params, buildContext()));
    expect((await list("resourceTemplates")).length).toBeGreaterThan(0);
    const [plain] = await list("resources");
    expect(await request("resources/read", { uri: plain?.uri })).toMatchObject({ contents: [{ uri: plain?.uri }] });
    const prompts = await list("prompts");
    expect(prompts.find(({ name }) => name === "args-prompt")?.arguments).toMatchObject([
      { name: "city", required: true },
      {},
    ]);
    const prompt = await request("prompts/get", { name: "args-prompt", arguments: { city: "Bern" } });
    expect(JSON.stringify(prompt)).toContain("Bern");
    await expect(request("resources/read", { uri: "demo://nothing" })).rejects.toMatchObject({ name: "ToolFailure" });

    const abort = new AbortController();
    const context = buildContext({ signal: abort.signal });
    const call = connections.call("everything", "trigger-long-running-operation", { duration: 20, steps: 40 }, context);
    const refused = expect(call).rejects.toMatchObject({ kind: "cancelled" });
    await waitUntil(() => context.steps.length > 0);
    abort.abort(new Error("stop"));
    await refused;
    expect(connections.messages("everything").some(({ method }) => method === "notifications/cancelled")).toBe(true);
  });

  it("filesystem, memory and sequential-thinking: connect, call, and refuse as tools do", async () => {
    const { connections, lists } = openBench();
    connections.apply(npmServer("filesystem", { args: [path.resolve("e2e")] }));
    connections.apply(npmServer("memory", { env: { MEMORY_FILE_PATH: "/dev/null" } }));
    connections.apply(npmServer("sequential-thinking"));
    const names = ["filesystem", "memory", "sequential-thinking"];
    const states = await Promise.all(names.map((server) => connections.ready(server)));
    expect(states.map(({ status }) => status)).toEqual(["connected", "connected", "connected"]);
    expect(names.map((name) => lists.find(({ server }) => server === name)?.tools.length)).toEqual([14, 9, 1]);
    const refused = await connections.call("filesystem", "read_file", { path: "/etc/passwd" }, buildContext());
    expect(refused.isError).toBe(true);
    expect(readText(refused)).toContain("Access denied");
    expect((await connections.call("memory", "read_graph", {}, buildContext())).structuredContent).toEqual({
      entities: [],
      relations: [],
    });
    const thought = { thought: "one", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    expect(
      readText(await connections.call("sequential-thinking", "sequentialthinking", thought, buildContext())),
    ).toContain('"thoughtNumber": 1');
  });
});
