/**
 * `npm run bench:hostile`: how long hostile inputs, definitions and responses block a server's event loop (at most 250 ms
 * each), and how large its responses become. Every case runs in its own server process of the production build.
 * `-- --root ../other` measures another checkout's build; `-- tools streams` only the cases whose names contain these words.
 */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type ClientRequest, get } from "node:http";
import path from "node:path";
import { parseArgs } from "node:util";
import { callApi } from "../e2e/support/api";
import { type Case, type Context, previewFile, query, swallow } from "./hostile-case";
import { createFloods, startLoopback } from "./hostile-floods";
import { createGenerated } from "./hostile-inputs";
import { retentionCase } from "./hostile-retention";
import { doublingSchema, generateSchemas } from "./hostile-schemas";
import { createServerFolder, ECHO, type HostileServer, startHostileServer } from "./hostile-server";
import { deadReceivers } from "./hostile-webhooks";

const HERE = import.meta.dirname;
const MAX_STALL_MS = 250;
const MAX_READY_MS = 3000;
const MAX_ANSWER_BYTES = 1_048_576;
const CASE_LIMIT_MS = Number(process.env.CASE_LIMIT_MS ?? 180_000);

const { values, positionals } = parseArgs({ allowPositionals: true, options: { root: { type: "string" } } });
const root = path.resolve(values.root ?? path.join(HERE, ".."));

interface ServerList {
  items: { name: string; toolCount: number; problemCount: number; state: { status: string } }[];
}

/** Aborted when the current case has ended, so that its remaining requests stop. */
let caseEnd = new AbortController();

/** Polls until the condition holds or the case ends. */
const waitUntil = async (holds: () => Promise<boolean>): Promise<void> => {
  const { signal } = caseEnd;
  while (!(await holds().catch(() => false))) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

let largestAnswer = 0;

async function read(url: string): Promise<number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(CASE_LIMIT_MS) });
  const bytes = (await response.arrayBuffer()).byteLength;
  largestAnswer = Math.max(largestAnswer, bytes);
  return bytes;
}

/** @throws Error for a response that exceeds the size limit of a page */
async function readLimited({ read: readAnswer }: Context, address: string): Promise<void> {
  const bytes = await readAnswer(address);
  if (bytes > MAX_ANSWER_BYTES) throw new Error(`${address} is ${megabytes(bytes)}`);
}

function buildContext(server: HostileServer, folder: string): Context {
  // A case may restart the server, under another address.
  const api: Context["api"] = (procedure, input, method = "POST") =>
    callApi(context.server.url, procedure, input, method);
  const context: Context = {
    server,
    folder,
    api,
    read: (address) => read(new URL(address, context.server.url).href),
    connect: async (name, ...kind) => {
      const args = [path.join(HERE, "hostile-mcp-server.mjs"), ...kind];
      const settings = { name, transport: "stdio", command: process.execPath, args, protocol: "legacy" };
      await api("servers.create", { settings });
      await waitForTools(context, name);
    },
  };
  return context;
}

const waitForTools = ({ api }: Context, name: string): Promise<void> =>
  waitUntil(async () => {
    const { items } = await api<ServerList>("servers.list", undefined, "GET");
    return items.some((item) => item.name === name && item.toolCount + item.problemCount > 0);
  });

/** The requests of a user, a client and a model for one tool. */
async function useTool({ api, read: readAnswer }: Context, name: string): Promise<void> {
  await readAnswer(`/api/trpc/tools.get${query({ name })}`);
  await readAnswer(`/api/trpc/tools.providerFormats${query({ name })}`);
  await api("tools.validateArguments", { name, arguments: '{"p0":{"p0":[1,"a",{}]},"p1":"x"}' }).catch(swallow);
  await api("executions.run", { name, argumentsText: "{}" }).catch(swallow);
}

function toolList(count: number, parameters: number): Case {
  return {
    name: `tools: ${count} × ${parameters} parameters`,
    run: async (context) => {
      await context.connect("wide", "tools", String(count), String(parameters));
      await context.api("executions.run", { name: "wide__tool_1", argumentsText: '{"parameter_0":"x"}' });
      await readLimited(context, "/servers/wide");
      for (const page of ["/tools", "/tools/wide__tool_1", "/playground"]) await context.read(page);
    },
  };
}

