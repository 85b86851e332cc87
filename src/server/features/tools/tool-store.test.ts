import { afterEach, beforeEach, expect, it } from "vitest";
import type { ToolDefinition } from "../../../lib/contract";
import { createScratchDatabase, type ScratchDatabase } from "../../db/test-database";
import { createToolStore, type ToolStore } from "./tool-store";

let scratch: ScratchDatabase;
let store: ToolStore;
let now = 1_795_000_000_000;

beforeEach(async () => {
  scratch = await createScratchDatabase();
  store = createToolStore({ db: scratch.db, clock: { now: () => ++now } });
});
afterEach(() => scratch.remove());

function definition(name: string, extra: Record<string, unknown> = {}): ToolDefinition {
  return {
    name,
    description: "A tool of the catalogue",
    type: "function",
    handler: name,
    parameters: { type: "object" },
    implementation: { type: "mock", mock_response: null },
    ...extra,
  };
}
const create = (name: string) => store.create({ name, definition: definition(name) });
const duplicate = { name: "DuplicateNameError" };

it("REG-01 tools come back in order of their making, with every key of the definition", async () => {
  const whole = definition("b", {
    "x-vendor": { a: [1, null] },
    parameters: JSON.parse('{"type":"object","__proto__":1}'),
  });
  await store.create({ name: "b", definition: whole });
  await create("a");
  const tools = await store.list();
  expect(tools.map(({ name }) => name)).toEqual(["b", "a"]);
  expect(JSON.stringify(tools[0]?.definition)).toBe(JSON.stringify(whole));
  expect(tools[0]).toMatchObject({ id: expect.stringMatching(/^tool_.{16}$/), enabled: true });
  expect(tools[0]?.createdAt).toBe(tools[0]?.updatedAt);
});

it("REG-03 a name that is taken is refused, on making, renaming and restoring", async () => {
  const first = await create("a");
  await create("b");
  await expect(create("a")).rejects.toMatchObject({ ...duplicate, message: "There is already a tool called 'a'" });
  await expect(store.update("b", { name: "a", definition: definition("a") })).rejects.toMatchObject(duplicate);
  await store.delete("a");
  await create("a");
  await expect(store.restore(first.id)).rejects.toMatchObject(duplicate);
  expect((await store.list()).map(({ name }) => name)).toEqual(["b", "a"]);
});

it("an update changes name, definition and time, and keeps the id", async () => {
  const before = await create("a");
  const after = await store.update("a", { name: "c", definition: definition("c", { title: "New" }) });
  expect(after).toMatchObject({ id: before.id, name: "c", createdAt: before.createdAt });
  expect(after.definition.title).toBe("New");
  expect(after.updatedAt).toBeGreaterThan(before.updatedAt);
  await expect(store.update("a", { name: "a", definition: definition("a") })).rejects.toThrow("There is no tool 'a'");
});

it("a deleted tool is out of the list, gives its name free, and comes back whole", async () => {
  const tool = await create("a");
  await store.setEnabled("a", false);
  expect(await store.delete("a")).toEqual({ id: tool.id });
  expect(await store.list()).toEqual([]);
  await expect(store.delete("a")).rejects.toThrow("There is no tool 'a'");
  expect(await store.restore(tool.id)).toMatchObject({ id: tool.id, name: "a", enabled: false });
  expect((await store.list()).length).toBe(1);
  expect(await store.restore(tool.id)).toBeNull();
  expect(await store.restore("tool_unknown")).toBeNull();
});

it("a tool of the configuration that was switched off stays off after a restart", async () => {
  await store.setDisabled("echo", true);
  await store.setDisabled("echo", true);
  await store.setDisabled("constructor", true);
  await store.setDisabled("constructor", false);
  store = createToolStore({ db: await scratch.reopen() });
  expect(await store.disabledNames()).toEqual(["echo"]);
});

it("a definition broken by hand does not keep the others from loading", async () => {
  await create("a");
  await create("b");
  scratch.db.raw.prepare("UPDATE Tool SET definition = '{broken' WHERE name = 'a'").run();
  expect((await store.list()).map((tool) => tool.definition)).toEqual(["{broken", definition("b")]);
});
