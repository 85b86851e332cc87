import type { Actor } from "../../../lib/contract/actor";
import type { JsonSchema } from "../../../lib/contract/json";
import type {
  ReplayChoice,
  ReplayPreview,
  SuiteInput,
  SuiteTest,
  TestRun,
  TestRunDetail,
} from "../../../lib/contract/suite";
import { formatPlural } from "../../../lib/format/count";
import type { ExecutionService } from "../../calls/executions/execution-service";
import type { Reader } from "../../calls/executions/private-calls";
import type { Logger } from "../../engine/ports";
import type { CallRegistry } from "../../platform/coordination/call-registry";
import type { Jobs } from "../../platform/coordination/jobs";
import { createSuites, findNextRun, type SuitePorts, toSuiteInput } from "./suite-edits";
import { proposeTest } from "./suite-proposal";
import { previewReplay, type ReplayPorts, readReplay } from "./suite-replay";
import { createTestRuns, type TestRunPorts, toTestCalls } from "./suite-runs";
import type { StoredSuite, TestStore } from "./suite-store";

const KIND = "tests.schedule";

export interface TestServicePorts
  extends Omit<TestRunPorts, "execute" | "calls">,
    ReplayPorts,
    Omit<SuitePorts, "onScheduled" | "onChange" | "checkJsonSchema">,
    Omit<SchedulePorts, "start"> {
  executions: Pick<ExecutionService, "execute" | "readsFor">;
  checkJsonSchema: (schema: JsonSchema) => string | null;
  /** Suites changed. */
  onSuites: () => void;
  calls?: CallRegistry | undefined;
}

export interface RunOptions {
  /** Calls that need approval ask for it; else they are not made. Absent: as the suite says. */
  asksForApproval?: boolean | undefined;
  trigger?: TestRun["trigger"] | undefined;
}

const PAGE = 30;
const REPLAY_CONCURRENCY = 4;

export type TestService = ReturnType<typeof createTestService>;

/** Tests of tools: suites and their runs, and replays of recorded calls, which are runs too. */
export function createTestService(ports: TestServicePorts) {
  const { store, executions } = ports;
  const runs = createTestRuns({ ...ports, execute: executions.execute });
  const startSuite = (actor: Actor, suite: SuiteInput & { id?: string }, options: RunOptions): Promise<TestRunDetail> =>
    runs.start(actor, {
      kind: "suite",
      name: suite.name,
      suiteId: suite.id ?? null,
      trigger: options.trigger ?? "manual",
      calls: toTestCalls(suite),
      concurrency: suite.concurrency,
      asksForApproval: options.asksForApproval ?? suite.approvals === "ask",
    });

  const startStored = (actor: Actor, suite: StoredSuite, options: RunOptions): Promise<TestRunDetail> =>
    startSuite(actor, { ...suites.reveal(suite), id: suite.id }, options);

  const schedules = createSuiteSchedules({
    ...ports,
    start: (actor, suite) => startStored(actor, suite, { trigger: "schedule" }),
  });
  const suites = createSuites({ ...ports, onScheduled: schedules.order, onChange: ports.onSuites });

  return {
    /** Ends the runs that ended processes left, and orders the jobs of schedules again. */
    async load(): Promise<void> {
      await runs.endAbandoned();
      await suites.hideStored();
      await schedules.orderAll();
    },
    /** After the clock was put back. */
    followClock: schedules.orderAll,
    settleLost: runs.endAbandoned,
    /** Stops what runs here, as interrupted. */
    close: runs.close,

    list: suites.list,
    get: suites.get,
    create: suites.create,
    update: suites.update,
    delete: (_actor: Actor, name: string, revision?: number): Promise<void> => suites.delete(name, revision),
    addTest: suites.addTest,
    import: suites.import,
    /** The suites as a file. @param names absent: all of them */
    export: async (names?: readonly string[]) => ({ toolroomSuites: 1 as const, suites: await suites.export(names) }),

    /** A test that an execution suggests; nothing is saved. */
    async propose(reader: Reader, executionId: string): Promise<SuiteTest> {
      const reads = executions.readsFor(reader);
      await reads.assertReadable(executionId);
      return await proposeTest(await reads.get(executionId), reads);
    },

    /** Resolves once the run is stored; it goes on in the background. */
    run: async (actor: Actor, name: string, options: RunOptions = {}): Promise<TestRunDetail> =>
      startStored(actor, await suites.find(name), options),

    /** Runs a suite that is not saved, as a file has it. */
    async runInput(actor: Actor, input: SuiteInput, options: RunOptions = {}): Promise<TestRunDetail> {
      suites.check(input);
      return await startSuite(actor, toSuiteInput(input), options);
    },

    /** Counts the calls of a replay. */
    previewReplay: (reader: Reader, choice: ReplayChoice): Promise<ReplayPreview> =>
      previewReplay(choice, executions.readsFor(reader), ports),

    /** Calls the current tools with recorded arguments that the reader may read, and compares. */
    async startReplay(
      actor: Actor,
      choice: ReplayChoice,
      { reader, asksForApproval = false, trigger = "manual" }: RunOptions & { reader: Reader },
    ): Promise<TestRunDetail> {
      const calls = await readReplay(choice, executions.readsFor(reader));
      const [first, ...others] = new Set(calls.map(({ tool }) => tool));
      const of = others.length === 0 ? (first ?? "nothing") : formatPlural(others.length + 1, "tool");
      return await runs.start(actor, {
        kind: "replay",
        name: `${formatPlural(calls.length, "call")} of ${of}`,
        suiteId: null,
        trigger,
        calls,
        asksForApproval,
        concurrency: REPLAY_CONCURRENCY,
      });
    },

    async runs({ suite, cursor }: { suite?: string | undefined; cursor?: number | undefined }) {
      const suiteId = suite === undefined ? undefined : (await suites.find(suite)).id;
      return await store.runs({ suiteId, cursor, limit: PAGE });
    },
    awaitRun: runs.awaitEnd,
    cancelRun: (_actor: Actor, id: string): Promise<{ cancelled: boolean }> => runs.cancel(id),
  };
}

