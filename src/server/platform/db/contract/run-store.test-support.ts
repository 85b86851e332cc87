import { beforeEach, describe, expect, it } from "vitest";
import type { RunEvent, RunFilter, RunSettings } from "../../../../lib/contract/run";
import { aStart } from "../../../calls/executions/execution.test-support";
import type { NewRun, RunStore, RunSums } from "../../../features/runs/run-store";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const SETTINGS: RunSettings = { provider: "local", model: "small", instructions: "Be brief", tools: { mode: "all" } };

const newRun = (id: string, changes: Partial<NewRun> = {}): NewRun => ({
  id,
  status: "running",
  title: `Title of ${id}`,
  source: "agent",
  actor: { id: "ada", name: "Ada" },
  startedAt: 1000,
  parentId: null,
  parentStep: null,
  parentResults: null,
  transcriptId: null,
  settings: SETTINGS,
  ...changes,
});

const eventAt = (index: number, text = `text ${index}`): RunEvent => ({
  index,
  at: 1000 + index,
  type: "model_failed",
  step: 1,
  errorKind: "overloaded",
  error: text,
  durationMs: 1.5,
});

const userMessage = (index: number): RunEvent => ({
  index,
  at: 1000,
  type: "user_message",
  message: { role: "user", contents: [{ type: "text", text: "Zürich 😀" }] },
});

const sums = (changes: Partial<RunSums> = {}): RunSums => ({
  status: "succeeded",
  provider: "local",
  model: "small",
  settings: SETTINGS,
  finishedAt: 2000,
  activeMs: 12.5,
  modelCalls: 2,
  toolCalls: 3,
  failedToolCalls: 1,
  usage: { inputTokens: 10, outputTokens: 20, cachedInputTokens: 5, reasoningTokens: 7 },
  cost: 0.25,
  error: null,
  ...changes,
});

/** Of a turn that has not ended. */
const going = (changes: Partial<RunSums> = {}): RunSums => sums({ status: "running", finishedAt: null, ...changes });
const GOING = going();

