import type { Actor } from "../../../lib/contract/actor";
import type { ChatErrorKind } from "../../../lib/contract/chat";
import type { ModelCheckAttempt } from "../../../lib/contract/model";
import type { RunEvent } from "../../../lib/contract/run";
import type { RunOutcome, RunStarter } from "../../engine/agent/run-starter";
import type { Clock } from "../../engine/ports";
import type { CheckScenario } from "./scenarios/scenario";

export interface AttemptPorts {
  runs: RunStarter;
  clock: Clock;
  actor: Actor;
  provider: string;
  model: string;
  /** How long one run may take. */
  limitMs: number;
  /** The check is over: the run is stopped. */
  signal: AbortSignal;
}

export interface AttemptOutcome {
  /** Null where the check was stopped before the run ended: that says nothing of the model. */
  attempt: ModelCheckAttempt | null;
  /** The provider's fault that ended the run. */
  fault: { kind: ChatErrorKind; message: string } | null;
}

const INSTRUCTIONS = "Answer the question briefly. Use a tool where the question needs one.";
const MAX_ITERATIONS = 8;
const MAX_CALLS = 16;

/**
 * Lets the model try one scenario once.
 * @throws AppError of the runs, for a provider that is unknown or not configured
 */
export async function runAttempt(ports: AttemptPorts, scenario: CheckScenario, round: number): Promise<AttemptOutcome> {
  const { runs, clock, actor, provider, model, signal } = ports;
  const prepared = scenario.prepare(round);
  const began = clock.elapsed();
  const run = await runs.start({
    settings: {
      ...{ provider, model, instructions: INSTRUCTIONS, tools: { mode: "all" } },
      ...{ maxIterations: MAX_ITERATIONS, maxFunctionCalls: MAX_CALLS },
    },
    text: prepared.text,
    source: "check",
    actor,
    title: `Check: ${scenario.title}, round ${round}`,
    provided: prepared.tools,
  });
  const { outcome, late } = await judgeEnd(run, ports);
  if (signal.aborted && outcome.status !== "succeeded") return { attempt: null, fault: null };
  const reason = late
    ? `The model took longer than ${Math.round(ports.limitMs / 1000)} s and was stopped.`
    : outcome.status === "succeeded"
      ? prepared.judge(outcome)
      : `The run ended as ${outcome.status}: ${outcome.error ?? "no reason was given"}`;
  const attempt = {
    scenario: scenario.id,
    round,
    passed: reason === null,
    reason,
    runId: outcome.id,
    runStatus: outcome.status,
    durationMs: Math.round(clock.elapsed() - began),
  };
  return { attempt, fault: outcome.status === "failed" ? providerFault(outcome.events) : null };
}

async function judgeEnd(
  run: { id: string; ended: Promise<RunOutcome> },
  { runs, limitMs, signal }: AttemptPorts,
): Promise<{ outcome: RunOutcome; late: boolean }> {
  let late = false;
  // The run's own end tells; a stop that fails leaves it to its limits.
  const stop = (): void => void runs.stop(run.id).catch(() => undefined);
  const timer = setTimeout(() => {
    late = true;
    stop();
  }, limitMs);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    const outcome = await run.ended;
    return { outcome, late: late && outcome.status !== "succeeded" };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

function providerFault(events: readonly RunEvent[]): AttemptOutcome["fault"] {
  const failed = events.findLast((event) => event.type === "model_failed");
  return failed?.type === "model_failed" ? { kind: failed.errorKind, message: failed.error } : null;
}
