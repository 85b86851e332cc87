import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Principal } from "../../lib/contract/access";
import type { ExecutionDetail } from "../../lib/contract/execution";
import type { ExecutionBundle } from "../../lib/contract/execution-bundle";
import type { ServerSettings } from "../../lib/contract/server";
import type { ToolDefinition } from "../../lib/contract/tool-definition";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";
import { OWN_TOOLS } from "./own-tools";

const ADMIN: Principal = { id: "ada", name: "Ada", role: "admin", token: null };
const BEN: Principal = { ...ADMIN, id: "ben", name: "Ben" };

async function start(): Promise<Container> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-bundles-"));
  return createContainer(
    readEnv({
      DATABASE_URL: `file:${path.join(folder, "test.db")}`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
      TOOLROOM_SHUTDOWN_GRACE_MS: "50",
    }),
    { ownTools: OWN_TOOLS },
  );
}

const tool = (name: string, more: Partial<ToolDefinition>): string =>
  JSON.stringify({
    name,
    description: `Does what ${name} does`,
    type: "function",
    handler: name,
    parameters: { type: "object", properties: {} },
    implementation: { type: "mock", mock_response: name },
    ...more,
  });
const TOOLS = [
  tool("pair", { parameters: { type: "object", properties: { items: { type: "array", minItems: 2 } } } }),
  tool("ticket", {
    parameters: { type: "object", properties: { id: { type: "string", pattern: "^[A-Z]{3}-\\d+$" } } },
  }),
  tool("short", { implementation: { type: "builtin", handler: "slow_report" }, timeout_ms: 40 }),
  tool("no_handler", { implementation: { type: "builtin", handler: "not_registered" } }),
  tool("broken_report", {
    parameters: { type: "object", properties: { steps: {}, step_ms: {}, fail_at: {} } },
    implementation: { type: "builtin", handler: "slow_report" },
  }),
  tool("unknown_execution", { implementation: { type: "internal", handler: "get_execution" } }),
];
const toServer = (name: string): ServerSettings =>
  ({
    name,
    transport: "stdio",
    command: process.execPath,
    args: [path.resolve(`e2e/support/mcp-servers/${name}.mjs`)],
  }) as unknown as ServerSettings;

/** A call of each kind of failure. */
const FAILURES: Record<string, [tool: string, args: unknown]> = {
  "a tool that is not there": ["no_such_tool", { a: 1 }],
  "a missing parameter": ["get_weather", {}],
  "a wrong type": ["get_weather", { location: 5 }],
  "a value that is not allowed": ["get_weather", { location: "Oslo", units: "kelvin" }],
  "a number out of range": ["get_weather", { location: "Oslo", days: 15 }],
  "a wrong member of an object": ["get_weather", { location: "Oslo", alerts: { above: 3 } }],
  "an empty text": ["get_weather", { location: "" }],
  "too few items": ["pair", { items: [1] }],
  "a text against its pattern": ["ticket", { id: "abc-1" }],
  "a text that is no expression": ["calculator", { expression: "2 +* 3" }],
  "an unknown symbol": ["calculator", { expression: "speed * 2" }],
  "a handler that throws": ["broken_report", { steps: 1, step_ms: 0, fail_at: 1 }],
  "a handler that is not registered": ["no_handler", {}],
  "an internal tool's error": ["unknown_execution", {}],
  "a time limit": ["short", {}],
  "a result that is an error": ["exotic__is_error", {}],
  "an error of the protocol with data": ["exotic__fails", {}],
  "an error of the protocol without data": ["exotic__fails_bare", {}],
  "an answer that is no result": ["polluting__no_object", {}],
  "a server that ends during the call": ["dying__exit", {}],
};

