import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { toolsetInputSchema } from "../../lib/contract/toolset";
import { formatJson } from "../../lib/json/format-json";
import { findElements, findMember, findValueEnd } from "../../lib/json/json-text";
import { plainJson } from "../../lib/json/number-digits";
import { serveRest } from "../cli/commands.test-support";
import {
  type GatewayContainer,
  newDatabaseUrl,
  rawClient,
  startGatewayContainer,
} from "../mcp/gateway/gateway-container.test-support";

const PROTOCOLS = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;
const NUMBERS = ["1.0", "1.10", "-0", "9007199254740993", "1E2", "0.10000000000000000555", "2.50e-7", "3", "0.5"];
const MEMBERS = ["inputSchema", "outputSchema", "annotations", "_meta", "x-weight"];

/** The list of the MCP server, as its JSON text. */
let tools = "[]";
let upstream: Server;
let running: GatewayContainer;
let databaseUrl: string;

const services = () => running.container.services;

function answerUpstream(body: string): string | null {
  const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params: Record<string, unknown> };
  if (id === undefined) return null;
  const head = `{"jsonrpc":"2.0","id":${id},`;
  if (method === "tools/list") return `${head}"result":{"tools":${tools}}}`;
  if (method !== "initialize") return `${head}"error":{"code":-32601,"message":"Method not found"}}`;
  const { protocolVersion } = params;
  const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "numbers", version: "1" } };
  return `${head}"result":${JSON.stringify(result)}}`;
}

beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    const answer = request.method === "POST" ? answerUpstream(body) : "";
    if (answer === "") response.writeHead(405).end();
    else if (answer === null) response.writeHead(202).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
});
afterAll(() => void upstream.close());

beforeEach(async () => {
  tools = "[]";
  databaseUrl = await newDatabaseUrl();
  running = await startGatewayContainer(databaseUrl);
});
afterEach(() => running.stop());