/** Every operation takes a schema whose references double at each level, and has a long description. */
function apiDocument(operations: number): Case {
  const ref = (level: number) => ({ $ref: `#/components/schemas/L${level}` });
  const levels = Array.from({ length: 60 }, (_, level) => [
    `L${level}`,
    { type: "object", properties: { left: ref((level + 1) % 60), right: ref((level + 1) % 60) } },
  ]);
  const operation = {
    description: "x".repeat(1000),
    requestBody: { content: { "application/json": { schema: ref(0) } } },
    responses: { 200: { description: "ok", content: { "application/json": { schema: ref(1) } } } },
  };
  const paths = Array.from({ length: operations }, (_, index) => [
    `/p${index}/{id}`,
    { post: operation, put: operation },
  ]);
  const document = {
    openapi: "3.0.3",
    info: { title: "Doubling", version: "1" },
    paths: Object.fromEntries(paths),
    components: { schemas: Object.fromEntries(levels) },
  };
  return {
    name: `openapi: ${operations * 2} operations with doubling references`,
    run: async (context) => {
      const text = JSON.stringify(document);
      const settings = {
        name: "api",
        transport: "openapi",
        url: "http://127.0.0.1:9/",
        document: { from: "text", text },
      };
      await context.api("servers.create", { settings });
      await waitForTools(context, "api");
      await readLimited(context, "/servers/api");
      await useTool(context, "api__post_p1_id");
      await context.read("/tools");
    },
  };
}

function restart(count: number, parameters: number): Case {
  return {
    name: `tools: start with ${count} × ${parameters} stored`,
    prepare: ({ connect }) => connect("wide", "tools", String(count), String(parameters)),
    run: async (context) => {
      await context.server.kill();
      context.server = await startHostileServer(root, context.folder);
      // Loading the program always blocks the loop; the measurement starts here.
      await context.server.probe(CASE_LIMIT_MS);
      await waitUntil(async () => {
        const { items } = await context.api<ServerList>("servers.list", undefined, "GET");
        return items.every(({ state }) => state.status === "connected");
      });
      const { readyMs } = context.server;
      if (readyMs > MAX_READY_MS) throw new Error(`ready only after ${Math.round(readyMs)} ms`);
    },
  };
}

function doubling(levels: number): Case {
  return {
    name: `schema: doubling references, ${levels} levels`,
    prepare: async ({ folder, connect }) => {
      const file = path.join(folder, "schemas.json");
      await writeFile(file, JSON.stringify([doublingSchema(levels)]));
      await connect("doubling", "schemas", file);
    },
    run: async (context) => {
      await context.read("/tools/doubling__schema_0");
      await useTool(context, "doubling__schema_0");
      const settings = { provider: "demo", model: "demo", tools: { mode: "all" } };
      const { id } = await context.api<{ id: string }>("runs.start", { settings, text: "call schema 0" });
      await waitUntil(
        async () => (await context.api<{ status: string }>("runs.get", { id }, "GET")).status !== "running",
      );
    },
  };
}

const generated: Case = {
  name: "schema: 1,000 generated",
  prepare: async ({ folder, connect }) => {
    const file = path.join(folder, "schemas.json");
    await writeFile(file, JSON.stringify(generateSchemas(1000)));
    await connect("generated", "schemas", file);
  },
  run: async (context) => {
    for (let index = 0; index < 1000; index += 1) await useTool(context, `generated__schema_${index}`);
    for (let index = 0; index < 1000; index += 50) await context.read(`/tools/generated__schema_${index}`);
  },
};

let modelUrl = "";

function modelAnswer(model: string): Case {
  return {
    name: `model: ${model}`,
    run: async (context) => {
      const { api } = context;
      const provider = { name: "hostile", kind: "openai-compatible", baseUrl: modelUrl, apiKey: "k", models: [model] };
      await api("models.createProvider", { provider });
      const settings = { provider: "hostile", model, tools: { mode: "some", tools: ["echo"], servers: [] } };
      const { id } = await api<{ id: string }>("runs.start", { settings, text: "Go" });
      await waitUntil(async () => {
        const { items } = await api<{ items: { id: string; status: string }[] }>("runs.list", {}, "GET");
        return items.some((item) => item.id === id && item.status !== "running");
      });
      await readLimited(context, `/api/trpc/runs.get${query({ id })}`);
      for (const view of ["", "?view=timeline"]) await readLimited(context, `/runs/${id}${view}`);
    },
  };
}

const streams: Case = {
  name: "streams: 300 streams, 130 calls with logs and progress",
  prepare: ({ connect }) => connect("chatty", "chatty"),
  run: async ({ server, api }) => {
    const address = new URL("/api/live", server.url);
    const open: ClientRequest[] = [];
    await Promise.all(
      Array.from({ length: 300 }, async () => {
        const request = get(address, { headers: { accept: "text/event-stream" } }).on("error", swallow);
        open.push(request);
        const [response] = await once(request, "response");
        response.resume().on("error", swallow);
      }),
    );
    const call = (): Promise<unknown> =>
      api("executions.run", { name: "chatty__chatty", argumentsText: "{}", waitMs: 60_000 });
    await Promise.all(Array.from({ length: 130 }, call));
    for (const request of open) request.destroy();
  },
};

