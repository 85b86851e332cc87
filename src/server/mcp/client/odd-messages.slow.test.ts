import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { buildContext, openBench, readText, remote, script } from "./connections.test-support";

interface Message {
  id?: number | string;
  method: string;
  params?: Record<string, unknown>;
}
type Answer = { result?: unknown; error?: unknown };

const TOOL = { name: "hello", inputSchema: { type: "object" } };

function answer({ method, params }: Message): Answer {
  if (method === "initialize") {
    const serverInfo = { name: "odd", version: "1", title: null, icons: null };
    return {
      result: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {}, logging: null },
        instructions: null,
        serverInfo,
      },
    };
  }
  if (method === "tools/list") return { result: { tools: [TOOL], nextCursor: null, _meta: null } };
  if (method === "tools/call") return { result: { content: [{ type: "text", text: "hello" }] } };
  return { error: { code: -32_601, message: "Method not found" } };
}

/** Forms of messages that are not the protocol's, and mean the same. */
const FORMS: Readonly<Record<string, (message: Message, answer: Answer) => string>> = {
  "as the protocol says": ({ id }, said) => JSON.stringify({ jsonrpc: "2.0", id, ...said }),
  '"error": null beside a result': ({ id }, { result, error = null }) =>
    JSON.stringify({ jsonrpc: "2.0", id, result, error }),
  '"result": null beside an error': ({ id }, { result = null, error }) =>
    JSON.stringify({ jsonrpc: "2.0", id, result, error }),
  "members that are null": ({ id }, said) =>
    JSON.stringify({ jsonrpc: "2.0", id, method: null, params: null, error: null, ...said }),
  "no jsonrpc": ({ id }, said) => JSON.stringify({ id, ...said }),
  "jsonrpc null": ({ id }, said) => JSON.stringify({ jsonrpc: null, id, ...said }),
  "jsonrpc as a number": ({ id }, said) => JSON.stringify({ jsonrpc: 2, id, ...said }),
  "ids as text": ({ id }, said) => JSON.stringify({ jsonrpc: "2.0", id: String(id), ...said }),
  "JSON over several lines": ({ id }, said) => JSON.stringify({ jsonrpc: "2.0", id, ...said }, null, 2),
  "JSON over several lines with CR LF": ({ id }, said) =>
    JSON.stringify({ jsonrpc: "2.0", id, ...said }, null, 2).replaceAll("\n", "\r\n"),
  "a byte order mark": ({ id }, said) => ["\uFEFF", JSON.stringify({ jsonrpc: "2.0", id, ...said })].join(""),
};

function overStdio(form: (message: Message, answer: Answer) => string) {
  const code = `
    import readline from "node:readline";
    const TOOL = ${JSON.stringify(TOOL)};
    ${answer.toString()}
    const form = ${form.toString()};
    readline.createInterface({ input: process.stdin }).on("line", (line) => {
      const message = JSON.parse(line);
      if (message.id !== undefined) process.stdout.write(form(message, answer(message)) + "\\n");
    });`;
  return { ...script("odd"), args: ["--input-type=module", "-e", code] };
}

type Wire = (text: string) => { type: string; body: string };
const asJson: Wire = (body) => ({ type: "application/json", body });
const stream =
  (end: string, tail = end + end): Wire =>
  (text) => ({
    type: "text/event-stream",
    body: text
      .split(/\r?\n/)
      .map((line) => `data: ${line}`)
      .join(end)
      .concat(tail),
  });
const WIRES: Readonly<Record<string, Wire>> = {
  JSON: asJson,
  "a stream": stream("\n"),
  "a stream with CR LF": stream("\r\n"),
  "a stream with CR": stream("\r"),
  "a stream without its last empty line": stream("\n", "\n"),
};

