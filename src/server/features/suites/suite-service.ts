import type { Actor } from "../../../lib/contract/actor";
import type {
  Eval,
  EvalCandidate,
  EvalComparison,
  EvalEdit,
  EvalInput,
  EvalOrigin,
  EvalRunInput,
  EvalRunSummary,
} from "../../../lib/contract/eval";
import type { JsonSchema } from "../../../lib/contract/json";
import type {
  ReplayChoice,
  ReplayPreview,
  SuiteInput,
  SuiteKind,
  SuiteRun,
  SuiteRunDetail,
  SuiteSummary,
  SuiteTest,
  TestRunDetail,
} from "../../../lib/contract/suite";
import { formatPlural } from "../../../lib/format/count";
import type { ExecutionService } from "../../calls/executions/execution-service";
import type { Reader } from "../../calls/executions/private-calls";
import { AppError } from "../../platform/shared/app-error";
import type { Decision } from "./suite-candidates";
import { createSuites, refuseKind, type SuitePorts, toSuiteInput } from "./suite-edits";
import { createEvalRuns, type EvalRunPorts } from "./suite-eval-runs";
import type { EvalStore } from "./suite-eval-store";
import { createEvals, type EvalPorts, type ReadableCalls } from "./suite-evals";
import { proposeTest } from "./suite-proposal";
import { previewReplay, type ReplayPorts, readReplay } from "./suite-replay";
import { createRunTasks, type RunTaskPorts } from "./suite-run-tasks";
import { createTestRuns, type TestRunPorts, toTestCalls } from "./suite-runs";
import { createSuiteSchedules, type SchedulePorts } from "./suite-schedules";
import type { StoredSuite, SuiteStore } from "./suite-store";

export interface SuiteServicePorts
  extends Omit<RunTaskPorts, "store">,
    Omit<TestRunPorts, "execute" | "tasks" | "store">,
    Omit<EvalRunPorts, "tasks" | "store" | "evals">,
    Omit<EvalPorts, "ensureSuite" | "evals" | "onChange">,
    ReplayPorts,
    Omit<SuitePorts, "onScheduled" | "onChange" | "checkJsonSchema" | "store" | "countEvals">,
    Omit<SchedulePorts, "start" | "store"> {
  store: SuiteStore;
  evals: EvalStore;
  executions: Pick<ExecutionService, "execute" | "readsFor">;
  checkJsonSchema: (schema: JsonSchema) => string | null;
  /** Called when suites or evals changed. */
  onSuites: () => void;
}

export interface RunOptions extends Partial<EvalRunInput> {
  /** Calls that need approval ask for it; else they are not made. Absent: as the suite says. */
  asksForApproval?: boolean | undefined;
  trigger?: SuiteRun["trigger"] | undefined;
  /** For evals: a definition that is offered as if it were saved. */
  edit?: EvalEdit | undefined;
}

const PAGE = 30;
const REPLAY_CONCURRENCY = 4;
const DEFAULT_ROUNDS = 3;

export type SuiteService = ReturnType<typeof createSuiteService>;

