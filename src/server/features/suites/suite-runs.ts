import { setTimeout as wait } from "node:timers/promises";
import type { Actor } from "../../../lib/contract/actor";
import type { SuiteInput, TestRun, TestRunDetail } from "../../../lib/contract/suite";
import { getMessage } from "../../../lib/get-message";
import type { Logger } from "../../engine/ports";
import { createBackgroundTasks } from "../../platform/coordination/background-tasks";
import type { CallRegistry } from "../../platform/coordination/call-registry";
import { AppError } from "../../platform/shared/app-error";
import { type RunTestsPorts, runTests, type TestCall } from "./suite-calls";
import type { NewTestRun, RunEnd, TestStore } from "./suite-store";

export interface TestRunPorts extends RunTestsPorts {
  store: TestStore;
  logger: Logger;
  now: () => number;
  newId: () => string;
  /** Called after a run began or ended. */
  onChange: (run: TestRun) => void;
  /** Called after a run got a result. */
  onProgress: () => void;
  /** Reaches runs wherever they run. */
  calls?: CallRegistry | undefined;
}

export interface StartRun extends Pick<NewTestRun, "kind" | "name" | "trigger" | "suiteId"> {
  calls: readonly TestCall[];
  asksForApproval: boolean;
  concurrency: number;
}

/** A run that takes longer is cancelled; a call that waits for approval counts. */
const MAX_RUN_MS = 3_600_000;
/** Runs of one process at the same time: each has calls of its own. */
const MAX_RUNS = 8;
const LOOK_AGAIN_MS = 150;
const INTERRUPTED = "Interrupted: the server ended while it was running";
const TOO_LONG = "Cancelled: it ran for an hour";

/** Performs runs in the background, from their first call to their stored end. */
function createPerformer(ports: TestRunPorts, isClosing: () => boolean) {
  const { store, logger, now } = ports;

  async function callAll(id: string, actor: Actor, start: StartRun, stop: AbortController): Promise<string | null> {
    const { asksForApproval, concurrency } = start;
    try {
      await runTests(start.calls, ports, {
        actor,
        asksForApproval,
        concurrency,
        signal: stop.signal,
        async onResult(result) {
          await store.addResult(id, result);
          ports.onProgress();
        },
      });
      return null;
    } catch (fault) {
      // A result that could not be stored: the rest would meet the same.
      stop.abort();
      return getMessage(fault);
    }
  }

  async function judge(id: string, stop: AbortController, tooLong: boolean, error: string | null): Promise<RunEnd> {
    const finishedAt = now();
    if (isClosing()) return { status: "interrupted", finishedAt, error: INTERRUPTED };
    if (error !== null) return { status: "failed", finishedAt, error };
    if (stop.signal.aborted) return { status: "cancelled", finishedAt, error: tooLong ? TOO_LONG : null };
    const run = await store.findRun(id);
    const { failed = 0, errors = 0, skipped = 0, kind = "suite" } = run ?? {};
    // A test that did not run proves nothing; a recorded call that cannot be made again is no difference.
    const isFailed = failed + errors + (kind === "suite" ? skipped : 0) > 0;
    return { status: isFailed ? "failed" : "passed", finishedAt, error: null };
  }

  return async (id: string, actor: Actor, start: StartRun, stop: AbortController): Promise<void> => {
    let tooLong = false;
    const timer = setTimeout(() => {
      tooLong = true;
      stop.abort();
    }, MAX_RUN_MS);
    const error = await callAll(id, actor, start, stop);
    clearTimeout(timer);
    try {
      await store.finishRun(id, await judge(id, stop, tooLong, error));
    } catch (fault) {
      logger.error({ run: id, error: getMessage(fault) }, "The end of a test run could not be stored");
    }
  };
}

/** Runs of tests: those of this process, and the stored ones. */
export function createTestRuns(ports: TestRunPorts) {
  const { store, logger, now, onChange, calls } = ports;
  const tasks = createBackgroundTasks({ kind: "test_run", what: "the run", calls });
  const perform = createPerformer(ports, tasks.isClosing);

  async function find(id: string): Promise<TestRunDetail> {
    const found = await store.findRun(id);
    if (found === null) throw new AppError("NOT_FOUND", `Test run '${id}' not found`);
    return found;
  }

  async function announce(id: string): Promise<void> {
    const { results: _results, ...run } = await find(id);
    onChange(run);
  }

  /** Resolves once it is stored; it runs in the background. */
  async function start(actor: Actor, request: StartRun): Promise<TestRunDetail> {
    tasks.assertOpen();
    const total = request.calls.length;
    if (total === 0) throw new AppError("INVALID", "There is nothing to call: add tests first");
    if (tasks.count() >= MAX_RUNS) {
      throw new AppError("CONFLICT", `${MAX_RUNS} test runs are running already: wait for one, or cancel one`);
    }
    const { kind, name, trigger, suiteId } = request;
    const id = ports.newId();
    const stored = await tasks.start({
      id,
      save: () => store.createRun({ id, kind, name, trigger, suiteId, actor, startedAt: now(), total }),
      async perform(stop) {
        await perform(id, actor, request, stop);
        await announce(id).catch((fault: unknown) =>
          logger.warn({ run: id, err: fault }, "A test run could not be read"),
        );
      },
    });
    onChange(stored);
    return { ...stored, results: [] };
  }

  return {
    find,
    start,

    /** The run as it is when it has ended, or after so many milliseconds. */
    async awaitEnd(id: string, waitMs: number): Promise<TestRunDetail> {
      const until = performance.now() + waitMs;
      for (;;) {
        const run = await find(id);
        if (run.status !== "running" || performance.now() >= until) return run;
        await wait(LOOK_AGAIN_MS);
      }
    },

    /** False when it was over already. */
    async cancel(id: string): Promise<{ cancelled: boolean }> {
      const cancelled = await tasks.cancel(id);
      if (!cancelled) await find(id);
      return { cancelled };
    },

    /** Ends the runs that processes left running which ended. */
    async endAbandoned(): Promise<void> {
      await tasks.settleLost(await store.running(), async ({ id, owner }) => {
        const end = { status: "interrupted", finishedAt: now(), error: INTERRUPTED } as const;
        if (await store.finishRun(id, end, owner)) await announce(id);
      });
    },

    /** Stops what runs here, as interrupted. */
    close: tasks.close,
  };
}

export function toTestCalls({ tests }: Pick<SuiteInput, "tests">): TestCall[] {
  return tests.map(({ name, tool, arguments: args, assertions, timeoutMs }) => ({
    name,
    tool,
    argumentsText: JSON.stringify(args),
    assertions,
    timeoutMs,
  }));
}
