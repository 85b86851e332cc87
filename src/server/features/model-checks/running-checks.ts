import type { Actor } from "../../../lib/contract/actor";
import type { ModelCheckAttempt } from "../../../lib/contract/model";
import { getMessage } from "../../../lib/get-message";
import type { RunStarter } from "../../engine/agent/run-starter";
import type { Clock, Logger } from "../../engine/ports";
import type { ModelCheckStore, StoredCheck } from "./model-check-store";
import { type AttemptOutcome, runAttempt } from "./run-attempt";
import { CHECK_SCENARIOS } from "./scenarios/check-scenarios";
import type { CheckScenario } from "./scenarios/scenario";

export interface RunningCheckPorts {
  store: ModelCheckStore;
  runs: RunStarter;
  clock: Clock;
  logger: Logger;
  /** How long one run may take; two minutes when absent. */
  attemptLimitMs?: number;
}

export interface CheckRequest {
  id: string;
  /** The actor of its runs. */
  actor: Actor;
  provider: string;
  model: string;
  rounds: number;
}

interface RunningCheck extends CheckRequest {
  stop: AbortController;
  attempts: ModelCheckAttempt[];
  /** Provider errors in a row that a retry does not fix. */
  fatal: number;
  error: string | null;
  ended: Promise<void>;
}

/** Scenarios that run in parallel; the rounds of one run in sequence. */
const LANES = 3;
const ATTEMPT_LIMIT_MS = 120_000;
/** Errors in a row that end the check: a wrong key or model stays wrong. */
const FATAL_FAULTS = 2;
export const INTERRUPTED = "Interrupted: the server ended while this check was running";

/** The checks that run in this process. */
export function createRunningChecks(ports: RunningCheckPorts) {
  const { store, clock } = ports;
  const running = new Map<string, RunningCheck>();
  let closing = false;

  async function runOnce(check: RunningCheck, scenario: CheckScenario, round: number): Promise<void> {
    const { actor, provider, model, stop } = check;
    const limitMs = ports.attemptLimitMs ?? ATTEMPT_LIMIT_MS;
    const { runs } = ports;
    const { attempt, fault } = await runAttempt(
      { runs, clock, actor, provider, model, limitMs, signal: stop.signal },
      scenario,
      round,
    );
    if (attempt === null) return;
    check.attempts.push(attempt);
    await store.keepAttempts(check.id, [...check.attempts]);
    noteFault(check, fault);
  }

  async function runAll(check: RunningCheck): Promise<void> {
    const waiting = [...CHECK_SCENARIOS];
    const lane = async (): Promise<void> => {
      for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
        for (let round = 1; round <= check.rounds && !check.stop.signal.aborted; round += 1) {
          await runOnce(check, scenario, round);
        }
      }
    };
    const lanes = Array.from({ length: LANES }, () =>
      lane().catch((error: unknown) => {
        // One lane that fails ends the others: they would fail in the same way.
        check.error ??= getMessage(error);
        check.stop.abort();
      }),
    );
    await Promise.all(lanes);
  }

  async function run(check: RunningCheck): Promise<void> {
    await runAll(check);
    const { id, error, stop } = check;
    const status = closing ? "interrupted" : error !== null ? "failed" : stop.signal.aborted ? "cancelled" : "finished";
    try {
      await store.finish(id, { status, finishedAt: clock.now(), error: closing ? INTERRUPTED : error });
    } catch (fault) {
      ports.logger.error({ check: id, error: getMessage(fault) }, "The end of a model check could not be stored");
    }
    running.delete(id);
  }

  return {
    isClosing: (): boolean => closing,
    has: (id: string): boolean => running.has(id),

    /** Runs a check in the background once `save` has stored it. Null where `save` refuses it with null. */
    async start(request: CheckRequest, save: () => Promise<StoredCheck | null>): Promise<StoredCheck | null> {
      const check: RunningCheck = {
        ...request,
        stop: new AbortController(),
        attempts: [],
        fatal: 0,
        error: null,
        ended: Promise.resolve(),
      };
      // Before it is stored, so that nothing here takes it for abandoned.
      running.set(check.id, check);
      let stored: StoredCheck | null = null;
      try {
        stored = await save();
      } finally {
        if (stored === null) running.delete(check.id);
      }
      if (stored === null) return null;
      check.ended = run(check);
      return stored;
    },

    /** False when it does not run here. */
    cancel(id: string): boolean {
      const check = running.get(id);
      check?.stop.abort();
      return check !== undefined;
    },

    /** Stops all, as interrupted. */
    async close(): Promise<void> {
      closing = true;
      const checks = [...running.values()];
      for (const { stop } of checks) stop.abort();
      await Promise.all(checks.map(({ ended }) => ended));
    },
  };
}

function noteFault(check: RunningCheck, fault: AttemptOutcome["fault"]): void {
  if (fault?.kind !== "auth" && fault?.kind !== "not_found") {
    check.fatal = 0;
    return;
  }
  check.fatal += 1;
  if (check.fatal < FATAL_FAULTS || check.stop.signal.aborted) return;
  check.error = fault.message;
  check.stop.abort();
}
