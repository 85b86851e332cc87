import { afterEach, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { problemsOfIssues } from "../../../lib/contract/problem";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { type Toolset, type ToolsetInput, toolsetInputSchema } from "../../../lib/contract/toolset";
import { aliasesByName } from "../../../lib/portable-name";
import { createToolEngine, systemClock } from "../../create-tool-engine";
import { createToolsetService } from "./toolset-service";

const closing: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

const tool = (copies: object, more: object = {}): ToolDefinition => ({
  name: "print",
  description: "Prints",
  type: "function",
  handler: "print",
  parameters: {
    type: "object",
    properties: {
      copies,
      address: { type: "object", properties: { zip: { type: "string" } } },
      to: { type: "string" },
    },
    required: ["to"],
    ...more,
  },
  implementation: { type: "mock", mock_response: "" },
});

const start = (...definitions: ToolDefinition[]) => startOn([], [], definitions);

/** @param written gets what the store is given */
function startOn(rows: Toolset[], written: ToolsetInput[], definitions: ToolDefinition[] = []) {
  const engine = createToolEngine({ home: process.cwd() });
  closing.push(engine.close);
  const stored = (input: object): Toolset => ({ ...(input as Toolset), createdAt: 0, updatedAt: systemClock.now() });
  const service = createToolsetService({
    store: {
      list: async () => rows,
      create: async (input) => stored(input),
      update: async (_name, input) => {
        written.push(input);
        return stored(input);
      },
      delete: async () => undefined,
    },
    definitions: () => definitions,
    aliasNames: aliasesByName,
    validator: engine.validator,
    limits: engine.limits,
    checkLens: engine.lenses.check,
    createFinder: () => ({ search: () => [] }),
    listServed: () => [],
    wireFormat: (_provider, offered) => ({ tool: offered }) as never,
    onChange: () => undefined,
  });
  return service;
}

const setting = (...rules: object[]) =>
  toolsetInputSchema.parse({ name: "office", tools: ["print"], overrides: [{ tool: "print", arguments: rules }] });

it("refuses fixed and default values that the tool's schema refuses, and names tool and field", async () => {
  const service = start(tool({ type: "integer", maximum: 5 }));
  const input = setting(
    { name: "copies", mode: "default", value: 9 },
    { name: "address", mode: "fixed", value: { zip: 1000 } },
  );
  await expect(service.create(LOCAL_PRINCIPAL, input)).rejects.toMatchObject({
    code: "INVALID",
    problems: [
      { path: "overrides.print.arguments.copies", message: expect.stringContaining("must be <= 5") },
      { path: "overrides.print.arguments.address.zip", message: expect.stringContaining("must be string") },
    ],
  });
});

it("accepts values that are valid by themselves, whatever the schema demands of arguments together", async () => {
  const anyOf = [{ required: ["to"] }, { properties: { copies: { const: 1 } }, required: ["copies", "address"] }];
  const service = start(tool({ type: "integer" }, { anyOf, minProperties: 3 }));
  const saved = await service.create(LOCAL_PRINCIPAL, setting({ name: "copies", mode: "fixed", value: 2 }));
  expect(saved.overrides[0]?.arguments).toEqual([{ name: "copies", mode: "fixed", value: 2 }]);
});

it("refuses an expression that is no JMESPath, which the preview names too", async () => {
  const overrides = [{ tool: "print", lens: "items[" }];
  const input = toolsetInputSchema.parse({ name: "office", overrides });
  await expect(start().create(LOCAL_PRINCIPAL, input)).rejects.toMatchObject({
    problems: [{ path: "overrides.print.lens" }],
  });
  const message = "Syntax error: the expression ends too early";
  expect((await start().preview(input)).problems[0]).toMatchObject({ path: "overrides.print.lens", message });
});

it("names the tool, the field and the argument of every refused override", () => {
  const overrides = [
    { tool: "print", name: "copy" },
    {
      tool: "send.mail",
      name: "not a name",
      timeoutMs: 0,
      arguments: [{ name: "to", mode: "fixed", value: undefined }],
    },
    { name: "nameless" },
  ];
  const refused = toolsetInputSchema.safeParse({ name: "office", overrides });
  const paths = problemsOfIssues(refused.error?.issues ?? []).map(({ path }) => path);
  expect(paths).toEqual([
    ...["name", "arguments.to.value", "timeoutMs"].map((field) => `overrides.send.mail.${field}`),
    "overrides[2].tool",
  ]);
  const pathsIn = (...entries: object[]) => {
    const read = start().read({ name: "office", overrides: entries });
    return "problems" in read ? read.problems.map(({ path }) => path) : [];
  };
  expect(pathsIn({ tool: "print", quota: 5 })).toEqual(["overrides.print"]);
  const twice = { name: "to", mode: "hidden" };
  expect(pathsIn({ tool: "print", name: "a", arguments: [twice, twice] }, { tool: "print", name: "a" })).toEqual([
    "overrides.print",
    "overrides.print.name",
    "overrides.print.arguments.to",
  ]);
});

it("follows renamed tools and servers, with what the toolset changes of them", async () => {
  const saved = toolsetInputSchema.parse({
    name: "office",
    tools: ["print", "files__read", "files__odd_1"],
    servers: ["files"],
    contents: ["files", "mail"],
    patterns: ["files__*", "*__read", "fi*__read", "print"],
    pinned: ["files__read"],
    overrides: [{ tool: "disk__read" }, { tool: "files__read", name: "read" }],
  });
  const untouched = toolsetInputSchema.parse({ name: "other", tools: ["filesystem__read"] });
  const written: ToolsetInput[] = [];
  const rows = [saved, untouched].map((input) => ({ ...input, createdAt: 1, updatedAt: 2 }));
  const service = startOn(rows, written);
  await service.load();
  const tool = new Map([["files__odd_1", "disk__odd_2"]]);
  await service.rename({ tool, server: new Map([["files", "disk"]]) });
  await service.rename({ tool: new Map([["print", "printer"]]), server: new Map() });
  expect(written.map(({ name }) => name)).toEqual(["office", "office"]);
  expect(written[1]).toEqual({
    ...saved,
    tools: ["printer", "disk__read", "disk__odd_2"],
    servers: ["disk"],
    contents: ["disk", "mail"],
    patterns: ["disk__*", "*__read", "fi*__read", "printer"],
    pinned: ["disk__read"],
    overrides: [{ tool: "disk__read", name: "read", arguments: [] }],
  });
  expect(service.get("office")).toMatchObject({ servers: ["disk"] });
});

it("shows a saved value that a later version of the tool refuses", async () => {
  const definitions = [tool({ type: "integer" })];
  const service = start(...definitions);
  const input = setting({ name: "copies", mode: "fixed", value: 2 });
  expect((await service.preview(input)).problems).toEqual([]);
  const changed = start(tool({ type: "string" }));
  expect((await changed.preview(input)).problems).toMatchObject([
    { severity: "error", tool: "print", path: "overrides.print.arguments.copies" },
  ]);
});
