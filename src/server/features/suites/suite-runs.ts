import type { Actor } from "../../../lib/contract/actor";
import type { SuiteInput, TestRunDetail } from "../../../lib/contract/suite";
import { getMessage } from "../../../lib/get-message";
import { AppError } from "../../platform/shared/app-error";
import { type RunTestsPorts, runTests, type TestCall } from "./suite-calls";
import type { RunOutcome, RunTasks } from "./suite-run-tasks";
import type { NewTestRun, SuiteStore } from "./suite-store";

export interface TestRunPorts extends RunTestsPorts {
  store: SuiteStore;
  tasks: RunTasks;
  now: () => number;
  newId: () => string;
  /** Called after a run got a result. */
  onProgress: () => void;
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
const TOO_LONG = "Cancelled: it ran for an hour";

/** Runs of tests, and replays of recorded calls. */
export function createTestRuns(ports: TestRunPorts) {
  const { store, tasks, now } = ports;
  let active = 0;

  /** @returns why not all calls were made; null where they were */
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
      // A result could not be stored: the other attempts would fail alike.
      stop.abort();
      return getMessage(fault);
    }
  }

  async function readStatus(id: string): Promise<"passed" | "failed"> {
    const run = await store.findRun(id);
    if (run === null || run.kind === "evals") return "failed";
    // A test that did not run proves nothing; a recorded call that cannot be made again is no difference.
    return run.failed + run.errors + (run.kind === "tests" ? run.skipped : 0) > 0 ? "failed" : "passed";
  }

  async function perform(id: string, actor: Actor, start: StartRun, stop: AbortController): Promise<RunOutcome> {
    let isTooLong = false;
    const timer = setTimeout(() => {
      isTooLong = true;
      stop.abort();
    }, MAX_RUN_MS);
    const error = await callAll(id, actor, start, stop);
    clearTimeout(timer);
    return { error, cancelledBecause: isTooLong ? TOO_LONG : null, readStatus: () => readStatus(id) };
  }

  return {
    /** Resolves once it is stored; it runs in the background. */
    async start(actor: Actor, request: StartRun): Promise<TestRunDetail> {
      tasks.assertOpen();
      const total = request.calls.length;
      if (total === 0) throw new AppError("INVALID", "There is nothing to call: add tests first");
      if (active >= MAX_RUNS) {
        throw new AppError("CONFLICT", `${MAX_RUNS} runs of tests are running already: wait for one, or cancel one`);
      }
      const { kind, name, trigger, suiteId } = request;
      const id = ports.newId();
      const leave = (): void => {
        active -= 1;
      };
      active += 1;
      const stored = await tasks.start({
        id,
        save: () =>
          store
            .createRun({ id, kind, name, trigger, suiteId, actor, startedAt: now(), total })
            .catch((fault: unknown) => {
              leave();
              throw fault;
            }),
        perform: (stop) => perform(id, actor, request, stop).finally(leave),
      });
      if (stored === null) throw new Error("unreachable");
      return { ...stored, results: [] };
    },
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
