import type { ChatUsage } from "../../../lib/contract/chat";
import type { RunEvent } from "../../../lib/contract/run";
import { addUsage, countUsage } from "../../../lib/run/usage";
import type { RunOutcome, RunStarter } from "../../engine/agent/run-starter";
import type { Clock } from "../../engine/ports";
import type { AttemptOutcome, AttemptRequest, EvalTask } from "./eval-attempt";
import { triedCalls } from "./scenarios/read-run";
import type { CheckScenario } from "./scenarios/scenario";

export interface ScenarioPorts {
  runs: RunStarter;
  clock: Clock;
}

const INSTRUCTIONS = "Answer the question briefly. Use a tool where the question needs one.";
const MAX_ITERATIONS = 8;
const MAX_CALLS = 16;

/** A scenario of the built-in suite: each attempt is a run, with the scenario's own tools. */
export function toScenarioTask(ports: ScenarioPorts, scenario: CheckScenario): EvalTask {
  return { id: scenario.id, attempt: (request) => tryScenario(ports, scenario, request) };
}

async function tryScenario(
  { runs, clock }: ScenarioPorts,
  scenario: CheckScenario,
  { actor, provider, model, round, limitMs, signal }: AttemptRequest,
): Promise<AttemptOutcome> {
  const prepared = scenario.prepare(round);
  const began = clock.elapsed();
  const run = await runs.start({
    settings: {
      provider,
      model,
      instructions: INSTRUCTIONS,
      tools: { mode: "all" },
      maxIterations: MAX_ITERATIONS,
      maxFunctionCalls: MAX_CALLS,
    },
    text: prepared.text,
    source: "check",
    actor,
    title: `Eval: ${scenario.title}, round ${round}`,
    provided: prepared.tools,
  });
  const { outcome, late } = await judgeEnd(run, runs, { limitMs, signal });
  const usage = sumUsage(outcome.events);
  if (signal.aborted && outcome.status !== "succeeded") return { attempt: null, usage, fault: null };
  const reason = late
    ? `The model took longer than ${Math.round(limitMs / 1000)} s and was stopped.`
    : outcome.status === "succeeded"
      ? prepared.judge(outcome)
      : `The run ended as ${outcome.status}: ${outcome.error ?? "no reason was given"}`;
  const attempt = {
    item: scenario.id,
    round,
    passed: reason === null,
    reason,
    called: triedCalls(outcome.events).map(({ name }) => name),
    runId: outcome.id,
    runStatus: outcome.status,
    durationMs: Math.round(clock.elapsed() - began),
  };
  return { attempt, usage, fault: outcome.status === "failed" ? providerFault(outcome.events) : null };
}

async function judgeEnd(
  run: { id: string; ended: Promise<RunOutcome> },
  runs: RunStarter,
  { limitMs, signal }: Pick<AttemptRequest, "limitMs" | "signal">,
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

/** The tokens of a run. */
export function sumUsage(events: readonly RunEvent[]): ChatUsage {
  return events.reduce<ChatUsage>(
    (sum, event) =>
      event.type === "model_finished" && event.usage !== undefined ? addUsage(sum, countUsage(event.usage)) : sum,
    { inputTokens: 0, outputTokens: 0 },
  );
}

function providerFault(events: readonly RunEvent[]): AttemptOutcome["fault"] {
  const failed = events.findLast((event) => event.type === "model_failed");
  return failed?.type === "model_failed" ? { kind: failed.errorKind, message: failed.error } : null;
}