interface SchedulePorts {
  store: TestStore;
  jobs: Pick<Jobs, "handle" | "schedule">;
  logger: Logger;
  now: () => number;
  newId: () => string;
  /** Why a schedule may not call for this user any more; null where it may. */
  findDenial: (actor: Actor) => Promise<string | null>;
  start: (actor: Actor, suite: StoredSuite) => Promise<TestRun>;
  /** Called after a run that could not begin. */
  onChange: (run: TestRun) => void;
}

/** Runs suites at their times: a job for each, which any instance of the server may run. */
export function createSuiteSchedules({ store, jobs, logger, now, newId, findDenial, start, onChange }: SchedulePorts) {
  async function order({ id, nextRunAt }: Pick<StoredSuite, "id" | "nextRunAt">): Promise<void> {
    if (nextRunAt !== null) await jobs.schedule({ kind: KIND, key: id, runAt: nextRunAt });
  }

  /** Moves the time on first: a run that cannot begin is not tried again and again. */
  async function runDue(id: string): Promise<{ runAt: number } | undefined> {
    const suite = await store.findSuiteById(id);
    if (suite === null || suite.nextRunAt === null || suite.schedule === null) return undefined;
    if (suite.nextRunAt > now()) return { runAt: await keepWithinRule(suite, suite.nextRunAt) };
    const next = findNextRun(suite.schedule, now());
    if (await store.claimNextRun(id, suite.nextRunAt, next)) await startRun(suite);
    return next === null ? undefined : { runAt: next };
  }

  async function startRun(suite: StoredSuite): Promise<void> {
    if ((await store.newestRuns()).get(suite.id)?.status === "running") {
      logger.warn({ suite: suite.name }, "A scheduled suite is still running: this time is left out");
      return;
    }
    const actor = suite.scheduledBy;
    if (actor === null) return;
    const denial = suite.tests.length === 0 ? "The suite has no tests" : await findDenial(actor);
    if (denial === null) await start(actor, suite);
    else await recordUnstarted(suite, actor, `${denial}: edit the suite, or save it again to run it for you`);
  }

  /** A run without calls that says why there are none. */
  async function recordUnstarted(suite: StoredSuite, actor: Actor, error: string): Promise<void> {
    const id = newId();
    const at = now();
    const run = { id, kind: "suite", name: suite.name, trigger: "schedule", suiteId: suite.id } as const;
    const stored = await store.createRun({ ...run, actor, startedAt: at, total: 0 });
    await store.finishRun(id, { status: "failed", finishedAt: at, error });
    onChange({ ...stored, status: "failed", finishedAt: at, error });
  }

  /** A time that was stored while the clock was ahead would come too late. @returns the time that the rule allows */
  async function keepWithinRule(suite: StoredSuite, nextRunAt: number): Promise<number> {
    const latest = suite.schedule === null ? null : findNextRun(suite.schedule, now());
    if (latest === null || latest >= nextRunAt) return nextRunAt;
    return (await store.claimNextRun(suite.id, nextRunAt, latest)) ? latest : nextRunAt;
  }

  jobs.handle(KIND, ({ key }) => runDue(key));
  return {
    order,
    /** Orders the jobs of all schedules, at times that their rules allow. */
    async orderAll(): Promise<void> {
      for (const { id, nextRunAt } of await store.scheduled()) {
        const suite = await store.findSuiteById(id);
        if (suite !== null) await order({ id, nextRunAt: await keepWithinRule(suite, nextRunAt) });
      }
    },
  };
}
