import { expect, it, onTestFinished } from "vitest";
import type { Actor } from "../../../lib/contract/actor";
import { type SuiteRun, suiteInputSchema } from "../../../lib/contract/suite";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import type { JobHandler } from "../../platform/coordination/jobs";
import { createScratchDatabase } from "../../platform/db/database.test-support";
import { AppError } from "../../platform/shared/app-error";
import { createHappenings } from "../webhooks/webhook-events";
import { createSuiteStore } from "./db/suite-store";
import { createSuites } from "./suite-edits";
import { createSuiteSchedules } from "./suite-schedules";

const ADA: Actor = { id: "ada", name: "Ada" };
const MINUTE = 60_000;
const EVERY_MS = 10 * MINUTE;

async function openSchedules() {
  const scratch = await createScratchDatabase();
  onTestFinished(scratch.remove);
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const store = createSuiteStore({ db: scratch.db, now });
  const started: string[] = [];
  const runs: SuiteRun[] = [];
  const denial: { reason: string | null; start: string | null } = { reason: null, start: null };
  let handler: JobHandler | undefined;
  const ordered: number[] = [];
  const jobs = {
    handle(_kind: string, handle: JobHandler): void {
      handler = handle;
    },
    schedule: async ({ runAt }: { runAt: number }) => void ordered.push(runAt),
  };
  const schedules = createSuiteSchedules({
    store,
    jobs,
    now,
    logger: recordingLogger(),
    newId: () => `test_${runs.length}`,
    findDenial: async () => denial.reason,
    async start(actor, suite) {
      if (denial.start !== null) throw new AppError("INVALID", denial.start);
      started.push(`${suite.name} for ${actor.name}`);
      const run = { id: `test_s${started.length}`, kind: "tests", name: suite.name, trigger: "schedule" } as const;
      return await store.createRun({ ...run, suiteId: suite.id, actor, startedAt: now(), total: 1 });
    },
    onChange: (run) => void runs.push(run),
  });
  const suites = createSuites({
    store,
    countEvals: async () => new Map(),
    now,
    checkJsonSchema: () => null,
    onScheduled: schedules.order,
    onChange: () => undefined,
  });
  const test = { name: "t", tool: "echo" };
  await suites.create(ADA, suiteInputSchema.parse({ name: "smoke", tests: [test], schedule: { everyMs: EVERY_MS } }));
  const { id } = await suites.find("smoke");
  const runJob = async () =>
    await handler?.({ key: id, payload: null, attempts: 1, signal: new AbortController().signal });
  return { store, clock, started, runs, denial, ordered, runJob };
}

it("a suite runs at its time for who saved it, once, and the next time follows", async () => {
  const { clock, started, ordered, runJob } = await openSchedules();
  const first = clock.now + EVERY_MS;
  expect(ordered).toEqual([first]);
  expect(await runJob()).toEqual({ runAt: first });
  expect(started).toEqual([]);
  clock.now = first + 1;
  const jobs = await Promise.all([runJob(), runJob()]);
  expect(jobs.filter((next) => next?.runAt === clock.now + EVERY_MS)).not.toEqual([]);
  expect(started).toEqual(["smoke for Ada"]);
  clock.now += EVERY_MS;
  await runJob();
  // The run before has not ended.
  expect(started).toHaveLength(1);
});

it("a suite of a user who may not run tools any more fails, says why, and is an event for webhooks", async () => {
  const { store, clock, started, runs, denial, runJob } = await openSchedules();
  denial.reason = "Ada has no active account any more";
  clock.now += EVERY_MS;
  await runJob();
  expect(started).toEqual([]);
  expect((await store.runs({ limit: 5 })).items).toMatchObject([
    { status: "failed", trigger: "schedule", error: expect.stringContaining("Ada has no active account any more") },
  ]);
  const find = createHappenings(
    () => null,
    () => 0,
  );
  const [run] = runs;
  if (run === undefined) throw new Error("No run was announced");
  expect(find({ type: "suites", run })).toMatchObject([{ event: "suite.failed", data: { suite: "smoke" } }]);
  expect(find({ type: "suites", run: { ...run, trigger: "manual" } })).toEqual([]);
  expect(find({ type: "suites", run: { ...run, status: "passed" } })).toEqual([]);
});

it("a run that is refused at its time fails with the reason, and the next time stays", async () => {
  const { store, clock, denial, runJob } = await openSchedules();
  denial.start = "Model provider 'acme' not found";
  clock.now += EVERY_MS;
  expect(await runJob()).toEqual({ runAt: clock.now + EVERY_MS });
  expect((await store.runs({ limit: 5 })).items).toMatchObject([
    { status: "failed", trigger: "schedule", error: "Model provider 'acme' not found" },
  ]);
});
