import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { AppError } from "../../platform/shared/app-error";
import { type Container, createContainer } from "../container";
import { readEnv } from "../env";
import { appRouter } from "./root";

const ECHO = {
  name: "echo",
  description: "Echoes",
  type: "function",
  handler: "echo",
  parameters: { type: "object" },
  implementation: { type: "mock", mock_response: null },
};
const LONG = { executionId: "exec_1", tool: "map__show", text: "x".repeat(9_000) };
let container: Container;
beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-api-"));
  container = await createContainer(
    readEnv({
      DATABASE_URL: `file:${folder}/api.db`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
    }),
  );
});
afterAll(() => container.close());

async function call(
  procedure: string,
  input: unknown,
  method: "GET" | "POST" = "POST",
  services: Partial<Container["services"]> = {},
) {
  const url = new URL(`http://localhost/api/trpc/${procedure}`);
  if (method === "GET") url.searchParams.set("input", JSON.stringify({ json: input }));
  const response = await fetchRequestHandler({
    endpoint: "/api/trpc",
    router: appRouter,
    req: new Request(
      url,
      method === "GET"
        ? {}
        : { method, headers: { "content-type": "application/json" }, body: JSON.stringify({ json: input }) },
    ),
    createContext: () => ({
      actor: LOCAL_PRINCIPAL,
      refusal: null,
      sessionId: null,
      source: "api" as const,
      services: { ...container.services, ...services },
      recheck: async () => LOCAL_PRINCIPAL,
      stopping: container.stopping,
    }),
  });
  const body = (await response.json()) as {
    result?: { data: { json: unknown } };
    error?: { json: { message: string; data: Record<string, unknown> } };
  };
  return { status: response.status, data: body.result?.data.json, error: body.error?.json, text: JSON.stringify(body) };
}

describe("the API", () => {
  it("EXE-05 a tool is run over HTTP and the call is the local owner's, from a program", async () => {
    const { status, data } = await call("executions.run", {
      name: "get_weather",
      argumentsText: '{"location":"Oslo"}',
    });
    expect(status).toBe(200);
    expect(data).toMatchObject({ status: "succeeded", source: "api", actor: LOCAL_OWNER });
  });

  it("VAL-04 arguments keep keys that JavaScript treats specially", async () => {
    const argumentsText = '{"message":{"__proto__":{"x":1},"constructor":2}}';
    const { data } = await call("executions.run", { name: "echo", argumentsText });
    expect(data).toMatchObject({ argumentsText, resultText: `{"echo":${argumentsText}}` });
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it.each([
    ["tools.get", { name: "nope" }, "GET", 404, "Tool 'nope' not found"],
    ["tools.create", { definition: "{" }, "POST", 400, "not JSON"],
    ["tools.delete", { name: "echo" }, "POST", 403, "duplicate it here"],
    ["executions.get", { id: "exec_unknown1234" }, "GET", 404, "not found"],
    ["executions.get", { id: "x".repeat(101) }, "GET", 400, "id: "],
    ["executions.run", { name: "echo" }, "POST", 400, "argumentsText"],
    ["executions.list", { filter: { status: ["odd"] } }, "GET", 400, "filter.status[0]"],
    ["runs.send", { id: "run_12345678", text: "Hi", appContext: [LONG, LONG] }, "POST", 400, "appContext: must have"],
  ] as const)(
    "ERR-03 %s refuses %j with a message that names the field, without a stack",
    async (procedure, input, method, status, named) => {
      const answer = await call(procedure, input, method);
      expect(answer.status).toBe(status);
      expect(answer.error?.message).toContain(named);
      expect(answer.text).not.toMatch(/"stack"|\.ts:\d+/);
    },
  );

  it("ERR-02 input that is nested too deeply is a bad request, not a fault of the server", async () => {
    const url = "http://localhost/api/trpc/interactions.answer";
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    const answer = await fetchRequestHandler({
      endpoint: "/api/trpc",
      router: appRouter,
      req: new Request(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: `{"json":{"id":"ask_1","answer":{"action":"accept","content":${deep}}}}`,
      }),
      createContext: () => ({
        actor: LOCAL_PRINCIPAL,
        refusal: null,
        sessionId: null,
        source: "api" as const,
        services: container.services,
        recheck: async () => LOCAL_PRINCIPAL,
        stopping: container.stopping,
      }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("must not be nested deeper than 1000 levels");
  });

  it("ERR-01 a mutation that a full disk refuses is answered with 503 and the way out, also where the refusal is wrapped", async () => {
    const full = new AppError("UNAVAILABLE", "The disk is full, so nothing was saved. Free some space.");
    for (const thrown of [full, new Error("The tool could not be stored", { cause: full })]) {
      const tools = { ...container.services.tools, create: () => Promise.reject(thrown) };
      const { status, error } = await call("tools.create", { definition: "{}" }, "POST", { tools });
      expect(status).toBe(503);
      expect(error?.message).toBe(full.message);
    }
  });

  it("REG-05 a parameter may be called constructor, prototype or __proto__", async () => {
    const definitionText =
      '{"name":"car","description":"Finds a car","type":"function","handler":"car","annotations":{"prototype":1},' +
      '"parameters":{"type":"object","properties":{"constructor":{"type":"string"},"__proto__":{"type":"string"}}},' +
      '"implementation":{"type":"mock","mock_response":{"prototype":1}}}';
    expect((await call("tools.create", { definition: definitionText })).status).toBe(200);
    expect((await call("tools.list", {}, "GET")).status).toBe(200);
    expect((await call("tools.get", { name: "car" }, "GET")).text).toContain('"__proto__"');
    const ran = await call("executions.run", { name: "car", argumentsText: '{"constructor":"Saab"}' });
    expect(ran.data).toMatchObject({ status: "succeeded", argumentsText: '{"constructor":"Saab"}' });
  });

  it("REG-04 every problem of a definition reaches the form", async () => {
    const { error } = await call("tools.create", {
      definition: '{"name":"a b","type":"function","parameters":{"type":"object"}}',
    });
    const paths = ["name", "description", "handler", "implementation"];
    expect(error?.data.problems).toMatchObject(paths.map((path) => ({ path })));
  });

  it("ERR-03 a refusal names the wrong fields as data, from the input schema and from the service alike", async () => {
    const provider = { name: "p", kind: "openai", models: [], prices: [{ model: "m", input: -1, output: 0 }] };
    const shape = await call("models.createProvider", { provider });
    expect(shape.error?.data.problems).toMatchObject([{ path: "provider.prices[0].input" }]);
    const taken = await call("tools.create", { definition: JSON.stringify(ECHO) });
    expect(taken.error?.data.problems).toMatchObject([{ path: "name", message: expect.stringContaining("taken") }]);
    const unknown = await call("tools.delete", { name: "nope" });
    expect(unknown.error?.data.problems).toEqual([]);
  });
});