describe("the bundle of an execution", { timeout: 120_000 }, () => {
  let from: Container;
  let to: Container;
  const bundles = new Map<string, ExecutionBundle>();
  const recorded = new Map<string, ExecutionDetail>();

  beforeAll(async () => {
    [from, to] = await Promise.all([start(), start()]);
    for (const definition of TOOLS) await from.services.tools.create(ADMIN, definition);
    for (const name of ["exotic", "polluting", "dying"]) await from.services.servers.create(ADMIN, toServer(name));
    for (const [what, [name, args]] of Object.entries(FAILURES)) {
      const call = { tool: name, argumentsText: JSON.stringify(args), waitMs: 60_000 };
      const execution = await from.services.executions.run(ADMIN, call, "console");
      recorded.set(what, execution);
      bundles.set(what, await from.services.bundles.export(ADMIN, execution.id));
    }
  }, 120_000);
  afterAll(() => Promise.all([from.close(), to.close()]));

  it("is opened by another Toolroom, which gets what it needs from it and fails in the same way: 20 of 20 kinds", async () => {
    const { services } = to;
    const reproduced: string[] = [];
    for (const [what, bundle] of bundles) {
      const text = JSON.stringify(bundle);
      if (bundle.catalog !== null) {
        const preview = await services.sharing.preview(BEN, text);
        const added = preview.entries.filter(({ status }) => status === "add");
        const decisions = added.map(({ kind, position }) => ({ kind, position, action: "add" as const }));
        if (added.length > 0) await services.sharing.import(BEN, { text, digest: preview.digest, decisions });
      }
      const opened = await services.bundles.open(BEN, text);
      const copy = await services.executions.get(opened.id);
      const original = recorded.get(what);
      const facts = ["toolName", "status", "errorKind", "error", "faults", "argumentsText", "resultText"] as const;
      for (const fact of facts) expect([what, copy[fact]]).toEqual([what, original?.[fact]]);
      const again = await services.executions.replay(BEN, opened.id, { waitMs: 60_000 });
      expect([what, again.status, again.errorKind, again.error, again.faults]).toEqual([
        what,
        original?.status,
        original?.errorKind,
        original?.error,
        original?.faults,
      ]);
      expect([what, original?.status]).not.toEqual([what, "succeeded"]);
      reproduced.push(what);
    }
    expect(reproduced).toHaveLength(20);
    expect(new Set([...recorded.values()].map(({ errorKind }) => errorKind)).size).toBeGreaterThanOrEqual(6);
  });

  it("names no user of where it comes from, and is in no figure of where it is opened", async () => {
    const { services } = to;
    const bundle = bundles.get("an unknown symbol");
    expect(JSON.stringify(bundle)).not.toContain("Ada");
    const before = await services.executions.toolStats("calculator");
    const { id, tool: compared } = await services.bundles.open(BEN, JSON.stringify(bundle));
    expect(compared).toBe("same");
    expect(await services.executions.toolStats("calculator")).toEqual(before);
    const opened = await services.executions.get(id);
    expect(opened).toMatchObject({ source: "import", actor: { id: "ben" } });
    expect(opened.logs[0]?.message).toMatch(/^Imported: recorded 20\S+Z by Toolroom \S+, source console$/);
    expect(
      (await services.executions.list({ source: ["import"] }, undefined, 200)).items.map((item) => item.id),
    ).toContain(id);
  });

  it("is refused with the field that is wrong, and then nothing is recorded", async () => {
    const { services } = to;
    const bundle = bundles.get("a wrong type") as ExecutionBundle;
    const count = async () => (await services.executions.count({ source: ["import"] })).count;
    const before = await count();
    const open = (value: unknown) =>
      services.bundles.open(BEN, typeof value === "string" ? value : JSON.stringify(value));
    await expect(open("{")).rejects.toThrow(/^The bundle is not JSON/);
    await expect(open({ ...bundle, toolroomExecution: 2 })).rejects.toThrow(/toolroomExecution.*update Toolroom/);
    await expect(open({ toolroom: 1 })).rejects.toThrow(/cannot be opened: .*execution/);
    const withStatus = { ...bundle, execution: { ...bundle.execution, status: "running" } };
    await expect(open(withStatus)).rejects.toThrow(/execution\.status.*has ended/);
    const withArguments = { ...bundle, execution: { ...bundle.execution, argumentsText: "{" } };
    await expect(open(withArguments)).rejects.toThrow(/execution\.argumentsText: must be JSON/);
    await expect(open({ ...bundle, execution: { ...bundle.execution, actor: "x" } })).rejects.toThrow(/actor/);
    expect(await count()).toBe(before);
  });
});