const garbage: Case = {
  name: "stdio: 20 MB of garbage",
  prepare: ({ connect }) => connect("garbage", "garbage"),
  run: ({ api }) =>
    api<void>("executions.run", { name: "garbage__garbage", argumentsText: "{}", waitMs: 60_000 }).catch(swallow),
};

const largeResult: Case = {
  name: "stdio: a result of 20 MB",
  prepare: ({ connect }) => connect("large", "large", "20"),
  run: async (context) => {
    const input = { name: "large__large", argumentsText: "{}", waitMs: 60_000 };
    const { id } = await context.api<{ id: string }>("executions.run", input);
    await readLimited(context, `/executions/${id}`);
    await context.read(`/api/trpc/executions.get${query({ id })}`);
  },
};

const deepJson: Case = {
  name: "json: deep nesting in every input",
  run: async ({ server, api }) => {
    const deep = "[".repeat(400_000) + "]".repeat(400_000);
    await api("servers.parseImport", { text: deep }).catch(swallow);
    await api("tools.checkDefinition", { definition: deep }).catch(swallow);
    await api("executions.run", { name: "echo", argumentsText: `{"a":${deep}}` }).catch(swallow);
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":${deep}}}}`;
    for (const address of ["/mcp", "/api/trpc/tools.create", "/api/trpc/servers.create"]) {
      await fetch(new URL(address, server.url), { method: "POST", headers, body });
    }
  },
};

/** Pasted configurations up to their limits in every format, and a catalog file with a tool of 49,000 values. */
const largeImports: Case = {
  name: "import: objects with thousands of keys",
  run: async (context) => {
    const { api } = context;
    const keys = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
    const servers = keys(4900, { url: "https://example.com/mcp" });
    const variables = keys(200, "0123456789");
    const section = (start: string, line: string): string =>
      Object.keys(keys(200, null))
        .map(
          (name) =>
            start.replaceAll("NAME", name) +
            Object.keys(variables)
              .map((key) => line.replace("KEY", key))
              .join(""),
        )
        .join("");
    const texts = [
      ...[{ mcp: servers, tools: keys(4900, false) }, { mcpServers: servers }, keys(49_000, {})].map((value) =>
        JSON.stringify(value),
      ),
      `// with a comment\n${JSON.stringify({ mcpServers: keys(200, { command: "npx", env: variables }) })}`,
      `mcpServers:\n${section("  NAME:\n    command: npx\n    env:\n", "      KEY: '0123456789'\n")}`,
      section('[mcp_servers.NAME]\ncommand = "npx"\n[mcp_servers.NAME.env]\n', "KEY = '0123456789'\n"),
      `mcpServers: [${"x,".repeat(495_000)}]`,
      `a${" ".repeat(990_000)}x`,
    ];
    for (const text of texts) await api("servers.parseImport", { text });
    const implementation = { type: "mock", mock_response: keys(49_000, "x") };
    const definition = { ...ECHO, name: "large", handler: "large", implementation };
    const text = JSON.stringify({ toolroom: 1, tools: [{ definition }] });
    const { digest } = await previewFile(context, text);
    await api("sharing.import", { text, digest, decisions: [{ kind: "tool", position: 0, action: "add" }] });
  },
};

/** Pages of calls whose stored results are as large as the limit allows, side by side too. */
const largePages: Case = {
  name: "pages: calls with stored results of 1 MB",
  prepare: ({ connect }) => connect("large", "large", "0.9"),
  run: async (context) => {
    const run = (tool: string, args: object): Promise<{ id: string }> =>
      context.api("executions.run", { name: tool, argumentsText: JSON.stringify(args), waitMs: 60_000 });
    const rows = Array.from({ length: 20_000 }, (_, index) => ({ index, name: `row ${index}` }));
    const deep: unknown = JSON.parse("[".repeat(60) + "]".repeat(60));
    const nested = Array.from({ length: 7_000 }, () => deep);
    const calls = [await run("large__large", {}), await run("large__large", {})];
    for (const value of [rows, nested]) {
      calls.push(await run("echo", { value }), await run("echo", { value: [0, ...value] }));
    }
    await context.read("/executions");
    for (const { id } of calls) await context.read(`/executions/${id}`);
    for (const [at, { id }] of calls.slice(1).entries())
      await context.read(`/compare?left=${calls[at]?.id}&right=${id}`);
  },
};

