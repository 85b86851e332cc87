import { LOCAL_OWNER } from "../../src/lib/contract/actor";
import type { EvalAttempt } from "../../src/lib/contract/eval";
import { TOOL_USE_SUITE } from "../../src/lib/contract/eval-limits";
import type { JsonObject } from "../../src/lib/contract/json";
import { getMessage } from "../../src/lib/get-message";
import type { EvalRunStore } from "../../src/server/features/evals/eval-run-store";
import { CHECK_SCENARIOS } from "../../src/server/features/evals/scenarios/check-scenarios";
import { triedCalls } from "../../src/server/features/evals/scenarios/read-run";
import type { CheckScenario } from "../../src/server/features/evals/scenarios/scenario";
import { sumUsage } from "../../src/server/features/evals/try-scenario";
import type { RunStore } from "../../src/server/features/runs/run-store";
import { toSums } from "./agent-evals";
import type { PastThing } from "./agent-plan";
import type { RunWriter } from "./agent-runs";
import { GPT_MINI, type ModelName, QWEN } from "./agent-tools";
import { createRandom, type Random } from "./random";
import type { PastCall, PastRun, PastStep } from "./read-stories";
import { DAY_MS } from "./week-plan";

interface CheckPorts {
  evalRuns: EvalRunStore;
  runs: RunStore;
  runWriter: RunWriter;
}

interface CheckedModel {
  model: ModelName;
  /** Scenarios that it gets wrong. */
  wrong: readonly string[];
  stepMs: number;
  daysAgo: number;
}

const ROUNDS = 2;
const INSTRUCTIONS = "Answer the question briefly. Use a tool where the question needs one.";
const PAUSE_MS = 240;
const MAX_STEPS = 6;

const CHECKED: readonly CheckedModel[] = [
  { model: QWEN, wrong: ["parallel_calls", "chain", "error_recovered"], stepMs: 3600, daysAgo: 3 },
  { model: GPT_MINI, wrong: [], stepMs: 940, daysAgo: 2 },
];

/** Runs of the built-in suite with two models: its own tools, judged by its own rules. */
export function planChecks(ports: CheckPorts, today: number): PastThing[] {
  return CHECKED.map((checked) => {
    const random = createRandom(today + checked.stepMs);
    const at = today - checked.daysAgo * DAY_MS + random.int(30_000_000, 40_000_000);
    return { kind: "check", at, write: () => writeCheck(ports, checked, at, random) };
  });
}

async function writeCheck(ports: CheckPorts, checked: CheckedModel, startedAt: number, random: Random) {
  const { evalRuns, runs, runWriter } = ports;
  const { provider, model } = checked.model;
  if ((await evalRuns.list({ suite: TOOL_USE_SUITE, provider, model, limit: 1 })).items.length > 0) return false;
  const id = `evalrun_${random.letters(16)}`;
  const total = CHECK_SCENARIOS.length * ROUNDS;
  const suite = { suite: TOOL_USE_SUITE, offering: "direct" as const, edited: null, items: null };
  await evalRuns.create({ ...suite, id, provider, model, rounds: ROUNDS, startedAt, total });
  const attempts: EvalAttempt[] = [];
  let at = startedAt;
  for (const scenario of CHECK_SCENARIOS) {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const past = await planAttempt(scenario, round, checked, at, random);
      await runWriter.write(past);
      const events = await runs.events(past.id);
      const text = past.turns[0]?.steps.at(-1)?.text ?? "";
      const reason = scenario.prepare(round).judge({ events, text });
      const durationMs = (events.at(-1)?.at ?? at) - at;
      const run = { runId: past.id, runStatus: "succeeded" as const };
      const { inputTokens, outputTokens } = sumUsage(events);
      const called = triedCalls(events).map(({ name }) => name);
      const base = { item: scenario.id, round, passed: reason === null, reason, called };
      attempts.push({ ...base, durationMs, inputTokens, outputTokens, ...run });
      at += durationMs + PAUSE_MS;
    }
  }
  await evalRuns.keepAttempts(id, attempts, toSums(attempts, checked.model));
  await evalRuns.finish(id, { status: "finished", finishedAt: at, error: null });
  return true;
}

