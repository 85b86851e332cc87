import { describe, expect, it } from "vitest";
import { toExactText } from "../../../lib/json/exact-text";
import { buildContext, openBench, readText, script } from "./connections.test-support";
import { getMessage } from "./session/describe-error";

/** A stdio server whose answers are JSON texts or objects, from the source of `answer(method, params)`; of the newer protocol where `modern`. */
function serve(answer: string, { modern = false } = {}) {
  const code = `
    import readline from "node:readline";
    const done = ${modern} ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
    const tool = (name, more) => ({ name, inputSchema: { type: "object" }, ...more });
    const send = (message) => process.stdout.write((typeof message === "string" ? message : JSON.stringify(message)) + "\\n");
    const capabilities = { tools: {}, prompts: {}, resources: {} };
    const serverInfo = { name: "odd", version: "1" };
    const answer = ${answer};
    const waiting = new Map();
    readline.createInterface({ input: process.stdin }).on("line", async (line) => {
      const { id, method, params, result } = JSON.parse(line);
      if (method === undefined) return waiting.get(id)?.(result);
      if (id === undefined) return;
      const handshake = { "server/discover": ${modern} && { ...done, supportedVersions: ["2026-07-28"], capabilities }, initialize: ${!modern} && { protocolVersion: params.protocolVersion, capabilities, serverInfo } }[method];
      if (method === "initialize" && !handshake) return send({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
      const said = handshake ? { result: handshake } : await answer(method, params, { id, waiting });
      if (typeof said === "string") return send('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + "," + said + "}");
      send({ jsonrpc: "2.0", id, ...(said || { error: { code: -32601, message: "Method not found" } }) });
    });`;
  return { ...script("odd"), args: ["--input-type=module", "-e", code] };
}

const names = (tools: readonly unknown[] | undefined): unknown[] =>
  (tools ?? []).map((tool) => (tool as { name: unknown }).name);

describe("the pages of a list", () => {
  it("follow an empty cursor on 2026-07-28, and end where it comes again", async () => {
    const { connections, lists } = openBench();
    const pages = `(method, params) => method === "tools/list" && { result: { ...done, ...(params.cursor === undefined ? { tools: [tool("one")], nextCursor: "" } : { tools: [tool("two")], nextCursor: AGAIN }) } }`;
    for (const again of ["undefined", '""']) {
      connections.apply(serve(pages.replace("AGAIN", again), { modern: true }));
      await connections.ready("odd");
      expect(names(lists.at(-1)?.tools)).toEqual(["one", "two"]);
    }
  });

  it("end at an empty cursor of an older server", async () => {
    const { connections, lists } = openBench();
    connections.apply(
      serve(`(method) => method === "tools/list" && { result: { tools: [tool("one")], nextCursor: "" } }`),
    );
    await connections.ready("odd");
    expect(names(lists[0]?.tools)).toEqual(["one"]);
  });

  it.each([
    ["an error", `{ error: { code: -32603, message: "the index is broken" } }`, "the index is broken"],
    ["no list", `{ result: {} }`, "has no list 'tools'"],
  ])("keep what came before one that fails, and the server's page says so: %s", async (_, second, says) => {
    const { connections, lists } = openBench();
    connections.apply(
      serve(
        `(method, params) => method === "tools/list" && (params.cursor ? ${second} : { result: { tools: [tool("one")], nextCursor: "2" } })`,
      ),
    );
    const { status, reason } = await connections.ready("odd");
    expect([status, names(lists[0]?.tools)]).toEqual(["connected", ["one"]]);
    expect(reason).toMatch(`tools/list ended after 1 entries, since page 2 failed: `);
    expect(reason).toContain(says);
  });
});

it("members of a list's entries that are null are absent, and null stays a value of schemas", async () => {
  const { connections, lists } = openBench();
  connections.apply(
    serve(`(method) => method === "tools/list" && { result: { tools: [{
      name: "t", title: null, description: null, annotations: null, outputSchema: null, icons: null, _meta: null, execution: null,
      inputSchema: { type: "object", title: null, required: null, description: null, properties: {
        a: { type: ["string", "null"], default: null, enum: [null, "x"], title: null, examples: [null] } } },
    }] } }`),
  );
  await connections.ready("odd");
  expect(lists[0]?.tools).toEqual([
    {
      name: "t",
      inputSchema: {
        type: "object",
        properties: { a: { type: ["string", "null"], default: null, enum: [null, "x"], examples: [null] } },
      },
    },
  ]);
});