const costlyArguments: Case = {
  name: "arguments: exploding pattern, 20,000 unique objects",
  prepare: async ({ folder, connect }) => {
    const file = path.join(folder, "schemas.json");
    const pattern = { type: "object", properties: { s: { type: "string", pattern: "^(a+)+$" } } };
    const unique = { type: "object", properties: { list: { type: "array", uniqueItems: true } } };
    await writeFile(file, JSON.stringify([pattern, unique]));
    await connect("costly", "schemas", file);
  },
  run: async ({ api }) => {
    const list = Array.from({ length: 20_000 }, (_, index) => ({ index }));
    const run = (index: number, args: object): Promise<unknown> =>
      api("executions.run", { name: `costly__schema_${index}`, argumentsText: JSON.stringify(args) }).catch(swallow);
    await Promise.all([run(0, { s: `${"a".repeat(40)}!` }), run(1, { list })]);
  },
};

const CASES: Case[] = [
  toolList(1000, 20),
  toolList(300, 1000),
  toolList(500, 3000),
  toolList(5000, 5),
  apiDocument(800),
  restart(1000, 20),
  restart(500, 3000),
  doubling(22),
  doubling(40),
  generated,
  modelAnswer("text-50mb"),
  modelAnswer("arguments-50mb"),
  modelAnswer("calls-10000"),
  modelAnswer("calls-1000"),
  modelAnswer("chunks-100000"),
  streams,
  garbage,
  largeResult,
  deepJson,
  largeImports,
  largePages,
  costlyArguments,
  retentionCase(root, CASE_LIMIT_MS),
  deadReceivers,
];

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(2)} MB`;

/** The first use of each part loads its code, which blocks the loop whatever the input is. */
async function warmUp({ connect, api, read: readAnswer }: Context): Promise<void> {
  await connect("plain", "chatty");
  await api("executions.run", { name: "plain__chatty", argumentsText: "{}", waitMs: 60_000 });
  for (const page of ["/", "/servers/plain", "/tools", "/tools/plain__chatty", "/playground"]) await readAnswer(page);
}

/** Runs a case in its own server and returns its row of the table. */
async function measureCase({ name, prepare, run }: Case): Promise<{ row: string; held: boolean }> {
  const { folder, remove } = await createServerFolder();
  const context = buildContext(await startHostileServer(root, folder), folder);
  largestAnswer = 0;
  caseEnd = new AbortController();
  let stuck: NodeJS.Timeout | undefined;
  const limit = new Promise<"limit">((resolve) => {
    stuck = setTimeout(() => resolve("limit"), CASE_LIMIT_MS);
  });
  try {
    await warmUp(context);
    const preparing = prepare?.(context);
    const prepared = await Promise.race([preparing, limit]);
    // After the limit the case is abandoned.
    preparing?.catch(() => undefined);
    if (prepared !== "limit") await context.server.probe(CASE_LIMIT_MS);
    const outcome = await Promise.race([run(context).catch((error: unknown) => String(error).slice(0, 200)), limit]);
    const probed = await context.server.probe(1000);
    const late = outcome === "limit" || probed === null;
    const stall = late ? `over ${Math.round(CASE_LIMIT_MS / 1000)} s` : `${Math.round(probed.longestMs)} ms`;
    const fault = typeof outcome === "string" && outcome !== "limit" ? outcome : "";
    const processor = probed === null ? "" : `${Math.round(probed.longestCpuMs)} ms`;
    const held = !late && probed.longestMs <= MAX_STALL_MS && fault === "";
    const memory = probed === null ? "" : megabytes(probed.rssBytes);
    return {
      row: `| ${name} | ${stall} | ${processor} | ${megabytes(largestAnswer)} | ${memory} | ${held ? "yes" : "NO"} ${fault} |`,
      held,
    };
  } finally {
    clearTimeout(stuck);
    caseEnd.abort(new Error("the case has ended"));
    await context.server.kill();
    await remove();
  }
}

async function main(): Promise<void> {
  const [model, http] = await Promise.all([
    startLoopback("hostile-model-server.mjs"),
    startLoopback("hostile-http-server.mjs"),
  ]);
  modelUrl = model.url;
  const cases = [...CASES, ...createFloods(http.url), ...createGenerated(http.url)];
  const chosen = cases.filter(
    ({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
  );
  console.log(
    `longest stall at most ${MAX_STALL_MS} ms; pages of runs and servers at most ${megabytes(MAX_ANSWER_BYTES)}\n`,
  );
  console.log(
    "| case | longest stall | processor time | largest answer | memory | within limits |\n| :-- | --: | --: | --: | --: | :-- |",
  );
  let missed = 0;
  try {
    for (const each of chosen) {
      const { row, held } = await measureCase(each).catch((error: unknown) => ({
        row: `| ${each.name} | ${String(error).slice(0, 200)} | | | | NO |`,
        held: false,
      }));
      console.log(row);
      if (!held) missed += 1;
    }
  } finally {
    for (const { child } of [model, http]) child.kill("SIGTERM");
  }
  console.log(`\n${chosen.length - missed} of ${chosen.length} cases within the limits`);
}

await main();
