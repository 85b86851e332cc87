import { afterEach, describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toolsetInputSchema } from "../../../lib/contract/toolset";
import { aliasesByName } from "../../../lib/portable-name";
import { testMasking } from "../../engine/masking/masking.test-support";
import { type PreparedToolset, prepareToolset } from "../../engine/toolsets/prepare-toolset";
import type { ScriptedStep } from "../../models/scripted-client.test-support";
import { createToolFinder } from "../../platform/workers/tool-finder";
import { SETTINGS, scratchDatabases, startLife } from "./run-service.test-support";

const databases = scratchDatabases();
afterEach(() => databases.remove());

const SEND: ToolDefinition = {
  name: "send_mail",
  description: "Sends a mail",
  type: "function",
  handler: "echo",
  parameters: {
    type: "object",
    properties: { to: { type: "string" }, from: { type: "string" }, pin: { type: "string", format: "password" } },
    required: ["to", "from"],
  },
  implementation: { type: "builtin", handler: "echo" },
};
const INPUT = {
  name: "mail",
  tools: ["send_mail"],
  overrides: [{ tool: "send_mail", name: "write", arguments: [{ name: "from", mode: "fixed", value: "desk" }] }],
};

async function start(script: ScriptedStep[], more: object = {}) {
  const parsed = toolsetInputSchema.parse({ ...INPUT, ...more });
  let definitions: readonly ToolDefinition[] = [];
  const toolset = (name: string): PreparedToolset | null =>
    name !== "mail"
      ? null
      : prepareToolset(
          { ...parsed, createdAt: 0, updatedAt: 0 },
          { definitions, aliasNames: aliasesByName, createFinder: createToolFinder },
        );
  const life = await startLife(script, {
    scratch: await databases.open(),
    definitions: [SEND],
    ports: { toolset, masking: testMasking },
  });
  definitions = life.engine.registry.list();
  const run = (name = "mail") =>
    life.runToEnd("Write to Ada", { ...SETTINGS, tools: { mode: "toolset", toolset: name } });
  return { ...life, run };
}

describe("a run with a toolset", () => {
  it("offers the tools as the toolset shows them, and runs and records the real ones", async () => {
    const { run, model, executionStore } = await start([
      { calls: [{ name: "write", arguments: { to: "ada", from: "me" } }] },
      { text: "Done" },
    ]);
    const { id } = await run();
    expect(model.requests[0]?.options.tools?.map(({ name }) => name)).toEqual(["write"]);
    expect(model.requests[0]?.options.tools?.[0]?.parameters.required).toEqual(["to"]);
    const [call] = await executionStore.findByRun(id);
    expect(await executionStore.find(call?.id ?? "")).toMatchObject({
      toolName: "send_mail",
      toolset: "mail",
      status: "succeeded",
      argumentsText: '{"from":"desk","to":"ada"}',
    });
  });

  it("runs no tool that is not in the toolset, under its name in the catalog neither", async () => {
    const { run, model, ran } = await start([
      { calls: [{ name: "echo" }, { name: "send_mail" }, { name: "nothing" }] },
      { text: "Done" },
    ]);
    await run();
    const results = model.requests[1]?.messages.at(-1)?.contents;
    expect(results).toEqual(Array(3).fill(expect.objectContaining({ exception: expect.anything() })));
    expect(ran).toEqual([]);
  });

  it("finds and calls tools through discovery, and keeps marked arguments out of its log", async () => {
    const args = { to: "ada", pin: "4711-secret" };
    const { run, runs, executionStore } = await start(
      [
        { calls: [{ name: "search_tools", arguments: { query: "mail" } }] },
        { calls: [{ name: "call_tool", arguments: { name: "write", arguments: args } }] },
        { text: "Done" },
      ],
      { discovery: true },
    );
    const { id } = await run();
    const stored = await Promise.all((await executionStore.findByRun(id)).map((call) => executionStore.find(call.id)));
    expect(stored.map((each) => [each?.toolName, each?.toolset, each?.status])).toEqual([
      ["search_tools", "mail", "succeeded"],
      ["send_mail", "mail", "succeeded"],
    ]);
    expect(stored[0]?.resultText).toContain("write");
    const log = JSON.stringify(await runs.get(id));
    expect(log).toContain("call_tool");
    expect(log).not.toContain("4711-secret");
  });

  it("ends with the reason where the toolset is gone", async () => {
    const { run } = await start([{ text: "Done" }]);
    const { outcome } = await run("gone");
    expect(outcome).toMatchObject({ status: "failed", error: "Toolset 'gone' not found: choose other tools" });
  });
});
