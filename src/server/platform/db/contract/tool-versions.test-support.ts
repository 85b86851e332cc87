import { beforeEach, describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import type { ToolStore } from "../../../features/tools/tool-store";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const ADA = { id: "ada", name: "Ada" };
const ALL = Number.MAX_SAFE_INTEGER;

function definition(name: string, extra: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name,
    description: "First words",
    type: "function",
    handler: name,
    parameters: { type: "object" },
    implementation: { type: "mock", mock_response: null },
    ...extra,
  };
}

const needs = (...required: string[]) => ({
  parameters: { type: "object", properties: { a: { type: "string" } }, required },
});

export function describeToolVersions(createDatabase: CreateDatabase): void {
  describe("versions of tools", () => {
    const database = useDatabase(createDatabase);
    let now = 1_795_000_000_000;
    let store: ToolStore;
    beforeEach(() => {
      store = database().tools({ clock: { now: () => ++now } });
    });
    const listed = (...definitions: ToolDefinition[]) =>
      store.versions.add(definitions.map((each) => ({ definition: each, cause: "listed", actor: null })));
    const numbers = async (name: string) => (await store.versions.list(name, ALL, 500)).map(({ number }) => number);

    it("each change of a tool is one, with who made it and how much it matters, and survives a restart", async () => {
      await store.create({ name: "a", definition: definition("a"), by: ADA });
      await store.update("a", { name: "a", definition: definition("a", needs("a")), by: ADA });
      await store.update("a", { name: "a", definition: definition("a"), by: ADA, restoredFrom: 1 });
      await database().restart();
      store = database().tools();
      expect(await store.versions.list("a", ALL, 10)).toMatchObject([
        { number: 3, actor: ADA, cause: "restored", restoredFrom: 1, classification: "breaking" },
        { number: 2, actor: ADA, cause: "edited", restoredFrom: null, classification: "breaking" },
        { number: 1, actor: ADA, cause: "created", restoredFrom: null, classification: null },
      ]);
      expect(await store.versions.find("a", 2)).toMatchObject({ number: 2, definition: definition("a", needs("a")) });
      expect(await store.versions.findBefore("a", 2)).toMatchObject({ number: 1 });
      expect(await store.versions.findBefore("a", 1)).toBeNull();
      expect((await store.versions.list("a", 3, 1)).map(({ number }) => number)).toEqual([2]);
    });

    it("a change that leaves the content as it is makes none", async () => {
      await store.create({ name: "a", definition: definition("a") });
      await store.update("a", { name: "a", definition: JSON.parse(JSON.stringify(definition("a"))) });
      await listed(definition("a"));
      expect(await numbers("a")).toEqual([1]);
    });

    it("later changes leave earlier versions as they are", async () => {
      await store.create({ name: "a", definition: definition("a"), by: ADA });
      const first = await store.versions.find("a", 1);
      await store.update("a", { name: "a", definition: definition("a", { description: "Second words" }) });
      await store.update("a", { name: "b", definition: definition("b", { description: "Third words" }) });
      await store.delete("b");
      await store.create({ name: "b", definition: definition("b", { description: "Fourth words" }) });
      expect(await store.versions.find("b", 1)).toEqual(first);
      expect(await numbers("b")).toEqual([4, 3, 2, 1]);
    });

    it("REG-03 a change that is refused makes none", async () => {
      await store.create({ name: "a", definition: definition("a") });
      await store.create({ name: "b", definition: definition("b") });
      await expect(store.create({ name: "a", definition: definition("a", needs("a")) })).rejects.toThrow();
      await expect(store.update("b", { name: "a", definition: definition("a", needs("a")) })).rejects.toThrow();
      await expect(store.update("c", { name: "c", definition: definition("c") })).rejects.toThrow();
      expect([await numbers("a"), await numbers("b"), await numbers("c")]).toEqual([[1], [1], []]);
    });

    it("a rename takes the history along, behind what an earlier tool of the name left", async () => {
      await store.create({ name: "b", definition: definition("b") });
      await store.delete("b");
      await store.create({ name: "a", definition: definition("a") });
      await store.update("a", { name: "b", definition: definition("b", { title: "B" }) });
      expect((await store.versions.list("b", ALL, 10)).map(({ number, name }) => [number, name])).toEqual([
        [3, "b"],
        [2, "a"],
        [1, "b"],
      ]);
      expect(await numbers("a")).toEqual([]);
    });

    it("a list that several processes read at once makes one version of each tool", async () => {
      const other = database().tools();
      const list = Array.from({ length: 60 }, (_, index) => definition(`s__${index}`));
      const versions = list.map((each) => ({ definition: each, cause: "listed" as const, actor: null }));
      await Promise.all([store.versions.add(versions), other.versions.add(versions), store.versions.add(versions)]);
      expect(await database().count("ToolVersion")).toBe(60);
    });

    it("of a list of large tools some versions are stored, and other work runs, before the last one is", async () => {
      const list = Array.from({ length: 20 }, (_, index) =>
        definition(`s__${index}`, { description: String(index).repeat(400_000) }),
      );
      const counts = new Set<number>();
      const adding = listed(...list).then(() => "done");
      while ((await Promise.race([adding, new Promise((resolve) => setImmediate(resolve))])) !== "done") {
        counts.add(await database().count("ToolVersion"));
      }
      expect(Array.from(counts).filter((count) => count > 0 && count < 20)).not.toEqual([]);
      expect(await database().count("ToolVersion")).toBe(20);
    });

    it("a server that changes its words with every list keeps 200 versions, and those that a user approved", async () => {
      const first = definition("s__a", { description: "0" });
      await store.versions.add([{ definition: first, cause: "listed", actor: ADA }]);
      const later = Array.from({ length: 230 }, (_, index) => definition("s__a", { description: `words ${index}` }));
      await listed(...later);
      const kept = await numbers("s__a");
      expect([kept.length, kept[0], kept.at(-2), kept.at(-1)]).toEqual([201, 231, 32, 1]);
    });

    it("a call and its request for approval name the version that was the newest when they were made", async () => {
      const at = now + 10;
      await store.create({ name: "a", definition: definition("a") });
      await store.update("a", { name: "a", definition: definition("a", needs("a")) });
      now = at + 100;
      await store.update("a", { name: "a", definition: definition("a"), restoredFrom: 1 });
      const executions = database().executions({ instanceId: "one" });
      const call = (id: string, queuedAt: number, part = {}) =>
        executions.begin({ ...START, id, queuedAt, definition: definition("a", part), waiting: true });
      try {
        await call("exec_old", at);
        await call("exec_new", at + 200);
        await call("exec_edited", at, needs("a"));
        await call("exec_unknown", at, { title: "never stored" });
        const version = async (id: string) => (await executions.find(id))?.version ?? null;
        const named = { toolName: "a" };
        expect(await version("exec_old")).toEqual({ ...named, number: 1 });
        expect(await version("exec_new")).toEqual({ ...named, number: 3 });
        expect(await version("exec_edited")).toEqual({ ...named, number: 2 });
        expect(await version("exec_unknown")).toBeNull();
        const use = await executions.definitionUse(["a"]);
        expect(use).toEqual({ counts: expect.anything(), complete: true });
        const hash = executions.hashDefinition(definition("a"));
        expect(use.counts[hash]).toBe(2);
        const { items } = await executions.list({ tool: ["a"], definition: hash });
        expect(items.map(({ id }) => id)).toEqual(["exec_new", "exec_old"]);
        expect(await executions.count({ tool: ["a"], definition: hash }, { isThorough: true })).toEqual({
          count: 2,
          more: false,
        });
        const approvals = database().approvals();
        await approvals.open({ executionId: "exec_edited", requestedAt: at, expiresAt: at + 1, mode: null });
        expect(await approvals.find("exec_edited")).toMatchObject({ version: 2 });
      } finally {
        await executions.close();
      }
    });
  });
}

const START = {
  toolName: "a",
  implementationType: "mock",
  source: "api" as const,
  actor: ADA,
  client: null,
  protocol: null,
  serverName: null,
  argumentsText: "{}",
  validateMs: 1,
  timeoutMs: 1,
  validationSkipped: false,
  parentId: null,
  runId: null,
  callId: null,
};
