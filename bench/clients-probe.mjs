// Runs one client against the gateway, for `bench/clients.ts`, which copies this file to where the clients are installed:
// `node clients-probe.mjs <client> <url> [lists]`. Prints one line of JSON for each check; waits for a line on standard
// input where the server has to be restarted.
import { once } from "node:events";
import { createInterface } from "node:readline";

const [name = "", url = "", mode = "matrix"] = process.argv.slice(2);
const LIMIT_MS = 30_000;
const INFO = { name: `matrix-${name}`, version: "1.0.0" };
const ANSWER = { action: "accept", content: { age: 42 } };
const BIG_CHARS = 3 * 1024 * 1024;
let progress = 0;

/** @typedef {{ list(): Promise<string[]>, call(tool: string, args: object, signal?: AbortSignal): Promise<unknown>, close(): Promise<unknown>, lacks: string[] }} Probed */

/** Both generations of the SDK, and mcp-remote between the first one and the gateway. */
async function openSdk(first, remote) {
  const { Client } = await import(first ? "@modelcontextprotocol/sdk/client/index.js" : "@modelcontextprotocol/client");
  const client = new Client(INFO, { capabilities: { elicitation: { form: {} } } });
  if (first) {
    const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
    client.setRequestHandler(ElicitRequestSchema, async () => ANSWER);
  } else client.setRequestHandler("elicitation/create", async () => ANSWER);
  await client.connect(await openTransport(first, remote));
  const onprogress = () => {
    progress += 1;
  };
  return {
    lacks: [],
    list: async () => {
      const names = [];
      let cursor;
      do {
        const page = await client.listTools(cursor === undefined ? undefined : { cursor });
        names.push(...page.tools.map((tool) => tool.name));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return names;
    },
    call: (tool, args, signal) => {
      const options = { signal, onprogress, timeout: LIMIT_MS };
      const params = { name: tool, arguments: args };
      return first ? client.callTool(params, undefined, options) : client.callTool(params, options);
    },
    close: () => client.close(),
  };
}

async function openTransport(first, remote) {
  if (remote) {
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const args = ["node_modules/mcp-remote/dist/proxy.js", url, "--allow-http", "--transport", "http-only"];
    return new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" });
  }
  const { StreamableHTTPClientTransport } = await import(
    first ? "@modelcontextprotocol/sdk/client/streamableHttp.js" : "@modelcontextprotocol/client"
  );
  return new StreamableHTTPClientTransport(new URL(url));
}

/** @type {Record<string, () => Promise<Probed>>} */
const CLIENTS = {
  "sdk-1": () => openSdk(true, false),
  "sdk-2": () => openSdk(false, false),
  "mcp-remote": () => openSdk(true, true),

  async "ai-sdk"() {
    const { createMCPClient, ElicitationRequestSchema } = await import("@ai-sdk/mcp");
    const capabilities = { elicitation: {} };
    const client = await createMCPClient({ transport: { type: "http", url }, capabilities });
    client.onElicitationRequest(ElicitationRequestSchema, async () => ANSWER);
    let tools = {};
    return {
      lacks: ["progress"],
      list: async () => {
        tools = await client.tools();
        return Object.keys(tools);
      },
      call: (tool, args, abortSignal) => tools[tool].execute(args, { messages: [], toolCallId: "1", abortSignal }),
      close: () => client.close(),
    };
  },

  async langchain() {
    const { MultiServerMCPClient } = await import("@langchain/mcp-adapters");
    const onProgress = () => {
      progress += 1;
    };
    const client = new MultiServerMCPClient({ mcpServers: { t: { transport: "http", url } }, onProgress });
    let tools = [];
    return {
      lacks: ["elicitation"],
      list: async () => {
        tools = await client.getTools();
        return tools.map((tool) => tool.name);
      },
      call: (name, args, signal) =>
        tools.find((tool) => tool.name === name).invoke(args, { signal, timeout: LIMIT_MS }),
      close: () => client.close(),
    };
  },

  async "openai-agents"() {
    const { MCPServerStreamableHttp } = await import("@openai/agents");
    const client = new MCPServerStreamableHttp({ url, name: "t", timeout: LIMIT_MS });
    await client.connect();
    return {
      lacks: ["progress", "elicitation"],
      list: async () => (await client.listTools()).map((tool) => tool.name),
      call: (tool, args, signal) => client.callTool(tool, args, null, signal === undefined ? undefined : { signal }),
      close: () => client.close(),
    };
  },

  async mastra() {
    const { MCPClient } = await import("@mastra/mcp");
    const inputRequests = async () => ANSWER;
    const servers = { t: { url: new URL(url), timeout: LIMIT_MS, enableProgressTracking: true, inputRequests } };
    const client = new MCPClient({ servers, timeout: LIMIT_MS });
    await client.progress?.onUpdate?.("t", () => {
      progress += 1;
    });
    let tools = {};
    return {
      lacks: [],
      list: async () => {
        tools = await client.listTools();
        return Object.keys(tools).map((each) => each.replace(/^t_/, ""));
      },
      call: (tool, args, abortSignal) => tools[`t_${tool}`].execute(args, { abortSignal }),
      close: () => client.disconnect(),
    };
  },
};

/** The whole answer as text, or the error's; what a program sees of either. */
async function toOutcome(work) {
  try {
    return JSON.stringify(await work) ?? "";
  } catch (error) {
    return `thrown: ${error?.message ?? error}`;
  }
}

const report = (check, ok, detail = "") =>
  process.stdout.write(
    `${JSON.stringify({ check, ok, detail: ok === true ? detail : String(detail).slice(0, 300) })}\n`,
  );

async function countCancelled() {
  const response = await fetch(new URL("/api/v1/executions?tool=matrix__hang&status=cancelled", url));
  return (await response.json()).items.length;
}

async function waitFor(condition) {
  const until = Date.now() + LIMIT_MS;
  while (Date.now() < until) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

async function runMatrix(client) {
  const has = async (check, run) => {
    if (client.lacks.includes(check)) return report(check, null);
    try {
      report(check, ...(await run()));
    } catch (error) {
      report(check, false, error?.stack ?? error);
    }
  };
  const expecting = async (work, wanted) => {
    const got = await toOutcome(work);
    return [got.includes(wanted), got];
  };
  await has("list", async () => {
    const names = await client.list();
    return [["echo", "fail", "big"].every((each) => names.includes(`matrix__${each}`)), names.join()];
  });
  await has("call", () => expecting(client.call("matrix__echo", { text: "hé" }), "hé"));
  await has("error", () => expecting(client.call("matrix__fail", {}), "the disk is full"));
  await has("progress", async () => {
    const said = await toOutcome(client.call("matrix__steps", {}));
    return [progress === 3, `${progress} of 3 reports: ${said}`];
  });
  await has("cancel", async () => {
    const before = await countCancelled();
    const abort = new AbortController();
    const call = toOutcome(client.call("matrix__hang", {}, abort.signal));
    setTimeout(() => abort.abort(), 500);
    await call;
    return [await waitFor(async () => (await countCancelled()) > before), "the call goes on at the server"];
  });
  await has("elicitation", () => expecting(client.call("matrix__form", {}), "42"));
  await has("3 MB", async () => {
    const got = await toOutcome(client.call("matrix__big", {}));
    return [got.length >= BIG_CHARS && got.includes("xxxx"), `${got.length} characters: ${got.slice(0, 100)}`];
  });
  report("restart please", true);
  await once(createInterface({ input: process.stdin }), "line");
  await has("restart", () => expecting(client.call("matrix__echo", { text: "after" }), "after"));
}

const client = await CLIENTS[name]().catch((error) => {
  report("connect", false, error?.stack ?? error);
  process.exit(1);
});
if (mode === "lists") {
  const startedAt = performance.now();
  const count = await client.list().then(
    (names) => names.length,
    (error) => `refused: ${error?.message ?? error}`,
  );
  report("lists", typeof count === "number", `${count} in ${Math.round(performance.now() - startedAt)} ms`);
} else await runMatrix(client);
await Promise.race([client.close().catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 2000))]);
process.exit(0);
