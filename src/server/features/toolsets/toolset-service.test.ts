import { afterEach, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type ToolDefinition, type Toolset, toolsetInputSchema } from "../../../lib/contract";
import { aliasesByName } from "../../../lib/portable-name";
import { createToolEngine, systemClock } from "../../create-tool-engine";
import { createToolsetService } from "./toolset-service";

const closing: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

const tool = (copies: object, more: object = {}): ToolDefinition => ({
  ...{ name: "print", description: "Prints", type: "function", handler: "print" },
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

function start(...definitions: ToolDefinition[]) {
  const engine = createToolEngine({ rootDir: process.cwd() });
  closing.push(engine.close);
  const stored = (input: object): Toolset => ({ ...(input as Toolset), createdAt: 0, updatedAt: systemClock.now() });
  const service = createToolsetService({
    store: {
      list: async () => [],
      create: async (input) => stored(input),
      update: async (_name, input) => stored(input),
      delete: async () => true,
    },
    ...{
      definitions: () => definitions,
      aliasNames: aliasesByName,
      validator: engine.validator,
      limits: engine.limits,
    },
    checkLens: engine.lenses.check,
    createFinder: () => ({ search: () => [] }),
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

it("refuses an expression that is no JMESPath", async () => {
  const overrides = [{ tool: "print", lens: "items[" }];
  const input = toolsetInputSchema.parse({ name: "office", overrides });
  await expect(start().create(LOCAL_PRINCIPAL, input)).rejects.toMatchObject({
    problems: [{ path: "overrides.print.lens" }],
  });
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
