/** Cases of `bench/hostile.ts`: answers, bodies and streams that hold more than a program needs. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { type Case, type Context, previewFile, swallow } from "./hostile-case";
import { ECHO } from "./hostile-server";

/** How long a server may flood. */
const FLOOD_MS = 10_000;

/** Starts a program of this folder that prints the URL at which it listens. */
export async function startLoopback(file: string): Promise<{ url: string; child: ChildProcess }> {
  const args = [path.join(import.meta.dirname, file)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  return { url: String(line).trim(), child };
}

const objectText = (names: number, of: (name: string) => string): string =>
  `{${Array.from({ length: names }, (_, index) => `"key ${index}":${of(String(index))}`).join()}}`;

/** One call of a tool whose answer, or what comes before it, is large. */
function largeAnswer(kind: string, count: number, what: string): Case {
  return {
    name: `result: ${count.toLocaleString("en-US")} ${what}`,
    prepare: ({ connect }) => connect(kind, kind, String(count)),
    run: async (context) => {
      const input = { name: `${kind}__${kind}`, argumentsText: "{}", waitMs: 60_000 };
      const { id } = await context.api<{ id: string }>("executions.run", input);
      await context.read(`/executions/${id}`);
    },
  };
}

const post = (url: URL, body: string): Promise<unknown> => {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  return fetch(url, { method: "POST", headers, body })
    .then((response) => response.text())
    .catch(swallow);
};

const gatewayBody: Case = {
  name: "body: 4 MB of names to the gateway",
  run: async ({ server }) => {
    const names = objectText(200_000, (index) => index);
    const params = `{"name":"echo","arguments":${names}}`;
    await post(new URL("/mcp", server.url), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
    await post(new URL("/mcp", server.url), `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${names}}`);
  },
};

const consoleBody: Case = {
  name: "body: 8 MB of names to the console's API",
  run: async ({ server }) => {
    const names = objectText(400_000, (index) => index);
    for (const name of ["executions.run", "servers.create"]) {
      await post(new URL(`/api/trpc/${name}`, server.url), `{"json":${names}}`);
    }
    await post(new URL("/api/v1/tools/echo/run", server.url), `{"arguments":${names}}`);
    await post(
      new URL("/api/trpc/executions.run", server.url),
      JSON.stringify({ json: { name: "echo", argumentsText: objectText(300_000, (index) => index) } }),
    );
  },
};

const apiAnswer = (url: string): Case => ({
  name: "openapi: an answer with 400,000 names",
  prepare: async (context) => {
    const paths = { "/names": { get: { operationId: "names", responses: { 200: { description: "ok" } } } } };
    const text = JSON.stringify({ openapi: "3.1.0", info: { title: "Names", version: "1" }, paths });
    const settings = { name: "api", transport: "openapi", url: `${url}/api`, document: { from: "text", text } };
    await context.api("servers.create", { settings });
    await waitForTool(context, "api__names");
  },
  run: async ({ api }) => {
    await api("executions.run", { name: "api__names", argumentsText: "{}", waitMs: 60_000 });
  },
});

const waitForTool = async ({ api }: Context, name: string): Promise<void> => {
  while ((await api("tools.get", { name }, "GET").catch(swallow)) === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** A server that floods, or asks to be called again at once, while calls of another one go on. */
const floodingServer = (url: string, kind: string, what: string): Case => ({
  name: `stream: ${what}`,
  run: async (context) => {
    const settings = { name: kind, transport: "http", url: `${url}/${kind}`, protocol: "legacy" };
    const opened = async (): Promise<number> => Number(await (await fetch(`${url}/opened`)).text());
    const before = await opened();
    await context.api("servers.create", { settings });
    const end = performance.now() + FLOOD_MS;
    while (performance.now() < end) {
      await context.api("executions.run", { name: "echo", argumentsText: "{}" });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const times = (await opened()) - before;
    await context.api("servers.delete", { name: kind }).catch(swallow);
    if (times > FLOOD_MS / 1000 + 2) throw new Error(`the stream was opened ${times} times in ${FLOOD_MS / 1000} s`);
  },
});

/** Nested aliases: a few lines stand for millions of values. */
function aliasBomb(levels: number, width: number): string {
  const lines = ["a0: &a0 [x]"];
  for (let level = 1; level <= levels; level += 1) {
    lines.push(`a${level}: &a${level} [${Array.from({ length: width }, () => `*a${level - 1}`).join(", ")}]`);
  }
  return lines.join("\n");
}

const aliases: Case = {
  name: "yaml: aliases of aliases",
  run: async ({ api }) => {
    const texts = [aliasBomb(9, 9), aliasBomb(4, 40), aliasBomb(3, 49), aliasBomb(2, 700)];
    for (const text of texts) {
      await api("servers.parseImport", { text }).catch(swallow);
      const document = `openapi: 3.1.0\ninfo: {title: Bomb, version: "1"}\npaths: {}\n${text}\n`;
      const settings = {
        name: "bomb",
        transport: "openapi",
        url: "http://127.0.0.1:9/",
        document: { from: "text", text: document },
      };
      await api("servers.checkSettings", { settings }).catch(swallow);
      await api("servers.create", { settings }).catch(swallow);
    }
  },
};

const importPreview: Case = {
  name: "import: preview of 2,000 tools with 60 patterns each",
  run: async (context) => {
    const tool = (index: number) => ({
      name: `tool_${index}`,
      description: `Tool ${index}`,
      type: "function",
      handler: "echo",
      parameters: {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 60 }, (_, at) => [
            `p${at}`,
            { type: "string", pattern: `^[a-z]{${at},}_${index}(x|y)*$` },
          ]),
        ),
      },
      implementation: { type: "builtin", handler: "echo" },
    });
    const tools = Array.from({ length: 2000 }, (_, index) => ({ definition: tool(index) }));
    await previewFile(context, JSON.stringify({ toolroom: 1, tools }));
  },
};

const toolsPage: Case = {
  name: "page: 1,000 own tools",
  prepare: async (context) => {
    const tools = Array.from({ length: 1000 }, (_, index) => ({ definition: { ...ECHO, name: `own_${index}` } }));
    const text = JSON.stringify({ toolroom: 1, tools });
    const { digest } = await previewFile(context, text);
    await context.api("sharing.import", { text, digest, decisions: [] });
  },
  run: async ({ read }) => {
    await read("/tools");
    await read("/tools");
  },
};

export const createFloods = (url: string): Case[] => [
  ...[50_000, 200_000, 1_000_000].map((count) => largeAnswer("keys", count, "names in one object")),
  ...[30, 60].map((megabytes) => largeAnswer("text", megabytes, "MB of text")),
  largeAnswer("items", 500_000, "content blocks"),
  largeAnswer("requests", 3000, "requests before it"),
  floodingServer(url, "requests", "sampling requests without end"),
  floodingServer(url, "messages", "log messages without end"),
  floodingServer(url, "retry", "ended at once, to be opened at once"),
  gatewayBody,
  consoleBody,
  apiAnswer(url),
  aliases,
  importPreview,
  toolsPage,
];
