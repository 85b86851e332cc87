import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../../lib/contract/access";
import { toolsetInputSchema } from "../../../../lib/contract/toolset";
import { type Container, createContainer } from "../../container";
import { readEnv } from "../../env";
import { type Asked, createRestClient } from "./rest.test-support";
import { ROUTES } from "./routes";

const ECHO = {
  name: "echo",
  description: "Returns its arguments",
  type: "function",
  handler: "echo",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  implementation: { type: "builtin", handler: "echo" },
};
/** Returns what it gets, marked as secret on both sides. */
const LOGIN = {
  ...ECHO,
  name: "login",
  sensitive: { arguments: ["/text"], results: ["/echo/text"] },
};
const limited = { id: "t", scopes: ["run" as const], tools: ["echo"], servers: null };
const CALLERS: Record<string, Principal> = {
  admin: LOCAL_PRINCIPAL,
  viewer: { ...LOCAL_PRINCIPAL, role: "viewer" },
  limited: { ...LOCAL_PRINCIPAL, token: limited },
};

let container: Container;
beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-rest-"));
  const config = path.join(folder, "toolroom.json");
  await writeFile(config, JSON.stringify({ tools: { registry: [ECHO, LOGIN] } }));
  const environment = { DATABASE_URL: `file:${folder}/rest.db`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config };
  container = await createContainer(readEnv(environment));
});
afterAll(() => container.close());

async function ask(method: Asked["method"], address: string, body?: unknown, caller: string | null = "admin") {
  const actor = caller === null ? null : (CALLERS[caller] ?? null);
  return await createRestClient(container)({ method, address, body, actor });
}

const read = async (response: Response): Promise<Record<string, unknown>> => JSON.parse(await response.text());

