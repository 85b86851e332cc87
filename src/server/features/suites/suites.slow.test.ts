import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { LiveEvent } from "../../../lib/contract/live-event";
import { type SuiteInput, suiteInputSchema, type TestRunDetail } from "../../../lib/contract/suite";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { type Container, createContainer } from "../../main/container";
import { readEnv } from "../../main/env";

const BY = LOCAL_PRINCIPAL;
const ANY = { type: "object" };
const mock = (name: string, implementation: object, more = {}) => ({
  name,
  description: name,
  type: "function",
  handler: name,
  parameters: ANY,
  implementation: { type: "mock", mock_response: null, ...implementation },
  ...more,
});
const REGISTRY = [
  mock(
    "answer",
    { mock_response: { id: "3f2c1a9e-7b64-4d2e-9a51-0c8e5f7d2b10", city: "Oslo", token: "s3cret" } },
    { sensitive: { results: ["/token"] } },
  ),
  mock("wipe", { mock_response: "gone" }, { approval: "always" }),
  mock(
    "unlock",
    { mock_responses: [{ when: { subset: { pin: "4711-0815", user: "ada" } }, response: "open" }] },
    {
      parameters: {
        type: "object",
        properties: { user: { type: "string" }, pin: { type: "string", writeOnly: true } },
      },
    },
  ),
  mock("slow", { mock_delay_ms: 600_000 }),
  mock("broken", { mock_responses: [{ when: { subset: {} }, error: "It is broken" }] }),
];

let container: Container;
let folder: string;
const events: LiveEvent[] = [];
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-tests-"));
  const config = path.join(folder, "toolroom.json");
  await writeFile(config, JSON.stringify({ tools: { registry: REGISTRY } }));
  const url = `file:${path.join(folder, "test.db")}`;
  container = await createContainer(
    readEnv({ DATABASE_URL: url, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config }),
  );
  container.live.listen((event) => void events.push(event));
});
afterAll(async () => {
  await container?.close();
  await rm(folder, { recursive: true, force: true });
});

const suite = (name: string, tests: SuiteInput["tests"], more: Partial<SuiteInput> = {}): SuiteInput =>
  suiteInputSchema.parse({ name, tests, ...more });
const test = (tool: string, assertions: SuiteInput["tests"][number]["assertions"] = [], more = {}) => ({
  name: tool,
  tool,
  arguments: {},
  assertions,
  ...more,
});
async function awaitTests(id: string): Promise<TestRunDetail> {
  const run = await container.services.suites.awaitRun(id, 30_000);
  if (run.kind === "evals") throw new Error(`${id} is a run of evals`);
  return run;
}
async function runInput(input: SuiteInput, asksForApproval?: boolean): Promise<TestRunDetail> {
  const { suites } = container.services;
  return await awaitTests((await suites.runInput(BY, input, { asksForApproval })).id);
}
async function call(tool: string, args: object = {}) {
  return await container.services.executions.run(BY, { tool, argumentsText: JSON.stringify(args) });
}

describe("an execution", () => {
  it("suggests a test with its arguments, what varies left out, and secrets masked, which passes", async () => {
    const { suites } = container.services;
    const execution = await call("answer", { city: "Oslo" });
    const proposed = await suites.propose(BY, execution.id);
    expect(proposed).toMatchObject({
      name: "answer Oslo",
      tool: "answer",
      arguments: { city: "Oslo" },
      assertions: [
        { kind: "equals", ignore: ["/id"], value: { city: "Oslo" } },
        { kind: "time", maxMs: 1_000 },
      ],
    });
    expect(JSON.stringify(proposed)).not.toContain("s3cret");
    await suites.addTest(BY, "answers", proposed);
    const saved = await suites.addTest(BY, "answers", proposed);
    expect(saved.tests.map(({ name }) => name)).toEqual(["answer Oslo", "answer Oslo (2)"]);
    const run = await suites.run(BY, "answers");
    expect(await suites.awaitRun(run.id, 30_000)).toMatchObject({ status: "passed", passed: 2, failed: 0 });
  });

  it("that failed suggests its error", async () => {
    const { id } = await call("broken");
    expect((await container.services.suites.propose(BY, id)).assertions).toEqual([
      { kind: "error", error: "tool_error", message: "It is broken" },
    ]);
  });
});