/** Suites of tests and of evals, their runs, and replays of recorded calls, which are runs too. */
export function createSuiteService(ports: SuiteServicePorts) {
  const { store, executions } = ports;
  const tasks = createRunTasks(ports);
  const testRuns = createTestRuns({ ...ports, tasks, execute: executions.execute });
  const evalRuns = createEvalRuns({ ...ports, tasks });

  const startTests = (actor: Actor, suite: SuiteInput & { id?: string }, options: RunOptions): Promise<TestRunDetail> =>
    testRuns.start(actor, {
      kind: "tests",
      name: suite.name,
      suiteId: suite.id ?? null,
      trigger: options.trigger ?? "manual",
      calls: toTestCalls(suite),
      concurrency: suite.concurrency,
      asksForApproval: options.asksForApproval ?? suite.approvals === "ask",
    });

  /** The requested model, else the suite's own, else that of its last run. */
  async function chooseModel({ id, name, runWith }: StoredSuite, options: RunOptions): Promise<EvalRunInput> {
    const last = (await store.newestRuns()).get(id);
    const usual = runWith ?? (last?.kind === "evals" ? { ...last, rounds: DEFAULT_ROUNDS } : null);
    const provider = options.provider ?? usual?.provider;
    const model = options.model ?? usual?.model;
    if (provider === undefined || model === undefined) {
      throw new AppError("INVALID", `provider: the suite '${name}' was never run, and names no model: choose one`);
    }
    const rounds = options.rounds ?? usual?.rounds ?? DEFAULT_ROUNDS;
    return { provider, model, rounds, offering: options.offering ?? runWith?.offering ?? "direct" };
  }

  async function startEvals(actor: Actor, suite: StoredSuite, options: RunOptions): Promise<EvalRunSummary> {
    const { name, id: suiteId } = suite;
    const { trigger = "manual", edit } = options;
    return await evalRuns.start(actor, { ...(await chooseModel(suite, options)), suite: name, suiteId, trigger, edit });
  }

  async function proposeFrom(reader: Reader, executionId: string): Promise<SuiteTest> {
    const reads = executions.readsFor(reader);
    await reads.assertReadable(executionId);
    return await proposeTest(await reads.get(executionId), reads);
  }

  async function startStored(actor: Actor, suite: StoredSuite, options: RunOptions): Promise<SuiteRun> {
    if (suite.kind === "evals") return await startEvals(actor, suite, options);
    if (options.provider !== undefined || options.edit !== undefined) {
      throw refuseKind(options.provider === undefined ? "definition" : "provider", suite);
    }
    return await startTests(actor, { ...suites.reveal(suite), id: suite.id }, options);
  }

  const schedules = createSuiteSchedules({
    ...ports,
    start: (actor, suite) => startStored(actor, suite, { trigger: "schedule" }),
  });
  const suites = createSuites({
    ...ports,
    countEvals: async () => new Map((await ports.evals.countBySuite()).map(({ suite, evals }) => [suite, evals])),
    onScheduled: schedules.order,
    onChange: ports.onSuites,
  });
  const evals = createEvals({ ...ports, ensureSuite: suites.ensureEvalSuite, onChange: ports.onSuites });

  return {
    /** Ends the runs that ended processes left, and orders the jobs of schedules again. */
    async load(): Promise<void> {
      await tasks.endAbandoned();
      await suites.hideStored();
      await schedules.orderAll();
    },
    /** Called after the clock was put back. */
    followClock: schedules.orderAll,
    settleLost: tasks.endAbandoned,
    /** Stops what runs here, as interrupted. */
    close: tasks.close,

    async list(kinds?: readonly SuiteKind[]): Promise<SuiteSummary[]> {
      const all = await suites.list();
      return kinds === undefined ? all : all.filter(({ kind }) => kinds.includes(kind));
    },
    get: suites.get,
    create: suites.create,
    update: suites.update,
    delete: (_actor: Actor, name: string, revision?: number): Promise<void> => suites.delete(name, revision),
    addTest: suites.addTest,
    import: suites.import,
    /** The suites of tests as a file. @param names absent: all of them */
    export: async (names?: readonly string[]) => ({ toolroomSuites: 1 as const, suites: await suites.export(names) }),

    evals: evals.list,
    getEval: evals.get,
    addEval: (actor: Actor, input: EvalInput): Promise<Eval> => evals.create(actor, input),
    updateEval: (actor: Actor, id: string, input: EvalInput, revision?: number): Promise<Eval> =>
      evals.update(actor, id, input, revision),
    deleteEval: (_actor: Actor, id: string, revision?: number): Promise<void> => evals.delete(id, revision),
    candidates: (readable?: ReadableCalls): Promise<EvalCandidate[]> => evals.candidates(readable),
    candidate: (origin: EvalOrigin, readable?: ReadableCalls): Promise<Decision> => evals.candidate(origin, readable),
    dismiss: (actor: Actor, origin: EvalOrigin): Promise<void> => evals.dismiss(actor, origin),

    /** Proposes a test from an execution; nothing is saved. */
    propose: proposeFrom,

    /** Saves the test that an execution suggests. @param name null: the one that is suggested */
    async saveExecution(
      actor: Actor,
      reader: Reader,
      { executionId, suite, name }: { executionId: string; suite: string; name: string | null },
    ): Promise<{ suite: string; test: string }> {
      const proposed = await proposeFrom(reader, executionId);
      const test = { ...proposed, name: name ?? proposed.name };
      await suites.addTest(actor, suite, test);
      return { suite, test: test.name };
    },

    /** Resolves once the run is stored; the run continues in the background. */
    run: async (actor: Actor, name: string, options: RunOptions = {}): Promise<SuiteRun> =>
      startStored(actor, await suites.find(name), options),

    /** Runs a suite of tests that is not saved, as a file has it. */
    async runInput(actor: Actor, input: SuiteInput, options: RunOptions = {}): Promise<TestRunDetail> {
      suites.check(input);
      if (input.kind === "evals") throw refuseKind("suite", input);
      return await startTests(actor, toSuiteInput(input), options);
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
      return await testRuns.start(actor, {
        kind: "replay",
        name: `${formatPlural(calls.length, "call")} of ${of}`,
        suiteId: null,
        trigger,
        calls,
        asksForApproval,
        concurrency: REPLAY_CONCURRENCY,
      });
    },

    async runs({
      suite,
      kind,
      cursor,
    }: {
      suite?: string | undefined;
      kind?: readonly SuiteRun["kind"][] | undefined;
      cursor?: number | undefined;
    }) {
      if (suite === undefined) return await store.runs({ kinds: kind, cursor, limit: PAGE });
      const found = await store.findSuite(suite);
      // Runs of a suite that was deleted before its runs were keep its name.
      const of = found === null ? { name: suite } : { suiteId: found.id };
      return await store.runs({ kinds: kind, ...of, cursor, limit: PAGE });
    },
    awaitRun: (id: string, waitMs: number): Promise<SuiteRunDetail> => tasks.awaitEnd(id, waitMs),
    compareRuns: (before: string, id: string): Promise<EvalComparison> => evalRuns.compare(before, id),
    cancelRun: (_actor: Actor, id: string): Promise<{ cancelled: boolean }> => tasks.cancel(id),
  };
}