/** Plans one round of the model: its responses, and the results that the check's tools return. */
async function planAttempt(
  scenario: CheckScenario,
  round: number,
  { model, wrong, stepMs }: CheckedModel,
  at: number,
  random: Random,
): Promise<PastRun> {
  const { text, tools } = scenario.prepare(round);
  const right = !wrong.includes(scenario.id) || (round === 2 && scenario.id === "chain");
  const steps: PastStep[] = [];
  const made: PastCall[] = [];
  while (steps.length < MAX_STEPS) {
    const response = nextResponse(scenario.id, text, made, right);
    const step: PastStep = { ms: Math.round(stepMs * (0.8 + random.next() * 0.5)), text: "", notices: [], calls: [] };
    steps.push(step);
    if (typeof response === "string") {
      step.text = response;
      break;
    }
    for (const [name, args] of response) {
      const tool = tools.find(({ definition }) => definition.name === name);
      if (tool === undefined) throw new Error(`${scenario.id} has no tool ${name}`);
      const call: PastCall = { tool: name, args, ms: 0.2, provided: tool.definition };
      try {
        call.result = await tool.run(args, { signal: new AbortController().signal, logger: SILENT });
      } catch (error) {
        call.error = { kind: "tool_error", message: getMessage(error) };
      }
      step.calls.push(call);
      made.push(call);
    }
  }
  return {
    id: `run_${random.letters(16)}`,
    at,
    source: "check",
    actor: LOCAL_OWNER,
    title: `Eval: ${scenario.title}, round ${round}`,
    settings: { ...model, instructions: INSTRUCTIONS, tools: { mode: "all" }, maxIterations: 8, maxFunctionCalls: 16 },
    turns: [{ text, pauseMs: 0, steps, end: { status: "succeeded", error: null } }],
  };
}

const ignore = (): void => undefined;
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** The model's next calls, or its last text. One that gets the scenario wrong does what weak models do. */
function nextResponse(
  scenario: string,
  question: string,
  made: readonly PastCall[],
  right: boolean,
): [tool: string, args: JsonObject][] | string {
  const last = made.at(-1);
  const said = last === undefined ? "" : describeAnswer(last);
  const find = (pattern: RegExp, text = said): string => pattern.exec(text)?.[1] ?? "";
  switch (scenario) {
    case "no_tool":
      return "Paris";
    case "large_result": {
      const invoice = find(/(INV-\w+)/, question);
      return last ? `It is ${find(new RegExp(`${invoice}\\s+amount (\\d+)`))}.` : [["check_read_ledger", {}]];
    }
    case "wrong_enum":
      // The schema refuses the first unit.
      if (made.length === 2) return `The thermometer reads ${find(/"reading":(\d+)/)} °C.`;
      return [["check_read_thermometer", { unit: last === undefined ? "C" : "celsius" }]];
    case "chain":
      if (last === undefined) return [["check_find_order", { customer: "Ada Lovelace" }]];
      if (!right) return "I found the order, but I cannot see its dock.";
      if (made.length === 2) return `It waits at dock ${find(/"dock":(\d+)/)}.`;
      return [["check_get_delivery", { orderId: find(/"orderId":"(.+?)"/) }]];
    case "error_recovered":
      if (last === undefined) return [["check_get_report", { month: "May" }]];
      if (last.error === undefined) return `The total is ${find(/"total":(\d+)/)}.`;
      return right ? [["check_get_report", { month: "May", confirm: find(/"(\w+)"/) }]] : "The report is locked.";
    default: {
      const cities = scenario === "parallel_calls" ? ["Oslo", "Lima"] : ["Oslo"];
      // A weak model asks for one city after the other.
      const next = cities.slice(made.length, right ? undefined : made.length + 1);
      if (next.length > 0) return next.map((city) => ["check_get_reading", { city }]);
      return cities.map((city, at) => `${city}: ${/"reading":(\d+)/.exec(describeAnswer(made[at]))?.[1]}`).join(", ");
    }
  }
}

function describeAnswer(call: PastCall | undefined): string {
  return call?.error?.message ?? (typeof call?.result === "string" ? call.result : JSON.stringify(call?.result ?? ""));
}
