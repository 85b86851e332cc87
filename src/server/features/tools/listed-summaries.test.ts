import { afterEach, beforeEach, expect, it } from "vitest";
import type { ApprovalPolicy } from "../../../lib/contract/approval";
import { type ToolSummary, toolSummarySchema } from "../../../lib/contract/catalog-tool";
import type { HeldChange } from "../../../lib/contract/held-change";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { engineWith, mock, tool } from "../../engine/executor/executor.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { listFacets } from "./filter-tools";
import type { ToolService } from "./tool-service";
import { createTestToolService } from "./tool-service.test-support";

const ADA = { id: "ada", name: "Ada" };
const BOB = { id: "bob", name: "Bob" };
const ROUNDS = 120;
/** A busy machine takes its time. */
const TIME_LIMIT_MS = 60_000;
const policies = new Map<string, ApprovalPolicy>();
let scratch: ScratchDatabase;
let tools: ToolService;

beforeEach(async () => {
  policies.clear();
  scratch = await createScratchDatabase();
  const engine = engineWith();
  tools = createTestToolService(engine, scratch.db, {
    accounts: true,
    findUser: async (id) => [ADA, BOB].find((user) => user.id === id) ?? null,
    serverPolicy: (server) => policies.get(server) ?? null,
  });
  const outcome = engine.registry.loadConfig({ tools: { registry: [mock("configured", 1)] } });
  await tools.load({ outcome, path: "c.json", problems: [] });
});
afterEach(() => scratch.remove());

const listed = (...names: string[]): ToolDefinition[] =>
  names.map((name) => tool(`a__${name}`, { type: "mcp", server: "a", tool: name }));

const OWN = ["one", "two"];
const NAMES = [...OWN, "configured", "a__read", "a__write"];
const HELD = { status: "open", kind: "breaking" } as unknown as HeldChange;

type Edit = (name: string, draw: (most: number) => number) => unknown;
/** Everything that changes what a list says of a tool. */
const EDITS: Record<string, Edit> = {
  enabled: (name, draw) => tools.setEnabled(ADA, name, draw(2) === 0),
  approval: (name, draw) => tools.setApproval(ADA, name, (["always", "never", null] as const)[draw(3)] ?? null),
  owner: (name, draw) => tools.setOwner(ADA, name, ["ada", "bob", null][draw(3)] ?? null),
  deprecation: (name, draw) =>
    tools.setDeprecation(ADA, name, [null, { successor: null, note: "Old" }][draw(2)] ?? null),
  successor: (name) => tools.setDeprecation(ADA, name, { successor: name === "two" ? "one" : "two", note: null }),
  policy: (_, draw) => policies.set("a", (["always", "never", "destructive"] as const)[draw(3)] ?? "never"),
  text: (name, draw) =>
    tools.update(ADA, name, JSON.stringify({ ...mock(name, 1), description: `Text ${draw(9)} ${"x".repeat(400)}` })),
  list: (_, draw) =>
    tools.setServerTools("a", [listed("read"), listed("read", "write"), listed("write", "read")][draw(3)] ?? [], {
      held: new Map(draw(2) === 0 ? [] : [["a__read", HELD]]),
    }),
  removal: (name) => tools.delete(ADA, name),
  addition: (name) => tools.create(ADA, JSON.stringify(mock(name, 1))),
  reload: () => tools.reload(),
};

/** The summary as the tool's own page has it, which nothing is remembered for. */
function readSummary(name: string): Partial<ToolSummary> {
  const detail = tools.get(name);
  const keys = Object.keys(toolSummarySchema.shape) as (keyof ToolSummary)[];
  const summary = Object.fromEntries(keys.flatMap((key) => (key in detail ? [[key, detail[key]]] : [])));
  return { ...summary, description: detail.description.slice(0, 300) };
}

it(
  "lists say of every tool what its own page says, after any edits in any order",
  async () => {
    let seed = 7;
    const draw = (most: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * most);
    };
    const done = new Map<string, number>();
    for (const name of OWN) await tools.create(ADA, JSON.stringify(mock(name, 1)));
    await tools.setServerTools("a", listed("read", "write"));
    for (let round = 0; round < ROUNDS; round += 1) {
      const kind = Object.keys(EDITS)[draw(Object.keys(EDITS).length)] ?? "";
      const name = NAMES[draw(NAMES.length)] ?? "";
      try {
        await EDITS[kind]?.(name, draw);
        done.set(kind, (done.get(kind) ?? 0) + 1);
      } catch {
        // Some tools cannot be edited, or are not there now.
      }
      const after = tools.summaries();
      expect(after, `${kind} of ${name}`).toEqual(after.map((summary) => readSummary(summary.name)));
    }
    expect([...done.keys()].sort()).toEqual(Object.keys(EDITS).sort());
  },
  TIME_LIMIT_MS,
);

it("the list and what follows from it are the same objects until a tool changes", async () => {
  await tools.setServerTools("a", listed("read", "write"));
  const before = tools.summaries();
  expect(tools.summaries()).toBe(before);
  expect(listFacets(tools.summaries())).toBe(listFacets(before));
  // An unchanged list of the server.
  await tools.setServerTools("a", listed("read", "write"));
  expect(tools.summaries()).toBe(before);
  policies.set("a", "always");
  const after = tools.summaries();
  expect(after).not.toBe(before);
  expect(after.filter(({ approval }) => approval.required).map(({ name }) => name)).toEqual(["a__read", "a__write"]);
});

it("an unchanged tool is not described again", async () => {
  await tools.setServerTools("a", listed("read", "write"));
  const find = (name: string) => tools.summaries().find((summary) => summary.name === name);
  const read = find("a__read");
  const write = find("a__write");
  await tools.setOwner(ADA, "a__read", "ada");
  expect(find("a__write")).toBe(write);
  expect(find("a__read")).not.toBe(read);
});