async function overHttp(respond: (message: Message) => { status?: number; type: string; body: string }) {
  const http = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(text) as Message;
    if (message.id === undefined) return void response.writeHead(202).end();
    const { status = 200, type, body } = respond(message);
    response.writeHead(status, { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return remote("odd", `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
}

describe("a server whose messages have another form", () => {
  it.each(Object.entries(FORMS))("is connected and called over stdio: %s", async (_, form) => {
    const { connections, lists } = openBench();
    connections.apply(overStdio(form));
    expect(await connections.ready("odd")).toMatchObject({
      status: "connected",
      reason: null,
      peer: { name: "odd", version: "1" },
    });
    expect(lists[0]?.tools).toMatchObject([{ name: "hello" }]);
    expect(readText(await connections.call("odd", "hello", {}, buildContext()))).toBe("hello");
  });

  const overEach = Object.entries(FORMS).flatMap(([name, form]) =>
    Object.entries(WIRES).map(([wireName, wire]) => ({ name, form, wireName, wire })),
  );
  it.each(overEach)("is connected and called over HTTP: $name in $wireName", async ({ form, wire }) => {
    const { connections, lists } = openBench();
    connections.apply(await overHttp((message) => wire(form(message, answer(message)))));
    expect(await connections.ready("odd")).toMatchObject({
      status: "connected",
      reason: null,
      peer: { name: "odd", version: "1" },
    });
    expect(lists[0]?.tools).toMatchObject([{ name: "hello" }]);
    expect(readText(await connections.call("odd", "hello", {}, buildContext()))).toBe("hello");
  });
});

/** Answers to a call that cannot be used, and what the failure says. */
const FAULTS: Readonly<Record<string, { text: (id: unknown) => string; says: RegExp; http?: RegExp }>> = {
  "an error with the id null": {
    text: () => JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_700, message: "I cannot parse it" } }),
    says: /I cannot parse it \(code -32700\)/,
  },
  "an error without an id": {
    text: () => JSON.stringify({ jsonrpc: "2.0", error: { code: -32_700, message: "I cannot parse it" } }),
    says: /I cannot parse it \(code -32700\)/,
  },
  "an error that is a text": {
    text: (id) => JSON.stringify({ jsonrpc: "2.0", id, error: "out of order" }),
    says: /out of order/,
  },
  "a result that is null": {
    text: (id) => JSON.stringify({ jsonrpc: "2.0", id, result: null }),
    says: /The answer to tools\/call is not an object/,
  },
  "a result that is a text": {
    text: (id) => JSON.stringify({ jsonrpc: "2.0", id, result: "hello" }),
    says: /The answer to tools\/call is not an object/,
  },
};

describe("an answer to a call that cannot be used fails at once with the reason", () => {
  it.each(Object.entries(FAULTS))("over stdio: %s", async (_, { text, says }) => {
    const { connections } = openBench();
    const form = `({ id, method }, said) => method === "tools/call" ? (${text.toString()})(id) : JSON.stringify({ jsonrpc: "2.0", id, ...said })`;
    connections.apply(overStdio({ toString: () => form } as never));
    await expect(connections.call("odd", "hello", {}, buildContext())).rejects.toMatchObject({
      message: expect.stringMatching(says),
    });
  });

  it.each(Object.entries(FAULTS))("over HTTP: %s", async (_, { text, says }) => {
    for (const wire of [asJson, stream("\n")]) {
      const { connections } = openBench();
      connections.apply(
        await overHttp((message) =>
          wire(
            message.method === "tools/call"
              ? text(message.id)
              : JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer(message) }),
          ),
        ),
      );
      await expect(connections.call("odd", "hello", {}, buildContext())).rejects.toMatchObject({
        message: expect.stringMatching(says),
      });
    }
  });

  const WRONG = JSON.stringify({ jsonrpc: "2.0", id: 77, result: { content: [] } });
  it.each([
    ["another id", asJson(WRONG), /its answer has the id 77, not that of the request/],
    ["an empty list", asJson("[]"), /its answer holds no response/],
    ["no message", asJson('{"ok":true}'), /its response is not a protocol message \(it is not a JSON-RPC message\)/],
    ["an empty body", asJson(""), /its response is not a protocol message/],
    ["an empty stream", { type: "text/event-stream", body: "" }, /it ended its response before the answer came/],
    ["another id in a stream", stream("\n")(WRONG), /it ended its response before the answer came/],
  ])("over HTTP: %s", async (_, wrong, says) => {
    const { connections } = openBench();
    connections.apply(
      await overHttp((message) =>
        message.method === "tools/call"
          ? wrong
          : asJson(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer(message) })),
      ),
    );
    const failure = await connections.call("odd", "hello", {}, buildContext()).catch((error: Error) => error.message);
    expect(failure).toMatch(says);
  });
});

describe("a JSON-RPC error beside an HTTP status", () => {
  const ERROR = { code: -32_602, message: "city must be a known city", data: { field: "city", share: 1 } };
  const bodies = {
    "its id": (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, error: ERROR }),
    "the id null": () => JSON.stringify({ jsonrpc: "2.0", id: null, error: ERROR }),
    "the id as text": (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id: String(id), error: ERROR }),
    "a byte order mark": (id: unknown) => `\uFEFF${JSON.stringify({ jsonrpc: "2.0", id, error: ERROR })}`,
    "a stream": (id: unknown) => `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, error: ERROR })}\n\n`,
  };
  const cases = [400, 403, 404, 409, 422, 429, 500, 502, 503].flatMap((status) =>
    Object.entries(bodies).map(([form, body]) => ({ status, form, body })),
  );

  it.each(cases)(
    "is the tool's error with code, message and data: HTTP $status, $form",
    async ({ status, body, form }) => {
      const { connections } = openBench();
      const type = form === "a stream" ? "text/event-stream" : "application/json";
      connections.apply(
        await overHttp((message) =>
          message.method === "tools/call"
            ? { status, type, body: body(message.id) }
            : asJson(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer(message) })),
        ),
      );
      await expect(connections.call("odd", "hello", {}, buildContext())).rejects.toMatchObject({
        kind: "tool_error",
        message: "odd: city must be a known city (code -32602)",
        protocolError: ERROR,
      });
      expect(connections.state("odd")?.status).toBe("connected");
    },
  );

  it("keeps all data of -32042, with the digits of its numbers", async () => {
    const data =
      '{"elicitations":[{"mode":"url","url":"https://example.com/x","elicitationId":"e"}],"share":1.0,"more":[1e3]}';
    const { connections } = openBench();
    connections.apply(
      await overHttp((message) => {
        const error = `{"jsonrpc":"2.0","id":${message.id},"error":{"code":-32042,"message":"open a page","data":${data}}}`;
        const text = JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer(message) });
        return message.method === "tools/call" ? { status: 403, ...asJson(error) } : asJson(text);
      }),
    );
    const failure = await connections.call("odd", "hello", {}, buildContext()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ protocolError: { code: -32_042, data: JSON.parse(data) } });
  });
});

it("a command that explains itself on standard output is quoted on the server's page and in the error of a call", async () => {
  const { connections } = openBench();
  const code = `console.log("Error: no command given\\n\\nUsage: issues-server <command>\\n  start   starts the server"); process.exit(1)`;
  connections.apply({ ...script("usage"), args: ["-e", code] });
  const says =
    /exit code 1. On standard output it printed:\nError: no command given\nUsage: issues-server <command>\n {2}start {3}starts the server/;
  await waitUntil(() => connections.state("usage")?.status === "disconnected");
  expect(connections.state("usage")?.reason).toMatch(says);
  await expect(connections.call("usage", "any", {}, buildContext())).rejects.toMatchObject({
    message: expect.stringMatching(says),
  });
});

it("an answer to 'initialize' that cannot be used is the reason, and no end of the process is claimed", async () => {
  const { connections } = openBench();
  const code = `
    import readline from "node:readline";
    readline.createInterface({ input: process.stdin }).on("line", (line) => {
      const { id } = JSON.parse(line);
      console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: 7, capabilities: "all" } }));
    });`;
  connections.apply({ ...script("odd"), args: ["--input-type=module", "-e", code] });
  await waitUntil(() => connections.state("odd")?.status === "disconnected");
  expect(connections.state("odd")?.reason).toBe(
    "The server's answer to 'initialize' is not valid: it needs protocolVersion, capabilities and serverInfo (name, version)",
  );
});
