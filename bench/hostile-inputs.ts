/** Cases of `bench/hostile.ts`: generated inputs at every place where JSON comes in. */

import { generateInputs } from "./generate-inputs";
import { type Case, type Context, query, swallow } from "./hostile-case";

const SEED = Number(process.env.SEED ?? 20_270_112);
const ROUNDS = Number(process.env.ROUNDS ?? 2);
/** Words of which one is in the name of each input that is sent; all inputs where it is empty. */
const KINDS = (process.env.KINDS ?? "").split(",").filter((word) => word !== "");
const MAX_STALL_MS = 250;
/** Inputs that were too slow and are named in the table. */
const NAMED = 3;

type Send = (context: Context, text: string) => Promise<unknown>;

const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** @throws Error for an input that is refused */
async function post(
  { server }: Context,
  address: string,
  body: string,
  more: Record<string, string> = {},
): Promise<void> {
  const headers = { ...JSON_HEADERS, ...more };
  const response = await fetch(new URL(address, server.url), { method: "POST", headers, body });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`It was refused with ${response.status}`);
}

const PROTOCOL = "2026-07-28";
const META = JSON.stringify({
  "io.modelcontextprotocol/protocolVersion": PROTOCOL,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
});

/** A call by the stateless protocol, which needs no session. */
const callTool = (context: Context, address: string, name: string, argumentsText: string): Promise<void> =>
  post(
    context,
    address,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${argumentsText},"_meta":${META}}}`,
    { "mcp-protocol-version": PROTOCOL, "mcp-method": "tools/call", "mcp-name": name },
  );

const openCall = async ({ read }: Context, id: string): Promise<void> => {
  await read(`/executions/${id}`);
  await read(`/api/trpc/executions.get${query({ id })}`);
};

const runTool = (context: Context, tool: string, argumentsText: string): Promise<{ id: string }> =>
  context.api("executions.run", { name: tool, argumentsText, waitMs: 60_000 });

/** Sends every input, each after a measurement of its own, and names those that stopped the server for too long. */
function tryInputs(name: string, maxChars: number, send: Send, prepare?: (context: Context) => Promise<void>): Case {
  return {
    name: `inputs: ${name}`,
    ...(prepare === undefined ? {} : { prepare }),
    async run(context) {
      const slow: { name: string; ms: number }[] = [];
      let accepted = 0;
      const all = generateInputs(SEED, ROUNDS, maxChars);
      for (const input of all.filter(({ name }) => KINDS.length === 0 || KINDS.some((word) => name.includes(word)))) {
        await context.server.probe(60_000);
        const isAccepted = await send(context, input.text).then(
          () => true,
          () => false,
        );
        if (isAccepted) accepted += 1;
        const ms = (await context.server.probe(60_000))?.longestMs ?? Number.POSITIVE_INFINITY;
        if (ms > MAX_STALL_MS) slow.push({ name: input.name, ms });
      }
      slow.sort((one, other) => other.ms - one.ms);
      const named = slow.slice(0, NAMED).map((each) => `${each.name}: ${Math.round(each.ms)} ms`);
      if (accepted === 0) throw new Error("every input was refused: the case measures nothing");
      if (slow.length > 0) throw new Error(`${slow.length} inputs were too slow: ${named.join("; ")}`);
    },
  };
}

const header = (name: string): string =>
  JSON.stringify({
    toolroom: "cassette",
    version: 1,
    name,
    notes: "",
    settings: { ignore: [], repeats: "last", questions: "recorded", passthrough: false, faults: "" },
  });
const RECORDED_TOOL = '{"tool":{"name":"t","inputSchema":{"type":"object"}}}';

/** Imported, listed, exported, called and deleted again. */
async function useCassette(context: Context, line: string): Promise<void> {
  const name = "generated";
  await context.api("cassettes.import", { text: [header(name), RECORDED_TOOL, line].join("\n") });
  await context.read(`/api/v1/cassettes/${name}/calls`);
  await context.read(`/api/v1/cassettes/${name}/export`);
  await callTool(context, `/mcp/cassettes/${name}`, "t", '{"value":1}');
  await context.api("cassettes.delete", { name });
}

const addApi = async (context: Context, url: string): Promise<void> => {
  const paths = { "/value": { get: { operationId: "value", responses: { 200: { description: "ok" } } } } };
  const text = JSON.stringify({ openapi: "3.1.0", info: { title: "Values", version: "1" }, paths });
  await context.api("servers.create", {
    settings: { name: "values", transport: "openapi", url: `${url}/api`, document: { from: "text", text } },
  });
  while ((await context.api("tools.get", { name: "values__value" }, "GET").catch(swallow)) === undefined)
    await new Promise((resolve) => setTimeout(resolve, 50));
};

/** @param url of `hostile-http-server.mjs` */
export const createGenerated = (url: string): Case[] => {
  const setValue = (text: string): Promise<unknown> => fetch(`${url}/value`, { method: "PUT", body: text });
  const kept: string[] = [];
  return [
    tryInputs("arguments in the console", 3_500_000, async (context, text) => {
      const { id } = await runTool(context, "echo", `{"value":${text}}`);
      await openCall(context, id);
    }),
    tryInputs("arguments over REST", 7_000_000, (context, text) =>
      post(context, "/api/v1/tools/echo/execute", `{"arguments":{"value":${text}}}`),
    ),
    tryInputs("arguments at the gateway", 3_900_000, (context, text) =>
      callTool(context, "/mcp", "echo", `{"value":${text}}`),
    ),
    tryInputs("a search at the gateway", 900_000, (context, text) =>
      callTool(context, "/mcp", "search_tools", `{"query":${JSON.stringify(text)}}`),
    ),
    tryInputs("arguments of a cassette", 15_000_000, (context, text) =>
      useCassette(context, `{"call":"t","arguments":{"value":${text}},"result":{"content":[]}}`),
    ),
    tryInputs("results of a cassette", 15_000_000, (context, text) =>
      useCassette(
        context,
        `{"call":"t","arguments":{"value":1},"result":{"content":[],"structuredContent":{"value":${text}}}}`,
      ),
    ),
    tryInputs("catalog files", 9_900_000, (context, text) =>
      post(
        context,
        "/api/v1/catalog/preview",
        JSON.stringify({ text: `{"toolroom":1,"tools":[{"definition":${text}}]}` }),
      ),
    ),
    tryInputs("pasted servers", 990_000, (context, text) => context.api("servers.parseImport", { text })),
    tryInputs("definitions", 2_000_000, (context, text) =>
      context.api("tools.checkDefinition", {
        definition: `{"name":"x","description":"x","type":"function","handler":"echo","parameters":${text}}`,
      }),
    ),
    tryInputs(
      "results of a server",
      40_000_000,
      async (context, text) => {
        await setValue(text);
        const { id } = await runTool(context, "structured__value", "{}");
        await openCall(context, id);
        kept.push(id);
        if (kept.length > 1) await context.read(`/compare?left=${kept.at(-2)}&right=${id}`);
      },
      (context) => context.connect("structured", "value", `${url}/value`),
    ),
    tryInputs(
      "answers of an API",
      20_000_000,
      async (context, text) => {
        await setValue(text);
        const { id } = await runTool(context, "values__value", "{}");
        await openCall(context, id);
      },
      (context) => addApi(context, url),
    ),
    tryInputs("addresses of queries", 15_000, async (context, text) => {
      await context.read(`/api/trpc/tools.get${query({ name: text })}`);
      const names = Array.from({ length: 400 }, () => "servers.list").join();
      await context.read(`/api/trpc/${names}?batch=1`);
    }),
  ];
};
