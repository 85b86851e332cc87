import type { Actor } from "../../../lib/contract/actor";
import type { ChatUsage } from "../../../lib/contract/chat";
import type { EvalAttempt } from "../../../lib/contract/eval";
import type { ModelPrice } from "../../../lib/contract/model";
import { getMessage } from "../../../lib/get-message";
import { addUsage, computeCost } from "../../../lib/run/usage";
import { runConcurrently } from "../../../lib/run-concurrently";
import type { Clock, Logger } from "../../engine/ports";
import type { AttemptOutcome, EvalTask } from "./suite-attempt";
import type { RunOutcome } from "./suite-run-tasks";
import type { SuiteStore } from "./suite-store";

export interface AttemptPorts {
  store: Pick<SuiteStore, "keepAttempts">;
  clock: Clock;
  logger: Logger;
  price: (provider: string, model: string) => ModelPrice | null;
  /** How long one attempt may take; two minutes when absent. */
  attemptLimitMs?: number;
  /** Called after attempts were stored. */
  onProgress: () => void;
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
  /** The next write, and the running one: an older write must not come last. */
  later: NodeJS.Timeout | undefined;
  writing: Promise<void>;
  /** Provider errors in a row that a retry does not fix. */
  fatal: number;
  error: string | null;
}

/** Evals that run in parallel; the rounds of one run in sequence. */
const CONCURRENCY = 3;
const ATTEMPT_LIMIT_MS = 120_000;
/** All attempts are one row: not each of many quick ones is stored at once. */
const KEEP_EVERY_MS = 500;
/** Errors in a row that end the run: a wrong key or model stays wrong. */
const FATAL_FAULTS = 2;

/** Stores the current attempts of a run. */
function createKeeper({ store, clock, price: findPrice, logger, onProgress }: AttemptPorts) {
  async function keep({ id, attempts, usage, provider, model }: RunningEval): Promise<void> {
    const price = findPrice(provider, model);
    const { inputTokens, outputTokens } = usage;
    const cost = price === null ? null : computeCost(usage, price);
    await store.keepAttempts(id, [...attempts], { inputTokens, outputTokens, cost });
    onProgress();
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

/** Performs the attempts of runs of evals. */
export function createAttempts(ports: AttemptPorts) {
  const { clock } = ports;
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

  return async (request: EvalRunRequest, stop: AbortController): Promise<RunOutcome> => {
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
    await keep(run);
    return { error: run.error, readStatus: async () => "finished" };
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