describe("a result whose content has another form", () => {
  it.each([
    ["a text", `{ content: "hello" }`, ["hello"]],
    ["a list of texts", `{ content: ["one", "two"] }`, ["one", "two"]],
    ["one block", `{ content: { type: "text", text: "hello" } }`, ["hello"]],
    ["an object", `{ content: { answer: 42 } }`, ['{"answer":42}']],
    ["a number", `{ content: 7 }`, ["7"]],
    ["null among blocks", `{ content: [null, { type: "text", text: "fine" }] }`, ["null", "fine"]],
    ["the form of 2024-10-07", `{ toolResult: { ok: true } }`, ['{"ok":true}']],
  ])("is kept and noted: %s", async (_, result, texts) => {
    const { connections } = openBench();
    connections.apply(
      serve(
        `(method) => method === "tools/list" ? { result: { tools: [tool("t")] } } : method === "tools/call" && { result: ${result} }`,
      ),
    );
    const context = buildContext();
    const { content } = await connections.call("odd", "t", {}, context);
    expect(content.map(({ text }) => text)).toEqual(texts);
    expect(context.logged.join("\n")).toMatch(/^The server's result has /);
  });

  it.each([`{ content: null }`, `{}`, `{ content: [] }`, `{ structuredContent: { a: 1 }, extra: 1 }`])(
    "is empty without a note where it is: %s",
    async (result) => {
      const { connections } = openBench();
      connections.apply(
        serve(
          `(method) => method === "tools/list" ? { result: { tools: [tool("t")] } } : method === "tools/call" && { result: ${result} }`,
        ),
      );
      const context = buildContext();
      expect((await connections.call("odd", "t", {}, context)).content).toEqual([]);
      expect(context.logged).toEqual([]);
    },
  );
});

it("three progress notifications in quick succession arrive as three", async () => {
  const { connections } = openBench();
  connections.apply(
    serve(`async (method, params) => {
      if (method === "tools/list") return { result: { tools: [tool("t")] } };
      for (const progress of [1, 2, 3]) {
        send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: params._meta.progressToken, progress, total: null, message: null } });
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return { result: { content: [] } };
    }`),
  );
  const context = buildContext();
  await connections.call("odd", "t", {}, context);
  expect(context.steps.map(({ progress }) => progress)).toEqual([1, 2, 3]);
});

it("a flood of progress notifications is thinned out, and the last one arrives", async () => {
  const { connections } = openBench();
  connections.apply(
    serve(`async (method, params) => {
      if (method === "tools/list") return { result: { tools: [tool("t")] } };
      for (let progress = 1; progress <= 500; progress += 1) {
        send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: params._meta.progressToken, progress } });
      }
      return { result: { content: [] } };
    }`),
  );
  const context = buildContext();
  await connections.call("odd", "t", {}, context);
  expect(context.steps.length).toBeLessThan(100);
  expect(context.steps.at(-1)?.progress).toBe(500);
});

it.each([true, false])(
  "a ping of the server is answered, with members that are null too (2026-07-28: %s)",
  async (modern) => {
    const { connections } = openBench();
    connections.apply(
      serve(
        `async (method, params, { waiting }) => {
        if (method === "tools/list") return { result: { ...done, tools: [tool("t")] } };
        const pong = new Promise((resolve) => waiting.set("p1", resolve));
        send({ jsonrpc: "2.0", id: "p1", method: "ping", params: null });
        return { result: { ...done, content: [{ type: "text", text: JSON.stringify(await pong) }] } };
      }`,
        { modern },
      ),
    );
    expect(readText(await connections.call("odd", "t", {}, buildContext()))).toBe("{}");
  },
);

it("prompts and resource templates keep the order of their server", async () => {
  const { connections } = openBench();
  connections.apply(
    serve(`(method) => ({ "tools/list": { result: { tools: [] } },
      "prompts/list": { result: { prompts: [{ name: "zeta" }, { name: "alpha", description: null }] } },
      "resources/templates/list": { result: { resourceTemplates: [{ name: "z", uriTemplate: "z://{x}" }, { name: "a", uriTemplate: "a://{x}" }] } } })[method]`),
  );
  await connections.ready("odd");
  const [prompts, templates] = await connections.content("odd", async (content) => [
    await content.list("prompts"),
    await content.list("resourceTemplates"),
  ]);
  expect(prompts).toEqual([{ name: "zeta" }, { name: "alpha" }]);
  expect(names(templates)).toEqual(["z", "a"]);
});

it("the digits of numbers in the data of an error stay as they were sent", async () => {
  const { connections } = openBench();
  connections.apply(
    serve(
      `(method) => method === "tools/list" ? { result: { tools: [tool("t")] } } : '"error":{"code":-32000,"message":"no","data":{"share":1.0,"big":9007199254740993}}'`,
    ),
  );
  const failure = await connections.call("odd", "t", {}, buildContext()).catch((error: unknown) => error);
  const { data } = (failure as { protocolError: { data: unknown } }).protocolError;
  expect(toExactText(data)).toBe('{"share":1.0,"big":9007199254740993}');
});

describe("what a validator says", () => {
  const ZOD = [
    {
      code: "invalid_type",
      expected: "string",
      path: ["content", 0, "type"],
      message: "Invalid input: expected string",
    },
    { code: "custom", path: [], message: "Must be a message" },
  ];
  const AJV = [{ instancePath: "/a", keyword: "type", message: "must be integer", params: { type: "integer" } }];

  it.each([
    ["of zod", JSON.stringify(ZOD, null, 2), "'content.0.type': Invalid input: expected string; Must be a message"],
    ["of ajv", JSON.stringify(AJV), "'/a': must be integer"],
    [
      "inside a sentence",
      `Invalid result: ${JSON.stringify(AJV)}, sorry`,
      "Invalid result: '/a': must be integer, sorry",
    ],
    [
      "of many",
      JSON.stringify(Array(5).fill(ZOD[1])),
      "Must be a message; Must be a message; Must be a message; and 2 more",
    ],
  ])("is a sentence in messages for people: %s", (_, message, expected) => {
    expect(getMessage(new Error(message))).toBe(expected);
  });

  it.each([`[{"a":1}]`, "a list [ of { things", "[]", `the file [{ "x" }] is broken`])(
    "leaves other texts as they are: %s",
    (message) => {
      expect(getMessage(new Error(message))).toBe(message);
    },
  );
});