export function describeRunStore(createDatabase: CreateDatabase): void {
  describe("stored runs", () => {
    const database = useDatabase(createDatabase);
    let store: RunStore;
    beforeEach(() => {
      store = database().runs();
    });
    const listIds = async (filter: RunFilter, cursor?: number) =>
      (await store.list(filter, { cursor, limit: 2 })).map(({ id }) => id);

    it("have active time that runs on from the newest event or approval, only while they run", async () => {
      const run = { id: "run_1", startedAt: 1_000 };
      await store.create(newRun("run_1"), [userMessage(0)]);
      expect(await store.activeSince({ ...run, status: "running" })).toBe(1_000);
      await store.append("run_1", [eventAt(1)], GOING, true);
      expect((await store.list({}, { limit: 1 }))[0]).toMatchObject({ activeMs: 12.5, activeSince: 1_001 });
      expect(await store.activeSince({ ...run, status: "waiting" })).toBeNull();
      const end = { type: "turn_ended", status: "failed", error: null } as const;
      await store.append("run_1", [{ ...end, index: 2, at: 1_002 }], sums(), true);
      expect(await store.activeSince({ ...run, status: "running" })).toBeNull();
    });

    it("that repeat another say how many calls of it their log took over", async () => {
      const copied: RunEvent = {
        index: 1,
        at: 900,
        type: "model_started",
        step: 1,
        iteration: 1,
        toolChoice: "auto",
        toolCount: 0,
        provider: "local",
        model: "small",
      };
      const rerun = { id: "run_2", startedAt: 1_000, parentId: "run_1" };
      await store.create(newRun("run_2", { parentId: "run_1" }), [
        userMessage(0),
        copied,
        { ...copied, index: 2, at: 1_000 },
      ]);
      expect(await store.takenOver(rerun)).toEqual({ modelCalls: 1, toolCalls: 0 });
      expect(await store.takenOver({ ...rerun, parentId: null })).toBeNull();
    });

    it("come back with settings and sums after a restart", async () => {
      await store.create(newRun("run_1"), [userMessage(0)]);
      await store.append("run_1", [eventAt(1)], sums(), true);
      await database().restart();
      store = database().runs();
      const { parentResults, settings, ...created } = newRun("run_1");
      expect(await store.find("run_1")).toMatchObject({
        ...created,
        ...sums(),
        parentResults,
        settings,
      });
      expect(await store.find("run_2")).toBeNull();
    });

    it("are listed newest first by status, source, model, transcript and title; checks only when asked for", async () => {
      await store.create(newRun("run_1", { transcriptId: "t_1", source: "background" }), []);
      await store.create(newRun("run_2", { status: "waiting" }), []);
      await store.create(newRun("run_3", { source: "check" }), []);
      await store.create(newRun("run_4"), []);
      expect(await listIds({})).toEqual(["run_4", "run_2"]);
      const [, second] = await store.list({}, { limit: 2 });
      expect(await listIds({}, second?.seq)).toEqual(["run_1"]);
      expect(await listIds({ status: ["waiting"] })).toEqual(["run_2"]);
      expect(await listIds({ source: ["check"] })).toEqual(["run_3"]);
      expect(await listIds({ transcriptId: "t_1" })).toEqual(["run_1"]);
      expect(await listIds({ q: " of run_4 " })).toEqual(["run_4"]);
      expect(await listIds({ model: "large" })).toEqual([]);
    });

    it("know their children and how many of their calls wait or run", async () => {
      await store.create(newRun("run_1"), []);
      await store.create(newRun("run_2", { parentId: "run_1", parentStep: 3, parentResults: "live" }), []);
      expect(await store.children("run_1")).toEqual([{ id: "run_2", title: "Title of run_2", parentStep: 3 }]);
      const executions = database().executions({ instanceId: "inst_a" });
      await executions.begin(aStart({ runId: "run_1", waiting: true }));
      await executions.begin(aStart({ runId: "run_1" }));
      await executions.close();
      expect([await store.waiting("run_1"), await store.unended("run_1")]).toEqual([1, 2]);
      expect((await store.list({}, { limit: 5 })).map(({ id, waiting }) => [id, waiting])).toEqual([
        ["run_2", 0],
        ["run_1", 1],
      ]);
    });

    it("AGT-11 are taken once, from the state and the owner that are expected", async () => {
      const first = database().runs("one");
      const second = database().runs("two");
      await first.create(newRun("run_1"), []);
      expect(await first.take("run_1", ["waiting"], "running", "one")).toBe(false);
      expect(await second.take("run_1", ["running"], "running", "lost")).toBe(false);
      expect(await first.take("run_1", ["running"], "waiting", "one")).toBe(true);
      expect(await first.unfinished()).toEqual([{ id: "run_1", status: "waiting", owner: null }]);
      const taken = await Promise.all([first, second].map((each) => each.take("run_1", ["waiting"], "running", null)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      const owner = taken[0] ? "one" : "two";
      expect(await first.unfinished()).toEqual([{ id: "run_1", status: "running", owner }]);
      // Only the owner can leave it.
      await (taken[0] ? second : first).release("run_1");
      expect((await first.find("run_1"))?.owner).toBe(owner);
      await (taken[0] ? first : second).release("run_1");
      expect(await first.find("run_1")).toMatchObject({ status: "running", owner: null });
    });

    it("have an owner until their turn ends", async () => {
      store = database().runs("one");
      await store.create(newRun("run_1"), []);
      await store.append("run_1", [userMessage(0)], GOING, true);
      expect((await store.find("run_1"))?.owner).toBe("one");
      await store.append("run_1", [eventAt(1)], sums(), true);
      expect((await store.find("run_1"))?.owner).toBeNull();
    });
  });
}

export function describeRunLog(createDatabase: CreateDatabase): void {
  describe("the log of a run", () => {
    const database = useDatabase(createDatabase);
    let store: RunStore;
    beforeEach(async () => {
      store = database().runs();
      await store.create(newRun("run_1"), [userMessage(0)]);
    });

    it("AGT-08 keeps its order, whatever is urgent, and is read from both ends", async () => {
      const appended = Array.from({ length: 40 }, (_, at) =>
        store.append("run_1", [eventAt(2 * at + 1), eventAt(2 * at + 2)], GOING, at % 3 === 0),
      );
      await Promise.all(appended);
      const events = await store.events("run_1");
      expect(events).toEqual([userMessage(0), ...Array.from({ length: 80 }, (_, index) => eventAt(index + 1))]);
      const readBackwards = async (before: number | null, most: number): Promise<RunEvent[]> => {
        const visited: RunEvent[] = [];
        await store.readBackwards("run_1", before, (event) => visited.push(event) < most);
        return visited;
      };
      expect(await readBackwards(null, 1_000)).toEqual(events.toReversed());
      expect(await readBackwards(null, 30)).toEqual(events.toReversed().slice(0, 30));
      expect(await readBackwards(2, 1_000)).toEqual([eventAt(1), userMessage(0)]);
      expect([await store.event("run_1", 5), await store.event("run_1", 99)]).toEqual([eventAt(5), null]);
      expect([await store.eventCount("run_1"), await store.hasMessage("run_1")]).toEqual([81, true]);
      expect(await store.hasMessage("run_2")).toBe(false);
    });

    it("AGT-08 a refused append leaves no gap, and other runs can still append", async () => {
      await store.create(newRun("run_2"), []);
      await store.append("run_1", [eventAt(1)], GOING, true);
      const results = await Promise.allSettled([
        store.append("run_1", [eventAt(1, "twice")], GOING, true),
        store.append("run_1", [eventAt(2)], GOING, true),
        store.append("run_2", [eventAt(0)], GOING, true),
      ]);
      expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
      await expect(store.append("run_1", [eventAt(4)], GOING, true)).rejects.toThrow("could not be recorded");
      expect((await store.events("run_1")).slice(1)).toEqual([eventAt(1), eventAt(2)]);
      expect(await store.events("run_2")).toEqual([eventAt(0)]);
    });

    it("the newest sums are kept, and settings only where they change", async () => {
      const changed = { ...SETTINGS, instructions: "Be long" };
      await Promise.all([
        store.append("run_1", [eventAt(1)], going({ modelCalls: 1 }), false),
        store.append("run_1", [eventAt(2)], going({ modelCalls: 2, settings: changed }), true),
      ]);
      await store.append("run_1", [eventAt(3)], going({ modelCalls: 3, settings: changed }), true);
      expect(await store.find("run_1")).toMatchObject({ modelCalls: 3, settings: changed });
    });
  });
}