describe("the REST API", () => {
  it("lists, gets, checks and runs tools, and finds the execution again", async () => {
    const { items } = await read(await ask("GET", "/tools"));
    expect((items as { name: string }[]).map(({ name }) => name)).toContain("echo");
    expect(await read(await ask("GET", "/tools/echo"))).toMatchObject({ name: "echo" });
    const checked = await read(await ask("POST", "/tools/echo/validate", { arguments: {} }));
    expect(JSON.stringify(checked)).toContain("required");
    const ran = await read(await ask("POST", "/tools/echo/execute", { arguments: { text: "hé" }, waitMs: 10_000 }));
    expect(ran).toMatchObject({ status: "succeeded", source: "api" });
    const id = ran.id as string;
    expect(await read(await ask("GET", `/executions/${id}`))).toMatchObject({ id, argumentsText: '{"text":"hé"}' });
    const replayed = await read(await ask("POST", `/executions/${id}/replay`, { waitMs: 10_000 }));
    expect(replayed).toMatchObject({ status: "succeeded", parentId: id });
    const page = await read(await ask("GET", "/executions?tool=echo&status=succeeded&limit=1"));
    expect(page).toMatchObject({ items: [{ parentId: id }] });
    const next = await read(await ask("GET", `/executions?tool=echo&limit=1&cursor=${page.nextCursor}`));
    expect(next).toMatchObject({ items: [{ id }] });
    expect(await read(await ask("GET", "/servers"))).toMatchObject({ items: [] });
    await container.services.toolsets.create(
      LOCAL_PRINCIPAL,
      toolsetInputSchema.parse({ name: "set", tools: ["echo"] }),
    );
    expect(await read(await ask("GET", "/toolsets"))).toMatchObject({ items: [{ name: "set", toolCount: 1 }] });
    expect(await read(await ask("GET", "/toolsets/set"))).toMatchObject({ name: "set", tools: ["echo"] });
  });

  it("RTE-03 stores arguments as the body has them and gives the tool their value, of a member that is sent twice the last", async () => {
    const sent = '{ "text": "a\\u0062", "n": 1.0, "n": 12345678901234567890 }';
    const ran = await read(
      await ask("POST", "/tools/echo/execute", `{"arguments":{},"arguments": ${sent} ,"waitMs":10000}`),
    );
    expect(ran).toMatchObject({ status: "succeeded", argumentsText: sent, result: { echo: { text: "ab" } } });
    const none = await read(await ask("POST", "/tools/echo/validate"));
    expect(none).toMatchObject({ valid: false, faults: [{ path: "text" }] });
  });

  it("gives the program that called what the tool returned, and everyone who reads later what is stored", async () => {
    const text = "s3cret-9007199254740993";
    const ran = await read(await ask("POST", "/tools/login/execute", { arguments: { text }, waitMs: 10_000 }));
    expect(ran).toMatchObject({ status: "succeeded", result: { echo: { text } }, resultTruncated: false });
    expect(ran).not.toHaveProperty("resultText");
    const later = await (await ask("GET", `/executions/${ran.id as string}`)).text();
    expect(JSON.parse(later)).toMatchObject({ result: { echo: { text: expect.stringMatching(/^\[masked:/) } } });
    expect(later).not.toContain(text);
    const failed = await read(
      await ask("POST", "/tools/login/execute", { arguments: { text: 12345 }, waitMs: 10_000 }),
    );
    expect(failed).toMatchObject({ status: "failed", result: null });
    const plain = await read(await ask("POST", "/tools/echo/execute", { arguments: { text }, waitMs: 10_000 }));
    const replayed = await read(await ask("POST", `/executions/${plain.id as string}/replay`, { waitMs: 10_000 }));
    expect(replayed).toMatchObject({ result: { echo: { text } } });
  });

  it("exports what GET gives of each call, masked as it is stored, to a limited token its own, and stops for one who may not read", async () => {
    const text = "s3cret-1234567890123";
    const call = { arguments: { text, n: "=1" }, waitMs: 10_000 };
    const masked = await read(await ask("POST", "/tools/login/execute", call));
    const own = await read(await ask("POST", "/tools/echo/execute", call, "limited"));
    const lines = (await (await ask("GET", "/executions/export?since=0")).text()).trim().split("\n");
    const line = lines.find((each) => each.includes(String(masked.id))) ?? "";
    expect(line).toBe(await (await ask("GET", `/executions/${masked.id as string}`)).text());
    expect(line).not.toContain(text);
    const limitedLines = await (await ask("GET", "/executions/export", undefined, "limited")).text();
    expect(
      limitedLines
        .trim()
        .split("\n")
        .map((each) => JSON.parse(each).id),
    ).toEqual([own.id]);
    const csv = await ask("GET", "/executions/export?format=csv&tool=echo");
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const start = async (answer: Response) => [...new Uint8Array(await answer.arrayBuffer()).slice(0, 5)];
    expect(await csv.clone().text()).toMatch(/^id,tool,status,[^\n]*\r\nexec_/);
    expect(await start(csv)).toEqual([0xef, 0xbb, 0xbf, ...Buffer.from("id")]);
    const plain = await ask("GET", "/executions/export?format=csv&tool=echo&bom=false");
    expect(await start(plain)).toEqual([...Buffer.from("id,to")]);
    const unmarked = await ask("GET", "/executions/export?format=jsonl&tool=echo");
    expect(await start(unmarked)).toEqual([...Buffer.from('{"seq')]);
    expect((await ask("GET", "/executions/export", undefined, null)).status).toBe(401);
  });

  it("has a document in which every reference leads to something", async () => {
    const text = await (await ask("GET", "/openapi.json", undefined, null)).text();
    const { components } = JSON.parse(text) as { components: { schemas: object; headers: object } };
    const known = Object.entries(components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
    );
    const references = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => reference);
    expect(references).toContain("#/components/schemas/Error");
    expect(references.filter((each) => !known.includes(each ?? ""))).toEqual([]);
  });

  it("starts a run and streams its events to the end, whole or after an event", async () => {
    const settings = { provider: "demo", model: "demo" };
    const { id } = await read(await ask("POST", "/runs", { text: "Hello", settings }));
    const whole = await (await ask("GET", `/runs/${id}/events`)).text();
    const indexes = [...whole.matchAll(/^id: (\d+)$/gm)].map(([, index]) => Number(index));
    expect(indexes).toEqual(indexes.map((_, index) => index));
    expect(indexes.length).toBeGreaterThan(1);
    expect(whole).toMatch(/event: end\ndata: \{"status":"succeeded"\}\n\n$/);
    expect(await read(await ask("GET", `/runs/${id}`))).toMatchObject({ id, status: "succeeded" });
  });

  it("refuses bad input by field, unknown names, other methods and broken bodies, each with its status", async () => {
    const refused = async (...given: Parameters<typeof ask>): Promise<[number, string]> => {
      const response = await ask(...given);
      const { error } = await read(response);
      return [response.status, (error as { message: string }).message];
    };
    expect(await refused("POST", "/tools/echo/execute", { arguments: { text: "x" }, waitMs: -1 })).toEqual([
      400,
      expect.stringContaining("waitMs"),
    ]);
    expect(await refused("GET", "/executions?limit=1000")).toEqual([400, expect.stringContaining("limit")]);
    expect(await refused("POST", "/tools/echo/execute", "{broken")).toEqual([400, expect.stringContaining("not JSON")]);
    const keys = Array.from({ length: 100_001 }, (_, index) => `"key ${index}":0`).join();
    expect(await refused("POST", "/tools/echo/execute", `{"arguments":{${keys}}}`)).toEqual([
      400,
      "The body is refused: An object in the text has more than 100,000 keys: split it",
    ]);
    const lists = Array.from({ length: 1_000_000 }, () => "[]").join();
    expect(await refused("POST", "/tools/echo/execute", `{"arguments":{"a":[${lists}]}}`)).toEqual([
      400,
      "The body is refused: The text has more than 1,000,000 lists and objects: send it in parts",
    ]);
    expect(
      (await refused("POST", "/tools/echo/execute", `{"arguments":${"[".repeat(5000)}${"]".repeat(5000)}}`))[0],
    ).toBe(400);
    expect(await refused("GET", "/tools/nope")).toEqual([404, expect.stringContaining("nope")]);
    expect(await refused("GET", "/nothing")).toEqual([404, expect.stringContaining("openapi.json")]);
    expect(await refused("PUT", "/tools")).toEqual([405, expect.stringContaining("GET, POST")]);
    expect((await refused("GET", "/runs/run_nope12345/events"))[0]).toBe(404);
  });

  it("answers nobody, lets a viewer read only, and a limited token run its tools only", async () => {
    for (const { method, path: route } of ROUTES) {
      const address = route.replace(/\{\w+\}/g, "echo");
      const response = await ask(
        method,
        address,
        method === "POST" || method === "PUT" || method === "PATCH" ? {} : undefined,
        null,
      );
      expect([route, response.status]).toEqual([route, 401]);
      expect(response.headers.get("www-authenticate")).toContain("Bearer");
    }
    expect((await ask("GET", "/nothing", undefined, null)).status).toBe(401);
    expect((await ask("GET", "/tools", undefined, "viewer")).status).toBe(200);
    const call = { arguments: { text: "x" }, waitMs: 10_000 };
    expect((await ask("POST", "/tools/echo/execute", call, "viewer")).status).toBe(403);
    expect((await ask("POST", "/tools/echo/execute", call, "limited")).status).toBe(200);
    const named = { ...call, executionId: "exec_ofMyOwn123" };
    expect((await read(await ask("POST", "/tools/echo/execute", named, "limited"))).id).toBe(named.executionId);
    expect((await ask("POST", "/tools/echo/execute", named, "limited")).status).toBe(409);
    expect((await ask("POST", "/tools/other/execute", call, "limited")).status).toBe(403);
    const { items: shown } = await read(await ask("GET", "/tools", undefined, "limited"));
    expect((shown as { name: string }[]).map(({ name }) => name)).toEqual(["echo"]);
    expect((await ask("GET", "/runs", undefined, "limited")).status).toBe(403);
    const { items } = await container.services.auditLog.list(LOCAL_PRINCIPAL, { outcome: "denied" }, undefined, 50);
    expect(items.map(({ action, target }) => [action, target?.name])).toEqual([
      ["GET /runs", undefined],
      ["executions.run", "other"],
      ["POST /tools/{name}/execute", undefined],
    ]);
    expect((await ask("GET", "/health", undefined, null)).status).toBe(200);
  });

  it("describes every route in an OpenAPI 3.1 document", async () => {
    const document = await read(await ask("GET", "/openapi.json", undefined, null));
    const paths = document.paths as Record<string, Record<string, { operationId: string; parameters?: object[] }>>;
    expect(document).toMatchObject({ openapi: "3.1.0", info: { version: "9.9.9" } });
    for (const { method, path: route, body } of ROUTES) {
      const operation = paths[route]?.[method.toLowerCase()];
      expect(operation, route).toHaveProperty("summary");
      expect("requestBody" in (operation ?? {}), route).toBe(body !== undefined);
    }
    const ids = Object.values(paths).flatMap((each) => Object.values(each).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
    const text = JSON.stringify(document);
    expect(text).toContain('"name":"limit","in":"query"');
    expect(text).toContain('"timeoutMs"');
  });
});
