import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LiveEvent, RunEvent, RunSettings } from "../../../../lib/contract";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { anEnd, aStart, systemClock } from "../../../features/executions/execution.test-support";
import type { RunStore } from "../../../features/runs/run-store";
import { createTestCoordination } from "../../coordination.test-support";
import { openDatabase } from "../../database";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../database.test-support";
import { createRunStore } from "../../stores/run-store";
import { createApprovalStore } from "../approvals/approval-store";
import { createExecutionStore } from "../executions/execution-store";

let scratch: ScratchDatabase;
let closers: (() => Promise<void>)[];
beforeEach(async () => {
  scratch = await createScratchDatabase();
  closers = [];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  await scratch.remove();
});

/** A copy of the server with a connection of its own, as far as it stores calls and runs and hears of them. */
async function openCopy() {
  const db = await openDatabase({ url: scratch.url, logger: quietLogger() });
  closers.push(() => db.close());
  const coordination = createTestCoordination(db);
  const heard: LiveEvent[] = [];
  coordination.activity.subscribe((event) => heard.push(event));
  await coordination.join();
  await coordination.start();
  closers.push(() => coordination.stop().then(() => coordination.close()));
  const instanceId = coordination.instances.id;
  const executions = createExecutionStore({ db, logger: quietLogger(), instanceId, clock: systemClock });
  closers.push(() => executions.close());
  const statusesOf = (id: string) =>
    heard.flatMap((event) => (event.type === "execution" && event.execution.id === id ? [event.execution.status] : []));
  const runStatuses = () => heard.flatMap((event) => (event.type === "run" ? [event.run.status] : []));
  return {
    ...{ db, instanceId, executions, heard, statusesOf, runStatuses },
    runs: createRunStore({ db, instanceId }),
    approvals: createApprovalStore({ db, instanceId }),
  };
}

const SETTINGS: RunSettings = { provider: "local", model: "small", instructions: "", tools: { mode: "all" } };

async function createRun(store: RunStore, id: string): Promise<void> {
  const actor = { id: "ada", name: "Ada" };
  const parent = { parentId: null, parentStep: null, parentResults: null, transcriptId: null };
  const run = { id, status: "running", title: id, source: "agent", actor, startedAt: 1 } as const;
  await store.create({ ...run, ...parent, settings: SETTINGS }, [eventAt(0)]);
}

const eventAt = (index: number): RunEvent => ({
  index,
  at: 1,
  type: "notice",
  step: 1,
  notice: "retry",
  text: "a note",
});
const sums = (status: "running" | "waiting" | "succeeded") => ({
  ...{ status, provider: "local", model: "small", settings: SETTINGS, finishedAt: null, activeMs: 1 },
  ...{ modelCalls: 1, toolCalls: 0, failedToolCalls: 0, cost: null, error: null },
  usage: { inputTokens: 1, outputTokens: 1 },
});

describe("calls and runs of other copies", () => {
  it("EXE-06 the start and the end of a call are heard by the other copy, and not by its own", async () => {
    const [one, two] = [await openCopy(), await openCopy()];
    const start = aStart({ parentId: "exec_parent" });
    await one.executions.begin(start);
    const { id, toolName, source, parentId } = start;
    const execution = { id, toolName, source, parentId, status: "running" };
    await waitUntil(() => expect(two.heard).toEqual([{ type: "execution", execution }]));
    await one.executions.finish(start, anEnd(start, { status: "failed" }));
    await waitUntil(() => expect(two.statusesOf(id)).toEqual(["running", "failed"]));
    const answer = aStart();
    await two.executions.record(answer, anEnd(answer));
    await waitUntil(() => expect(one.statusesOf(answer.id)).toEqual(["succeeded"]));
    expect(one.heard).toHaveLength(1);
  });

  it("EXE-06 the end of a call is heard by a copy that joined while it ran", async () => {
    const one = await openCopy();
    const [ended, running] = [aStart(), aStart()];
    await one.executions.record(ended, anEnd(ended));
    await one.executions.begin(running);
    const two = await openCopy();
    await one.executions.finish(running, anEnd(running));
    await waitUntil(() => expect(two.statusesOf(running.id)).toEqual(["succeeded"]));
    expect(two.heard).toHaveLength(1);
  });

  it("AGT-05 a waiting call that another copy runs and ends is heard by the copy in which it waited", async () => {
    const [one, two] = [await openCopy(), await openCopy()];
    const start = aStart({ waiting: true });
    await one.executions.begin(start);
    await waitUntil(() => expect(two.statusesOf(start.id)).toEqual(["waiting"]));
    expect(await two.executions.proceed(start, { startedAt: Date.now() })).toBe(true);
    await waitUntil(() => expect(one.statusesOf(start.id)).toEqual(["running"]));
    await two.executions.finish(start, anEnd(start));
    await waitUntil(() => expect(one.statusesOf(start.id)).toEqual(["running", "succeeded"]));
  });

  it("EXE-06 every call is heard where a copy has recorded thousands of its own between them", async () => {
    const [one, two] = [await openCopy(), await openCopy()];
    const own = Array.from({ length: 2500 }, () => aStart());
    const first = aStart();
    await one.executions.record(first, anEnd(first));
    await Promise.all(own.map((start) => two.executions.record(start, anEnd(start))));
    const last = aStart();
    await one.executions.record(last, anEnd(last));
    await waitUntil(() => expect(two.statusesOf(last.id)).toEqual(["succeeded"]));
    expect(two.heard).toHaveLength(2);
  });

  it("AGT-11 a run is heard each time its log grows or its status changes, the short turn of an old run too", async () => {
    const [one, two] = [await openCopy(), await openCopy()];
    await createRun(one.runs, "run_1");
    const run = { id: "run_1", status: "running", source: "agent", transcriptId: null };
    await waitUntil(() => expect(two.heard).toEqual([{ type: "run", run }]));
    await one.runs.append("run_1", [eventAt(1)], sums("running"), true);
    await waitUntil(() => expect(two.runStatuses()).toEqual(["running", "running"]));
    await one.runs.append("run_1", [], sums("waiting"), true);
    await waitUntil(() => expect(two.runStatuses().at(-1)).toBe("waiting"));
    await one.runs.append("run_1", [eventAt(2)], sums("succeeded"), true);
    await waitUntil(() => expect(two.runStatuses().at(-1)).toBe("succeeded"));
    const before = two.heard.length;
    await one.runs.append("run_1", [eventAt(3)], sums("succeeded"), true);
    await waitUntil(() => expect(two.heard).toHaveLength(before + 1));
    expect(one.heard).toEqual([]);
  });

  it("after row ids of the log were given free, pages read everything again", async () => {
    const [one, two] = [await openCopy(), await openCopy()];
    for (const id of ["run_1", "run_2"]) await createRun(one.runs, id);
    await waitUntil(() => expect(two.runStatuses()).toHaveLength(2));
    await one.db.write(() => void one.db.raw.exec(`DELETE FROM "RunEvent" WHERE "runId" = 'run_2'`));
    await waitUntil(() => expect(two.heard).toContainEqual({ type: "reset" }));
    await one.runs.append("run_1", [eventAt(1)], sums("succeeded"), true);
    await waitUntil(() => expect(two.runStatuses().at(-1)).toBe("succeeded"));
  });
});