describe("a run of tests", () => {
  it("makes executions that are in no figure and no list but their own", async () => {
    const { executions } = container.services;
    const before = await executions.toolStats("broken");
    const run = await runInput(suite("s", [test("broken", [{ kind: "error", error: "tool_error" }])]));
    expect(run.status).toBe("passed");
    const id = run.results[0]?.executionId ?? "";
    expect(await executions.get(id)).toMatchObject({ source: "test", status: "failed" });
    expect(await executions.toolStats("broken")).toEqual(before);
    const filter = { tool: ["broken"] };
    const listed = (await executions.list(filter, undefined, 50)).items.map((item) => item.id);
    expect(listed).not.toContain(id);
    const own = (await executions.list({ ...filter, source: ["test"] }, undefined, 50)).items.map((item) => item.id);
    expect(own).toContain(id);
  });

  it("tells a failed assertion from a call that failed, and keeps secrets masked", async () => {
    const wrong = test("answer", [{ kind: "equals", value: { city: "Bergen" } }]);
    const { status, results } = await runInput(suite("s", [wrong, test("broken")]));
    expect([status, ...results.map((result) => result.status)]).toEqual(["failed", "failed", "error"]);
    expect(results[1]?.problems[0]?.message).toBe("the call failed: It is broken");
    expect(JSON.stringify(results)).not.toContain("s3cret");
  });

  it("does not call a tool that needs approval, unless it may ask: then it waits for the decision", async () => {
    const { approvals, executions } = container.services;
    const refused = await runInput(suite("s", [test("wipe")]));
    expect(refused).toMatchObject({
      status: "failed",
      skipped: 1,
      results: [{ status: "skipped", executionId: null }],
    });
    expect(refused.results[0]?.reason).toContain("needs approval");
    expect((await executions.list({ tool: ["wipe"], source: ["test"] }, undefined, 5)).items).toEqual([]);

    const asking = container.services.suites.runInput(BY, suite("s", [test("wipe")]), { asksForApproval: true });
    await waitUntil(async () => expect((await approvals.list("open", undefined, 10)).items).toHaveLength(1));
    const [item] = (await approvals.list("open", undefined, 10)).items;
    await approvals.decide(BY, item?.executionId ?? "", { approved: true, reason: "" });
    const { id } = await asking;
    expect(await container.services.suites.awaitRun(id, 30_000)).toMatchObject({ status: "passed", passed: 1 });
  });

  it("is cancelled with the calls that run; the others are not made", async () => {
    const { suites, executions } = container.services;
    const calls = Array.from({ length: 4 }, (_, at) => test("slow", [], { name: `slow ${at}` }));
    const { id } = await suites.runInput(BY, suite("s", calls, { concurrency: 2 }));
    const running = () => executions.list({ source: ["test"], status: ["running"] }, undefined, 10);
    await waitUntil(async () => expect((await running()).items).toHaveLength(2));
    expect(await suites.cancelRun(BY, id)).toEqual({ cancelled: true });
    expect(await suites.awaitRun(id, 30_000)).toMatchObject({ status: "cancelled", skipped: 4, total: 4 });
    expect((await running()).items).toEqual([]);
    expect(await suites.cancelRun(BY, id)).toEqual({ cancelled: false });
  });

  it("stops a call after the test's own time", async () => {
    const limited = test("slow", [{ kind: "error", error: "timeout" }], { timeoutMs: 20 });
    expect(await runInput(suite("s", [limited]))).toMatchObject({ status: "passed" });
  });
});

describe("a schedule", () => {
  it("is told to the job queue, and names who saved the suite", async () => {
    const { suites, jobs } = container.services;
    const saved = await suites.create(BY, suite("nightly", [test("broken")], { schedule: { everyMs: 3_600_000 } }));
    expect(saved).toMatchObject({ scheduledBy: { id: BY.id }, nextRunAt: expect.any(Number) });
    const queue = (await jobs.list(BY)).find(({ kind }) => kind === "tests.schedule");
    expect(queue).toMatchObject({ nextRunAt: saved.nextRunAt, waiting: 1 });
    await suites.delete(BY, "nightly");
  });

  it.each([
    [{ cron: "61 * * * *" }, "schedule.cron has no usable minute"],
    [{ cron: "0 0 31 2 *" }, "schedule.cron never comes"],
    [{ cron: "* * * * *", timeZone: "Mars/Base" }, "schedule.timeZone must be a time zone"],
  ])("%j is refused with its field", async (schedule, message) => {
    const input = suite("never", [], { schedule: schedule as SuiteInput["schedule"] });
    await expect(container.services.suites.create(BY, input)).rejects.toMatchObject({
      code: "INVALID",
      message: expect.stringContaining(message),
    });
  });
});

it("open pages are told of a run's beginning, its results and its end", () => {
  const runs = events.flatMap((event) => (event.type === "suites" && event.run ? [event.run.status] : []));
  expect(runs).toEqual(expect.arrayContaining(["running", "passed", "failed", "cancelled"]));
});

describe("what is secret in the arguments of a suite's tests", () => {
  const PIN = "4711-0815";
  const unlock = { name: "opens", tool: "unlock", arguments: { user: "ada", pin: PIN } };
  const isOpen = [{ kind: "equals" as const, value: "open" }];
  const readRows = async () =>
    JSON.stringify(await container.services.suites.export(undefined)) +
    (await readFile(path.join(folder, "test.db"), "latin1"));

  it("is shown as a mask, stored encrypted and put back when its test runs, also over an edit that leaves the mask", async () => {
    const { suites } = container.services;
    const other = { ...unlock, name: "unknown", tool: "not_there", arguments: { apiKey: PIN, model: "gpt-4o-mini" } };
    const made = await suites.create(
      BY,
      suite("locks", [
        { ...unlock, assertions: isOpen },
        { ...other, assertions: [] },
      ]),
    );
    const [first, second] = made.tests;
    expect(first?.arguments).toEqual({ user: "ada", pin: expect.stringMatching(/^\[masked:/) });
    expect(second?.arguments).toEqual({ apiKey: expect.stringMatching(/^\[masked:/), model: "gpt-4o-mini" });
    expect(await readRows()).not.toContain(PIN);
    const runOpens = async () => {
      const run = await awaitTests((await suites.run(BY, "locks")).id);
      return run.results.find(({ name }) => name === "opens");
    };
    expect(await runOpens()).toMatchObject({ status: "passed" });
    const { tests: shown, ...input } = suiteInputSchema.parse((await suites.export(["locks"])).suites[0]);
    await suites.update(BY, "locks", { ...input, description: "edited", tests: shown });
    expect(await runOpens()).toMatchObject({ status: "passed" });
    expect((await suites.import(BY, [{ ...input, description: "edited", tests: shown }])).same).toEqual(["locks"]);
    // The value belongs to that tool alone.
    const moved = await suites.update(BY, "locks", {
      ...input,
      tests: shown.map((each) => ({ ...each, tool: "answer" })),
    });
    expect(moved.tests[0]?.arguments).toEqual(first?.arguments);
    expect(await runOpens()).toMatchObject({ status: "skipped", reason: expect.stringContaining("pin") });
    expect(await readRows()).not.toContain(PIN);
  });
});