async function connect(more: object = {}): Promise<void> {
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`;
  await services().servers.create(LOCAL_PRINCIPAL, { name: "numbers", transport: "http", url, ...more });
  await relist();
}

const relist = () => services().servers.reconnect(LOCAL_PRINCIPAL, "numbers");

async function restart(): Promise<void> {
  await running.stop();
  running = await startGatewayContainer(databaseUrl);
}

function getMember(text: string, ...keys: string[]): string {
  return keys.reduce((inside, key) => {
    const span = findMember(inside, 0, key);
    return span === null ? "absent" : inside.slice(span.start, span.end);
  }, text);
}

/** The text of each listed tool by its name. */
async function listTexts(address: string, protocol: (typeof PROTOCOLS)[number]): Promise<Map<string, string>> {
  const client = await rawClient(running.url + address, protocol);
  await client.ask("tools/list");
  const body = client.body();
  const data = /^data: (\{.*"tools".*)$/m.exec(body)?.[1] ?? body;
  return toTexts(getMember(data, "result", "tools"));
}

function toTexts(list: string): Map<string, string> {
  if (!list.startsWith("[")) return new Map();
  const texts = findElements(list).map((start) => list.slice(start, findValueEnd(list, start)));
  return new Map(texts.map((text) => [JSON.parse(getMember(text, "name")) as string, text]));
}

const number = fc.constantFrom(...NUMBERS);
const lists = fc.array(number, { minLength: 1, maxLength: 3 }).map((items) => `[${items.join(",")}]`);
const keywords = fc
  .record(
    {
      default: number,
      const: number,
      maximum: number,
      enum: lists,
      examples: lists,
      "x-step": number,
      description: fc.constant('"1.0"'),
    },
    { requiredKeys: [] },
  )
  .map((record) => Object.entries(record).map(([key, text]) => `"${key}":${text}`));

const schemas = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    keywords.map((members) => `{${['"type":"number"', ...members].join(",")}}`),
    fc.tuple(keywords, tie("node")).map(([members, items]) => `{${[`"items":${items}`, ...members].join(",")}}`),
    fc
      .tuple(
        keywords,
        fc.uniqueArray(fc.constantFrom("a", "b/c", "~d", "__proto__", "constructor"), { minLength: 1 }),
        tie("node"),
      )
      .map(([members, names, inner]) => {
        const properties = names.map((name) => `${JSON.stringify(name)}:${inner}`);
        return `{"type":"object","properties":{${properties.join(",")}}${members.map((each) => `,${each}`).join("")}}`;
      }),
    fc.array(tie("node"), { minLength: 1, maxLength: 3 }).map((parts) => `{"anyOf":[${parts.join(",")}]}`),
  ),
})).node;

const rootSchemas = fc
  .tuple(schemas, keywords)
  .map(([inner, members]) => `{${['"type":"object"', ...members, `"properties":{"p":${inner}}`].join(",")}}`);

const toolLists = fc
  .array(fc.tuple(rootSchemas, rootSchemas, number, number), { minLength: 1, maxLength: 8 })
  .map((given) =>
    given.map(
      ([input, output, one, other], index) =>
        `{"name":"t${index}","title":null,"description":"about 1.0","inputSchema":${input},"outputSchema":${output},` +
        `"annotations":{"readOnlyHint":true,"x-cost":${one}},"_meta":{"v":${other},"in":[{"w":${one}}]},"x-weight":${other}}`,
    ),
  );

function expectSent(listed: ReadonlyMap<string, string>, sent: readonly string[], prefix = ""): void {
  for (const [index, text] of sent.entries()) {
    for (const member of MEMBERS) {
      expect(getMember(listed.get(`${prefix}t${index}`) ?? "", member)).toBe(getMember(text, member));
    }
  }
}

describe("numbers in a tool's definition", () => {
  it("reach MCP clients as their server wrote them, over every protocol, and after a restart", {
    timeout: 120_000,
  }, async () => {
    await connect();
    let last: readonly string[] = [];
    await fc.assert(
      fc.asyncProperty(toolLists, async (sent) => {
        tools = `[${sent.join(",")}]`;
        await relist();
        for (const protocol of PROTOCOLS) {
          expectSent(await listTexts("/numbers?names=plain", protocol), sent);
          expectSent(await listTexts("", protocol), sent, "numbers__");
        }
        last = sent;
      }),
      { numRuns: 20 },
    );
    tools = "not reachable";
    await restart();
    expectSent(await listTexts("/numbers?names=plain", "2025-11-25"), last);
  });

  it("keep them in the wrapper that older clients get around an output that is no object", async () => {
    const output = '{"anyOf":[{"const":1.0},{"$ref":"#/$defs/n"}],"$defs":{"n":{"enum":[1.10,9007199254740993]}}}';
    tools = `[{"name":"t","inputSchema":{"type":"object"},"outputSchema":${output}}]`;
    await connect();
    const text = (await listTexts("/numbers?names=plain", "2025-11-25")).get("t") ?? "";
    expect(getMember(text, "outputSchema", "properties", "result")).toBe(output.replace("#/", "#/properties/result/"));
  });

  it("keep them in a toolset that renames the tool and hides arguments", async () => {
    const kept = '{"type":"number","default":1.0,"maximum":1e3}';
    tools = `[{"name":"t","inputSchema":{"type":"object","properties":{"a":${kept},"b":{"const":1.0}},"required":["a"],"x":2.0}}]`;
    await connect();
    const overrides = [{ tool: "numbers__t", name: "shown", arguments: [{ name: "b", mode: "hidden" }] }];
    const toolset = toolsetInputSchema.parse({ name: "few", tools: ["numbers__t"], overrides });
    await services().toolsets.create(LOCAL_PRINCIPAL, toolset);
    const text = (await listTexts("/sets/few", "2025-11-25")).get("shown") ?? "";
    expect(getMember(text, "inputSchema", "properties")).toBe(`{"a":${kept}}`);
    expect(getMember(text, "inputSchema", "x")).toBe("2.0");
  });

  it.each(["off", "auto", "review"] as const)(
    "that change in their digits alone are served and stored at once, and no change of the tool where the policy is %s",
    async (changedTools) => {
      const build = (numbers: readonly string[], names: string) =>
        `[{"name":"t","inputSchema":{"type":"object","properties":{"a":{"default":${numbers[0]},"const":${numbers[1]},` +
        `"maximum":${numbers[2]}},"b":{"enum":[${names}]}}}}]`;
      tools = build(["1", "9007199254740992", "1000"], '"x",1,"y"');
      await connect({ changedTools });
      const hash = services().tools.get("numbers__t").definitionHash;
      const numbers = ["1.0", "9007199254740993", "1e3"];
      tools = build(numbers, '"y","x",1.0');
      await relist();
      await restart();
      const properties = getMember(
        (await listTexts("/numbers?names=plain", "2025-11-25")).get("t") ?? "",
        "inputSchema",
        "properties",
      );
      expect(getMember(properties, "a")).toBe(
        `{"default":${numbers[0]},"const":${numbers[1]},"maximum":${numbers[2]}}`,
      );
      // In the order that was known.
      expect(getMember(properties, "b")).toBe('{"enum":["x",1.0,"y"]}');
      expect(services().servers.heldChanges("numbers").items).toEqual([]);
      expect(services().servers.changes("numbers", 0).items).toEqual([]);
      expect(services().tools.get("numbers__t").definitionHash).toBe(hash);
      expect((await services().tools.versions("numbers__t", null)).items).toHaveLength(1);
    },
  );

  it("that have another value are a change of the tool, with its digits on both sides", async () => {
    const build = (text: string) =>
      `[{"name":"t","inputSchema":{"type":"object","properties":{"a":{"const":${text}}}}}]`;
    tools = build("1.0");
    await connect({ changedTools: "review" });
    tools = build("2.0");
    await relist();
    const [held] = services().servers.heldChanges("numbers").items;
    const shown = services().servers.heldEntries("numbers", "t", held?.hash ?? "");
    expect([shown.before, shown.after].map((text) => /"const": (.*)/.exec(text ?? "")?.[1])).toEqual(["1.0", "2.0"]);
    const text = (await listTexts("/numbers?names=plain", "2025-11-25")).get("t") ?? "";
    expect(getMember(text, "inputSchema", "properties", "a", "const")).toBe("1.0");
  });

  it("are those of the console's own tools too: over REST, in the console, in an export and its import", async () => {
    const parameters =
      '{"type":"object","properties":{"a":{"default":1.0,"const":9007199254740993,"maximum":1e3,"enum":[1.10]}}}';
    const more = '"annotations":{"x-cost":1.0},"timeout_ms":1e3';
    const definition = `{"name":"own","description":"Made here","type":"function","handler":"own","parameters":${parameters},${more},"implementation":{"type":"mock","mock_response":null}}`;
    const rest = await serveRest(running.container);
    try {
      const headers = { "content-type": "application/json" };
      const body = `{"definition":${definition}}`;
      const created = await fetch(`${rest.url}/api/v1/tools`, { method: "POST", headers, body });
      expect([created.status, getMember(await created.text(), "definition")]).toEqual([201, definition]);
      const read = await fetch(`${rest.url}/api/v1/tools/own`);
      expect(getMember(await read.text(), "definition")).toBe(definition);
    } finally {
      await rest.close();
    }
    await restart();
    const { tools: catalog, sharing } = services();
    const wire = JSON.parse(JSON.stringify(plainJson.serialize(catalog.get("own"))));
    const inBrowser = plainJson.deserialize(wire) as { definition: object };
    expect(formatJson(inBrowser.definition)).toBe(formatJson(catalog.get("own").definition));
    expect(formatJson(inBrowser.definition).replaceAll(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/g, "")).toBe(definition);
    const text = (await listTexts("", "2025-11-25")).get("own") ?? "";
    expect(getMember(text, "inputSchema")).toBe(parameters);
    const formats = await catalog.providerFormats("own");
    const sent = (format: string) => formats.find((each) => each.format === format)?.bodyText ?? "";
    for (const format of ["anthropic", "openai", "mcp"]) expect(sent(format)).toContain('"const": 9007199254740993');

    const choice = { format: "catalogue", tools: ["own"], servers: [], toolsets: [] } as const;
    const file = (await sharing.export(LOCAL_PRINCIPAL, choice)).text;
    expect(file).toContain('"const": 9007199254740993');
    await catalog.delete(LOCAL_PRINCIPAL, "own");
    const preview = await sharing.preview(LOCAL_PRINCIPAL, file);
    expect(preview.entries).toHaveLength(1);
  });
});
