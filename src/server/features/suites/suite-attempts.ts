import type { Actor } from "../../../lib/contract/actor";
import type { ChatUsage } from "../../../lib/contract/chat";
import type { EvalAttempt } from "../../../lib/contract/eval";
import type { ModelPrice } from "../../../lib/contract/model";
import { getMessage } from "../../../lib/get-message";
import { addUsage, computeCost } from "../../../lib/run/usage";
import { runConcurrently } from "../../../lib/run-concurrently";
import type { Clock, Logger } from "../../engine/ports";
import { createBackgroundTasks } from "../../platform/coordination/background-tasks";
import type { CallRegistry } from "../../platform/coordination/call-registry";
import type { AttemptOutcome, EvalTask } from "./suite-attempt";
import type { EvalRunStore, StoredEvalRun } from "./suite-eval-run-store";

export interface RunningEvalPorts {
  store: Pick<EvalRunStore, "keepAttempts" | "finish" | "running">;
  clock: Clock;
  logger: Logger;
  price: (provider: string, model: string) => ModelPrice | null;
  /** How long one attempt may take; two minutes when absent. */
  attemptLimitMs?: number;
  /** Reaches runs wherever they are executed. */
  calls?: CallRegistry | undefined;
}

export interface EvalRunRequest {
  id: string;
  actor: Actor;
  provider: string;
  model: string;
  rounds: number;
  tasks: readonly EvalTask[];
}

interface RunningEval extends EvalRunRequest {
  stop: AbortController;
  attempts: EvalAttempt[];
  usage: ChatUsage;
  /** The time of the last write of the attempts. */
  keptAt: number;
  /** A write that follows, and the one that is under way: an older one must not come last. */
  later: NodeJS.Timeout | undefined;
  writing: Promise<void>;
  /** Provider errors in a row that a retry does not fix. */
  fatal: number;
  error: string | null;
}

/** Evals that run in parallel; the rounds of one run in sequence. */
const CONCURRENCY = 3;
const ATTEMPT_LIMIT_MS = 120_000;
/** All attempts are one row: of many quick ones, not each is stored at once. */
const KEEP_EVERY_MS = 500;
/** Errors in a row that end the run: a wrong key or model stays wrong. */
const FATAL_FAULTS = 2;
const INTERRUPTED = "Interrupted: the server ended while these evals were running";

/** Stores what a run has so far. */
function createKeeper({ store, clock, price: findPrice, logger }: RunningEvalPorts) {
  async function keep({ id, attempts, usage, provider, model }: RunningEval): Promise<void> {
    const price = findPrice(provider, model);
    const { inputTokens, outputTokens } = usage;
    const cost = price === null ? null : computeCost(usage, price);
    await store.keepAttempts(id, [...attempts], { inputTokens, outputTokens, cost });
  }
  return {
    keep,
    /** The next attempt may take long. A failed write is repeated with the next one. */
    keepSoon(run: RunningEval, waitMs: number): void {
      run.later ??= setTimeout(() => {
        run.later = undefined;
        run.keptAt = clock.elapsed();
        run.writing = keep(run).catch((error: unknown) =>
          logger.warn({ run: run.id, error: getMessage(error) }, "Attempts of an eval could not be stored yet"),
        );
      }, waitMs).unref();
    },
  };
}

/** The runs of evals in this process. */
export function createRunningEvals(ports: RunningEvalPorts) {
  const { store, clock, calls } = ports;
  const tasks = createBackgroundTasks({ kind: "eval_run", what: "the evals", calls });
  const { keep, keepSoon } = createKeeper(ports);

  async function runOnce(run: RunningEval, task: EvalTask, round: number): Promise<void> {
    const { actor, provider, model, stop } = run;
    const limitMs = ports.attemptLimitMs ?? ATTEMPT_LIMIT_MS;
    const outcome = await task.attempt({ actor, provider, model, round, limitMs, signal: stop.signal });
    run.usage = addUsage(run.usage, outcome.usage);
    if (outcome.attempt === null) return;
    const { inputTokens, outputTokens } = outcome.usage;
    run.attempts.push({ ...outcome.attempt, inputTokens, outputTokens });
    noteFault(run, outcome.fault);
    const waitMs = KEEP_EVERY_MS - (clock.elapsed() - run.keptAt);
    if (waitMs > 0) return keepSoon(run, waitMs);
    run.keptAt = clock.elapsed();
    await run.writing;
    await keep(run);
  }

  async function runAll(run: RunningEval): Promise<void> {
    await runConcurrently(run.tasks, CONCURRENCY, async (task) => {
      try {
        for (let round = 1; round <= run.rounds && !run.stop.signal.aborted; round += 1) {
          await runOnce(run, task, round);
        }
      } catch (error) {
        // The others would fail in the same way.
        run.error ??= getMessage(error);
        run.stop.abort();
      }
    });
  }

  async function perform(request: EvalRunRequest, stop: AbortController): Promise<void> {
    const run: RunningEval = {
      ...request,
      stop,
      attempts: [],
      usage: { inputTokens: 0, outputTokens: 0 },
      later: undefined,
      writing: Promise.resolve(),
      keptAt: clock.elapsed(),
      fatal: 0,
      error: null,
    };
    await runAll(run);
    clearTimeout(run.later);
    await run.writing;
    const { id, error } = run;
    const closing = tasks.isClosing();
    const status = closing ? "interrupted" : error !== null ? "failed" : stop.signal.aborted ? "cancelled" : "finished";
    try {
      await keep(run);
      await store.finish(id, { status, finishedAt: clock.now(), error: closing ? INTERRUPTED : error });
    } catch (fault) {
      ports.logger.error({ run: id, error: getMessage(fault) }, "The end of a run of evals could not be stored");
    }
  }

  return {
    assertOpen: tasks.assertOpen,

    /** Runs in the background once `save` has stored it. Null where `save` refuses it with null. */
    start: (request: EvalRunRequest, save: () => Promise<StoredEvalRun | null>): Promise<StoredEvalRun | null> =>
      tasks.start({ id: request.id, save, perform: (stop) => perform(request, stop) }),

    /** False when it runs at no instance of the server. */
    cancel: tasks.cancel,

    /** Ends the runs of processes that ended: their tasks were in the memory of these, so no other copy continues them. */
    endAbandoned: async (): Promise<void> =>
      tasks.settleLost(await store.running(), ({ id, owner }) =>
        store.finish(id, { status: "interrupted", finishedAt: clock.now(), error: INTERRUPTED }, owner),
      ),

    /** Stops all, as interrupted. */
    close: tasks.close,
  };
}

function noteFault(run: RunningEval, fault: AttemptOutcome["fault"]): void {
  if (fault?.kind !== "auth" && fault?.kind !== "not_found") {
    run.fatal = 0;
    return;
  }
  run.fatal += 1;
  if (run.fatal < FATAL_FAULTS || run.stop.signal.aborted) return;
  run.error = fault.message;
  run.stop.abort();
}
