import {
  type FunctionResultContent,
  type JsonObject,
  LOCAL_OWNER,
  type ModelCheckAttempt,
} from "../../src/lib/contract";
import { messageOf } from "../../src/lib/message-of";
import type { ModelCheckStore } from "../../src/server/features/model-checks/model-check-store";
import { CHECK_SCENARIOS } from "../../src/server/features/model-checks/scenarios/check-scenarios";
import type { CheckScenario } from "../../src/server/features/model-checks/scenarios/scenario";
import type { RunStore } from "../../src/server/features/runs/run-store";
import { type PastThing, type PlannedRun, type PlannedStep, type PlannedToolCall, turn } from "./agent-plan";
import type { createRunWriter } from "./agent-runs";
import { GPT_MINI, type ModelName, QWEN } from "./agent-tools";
import { createRandom, type Random } from "./random";

interface CheckPorts {
  checks: ModelCheckStore;
  runs: RunStore;
  writer: ReturnType<typeof createRunWriter>;
  instanceId: string;
}

/** Which scenarios a model gets wrong, and how slow it is. */
interface Checked {
  model: ModelName;
  wrong: readonly string[];
  stepMs: number;
  agoMs: number;
}

const ROUNDS = 2;
const INSTRUCTIONS = "Answer the question briefly. Use a tool where the question needs one.";
const PAUSE_MS = 240;
const MAX_STEPS = 6;

const CHECKED: readonly Checked[] = [
  { model: QWEN, wrong: ["parallel_calls", "chain", "error_recovered"], stepMs: 3600, agoMs: 3 * 86_400_000 },
  { model: GPT_MINI, wrong: [], stepMs: 940, agoMs: 2 * 86_400_000 },
];

/** Checks of two models, whose runs use the check's own tools and are judged by its own rules. */
export function planChecks(ports: CheckPorts, today: number): PastThing[] {
  return CHECKED.map((checked) => {
    const random = createRandom(today + checked.stepMs);
    const at = today - checked.agoMs + random.int(30_000_000, 40_000_000);
    return { kind: "check", at, write: () => writeCheck(ports, checked, at, random) };
  });
}

async function writeCheck(ports: CheckPorts, checked: Checked, startedAt: number, random: Random): Promise<boolean> {
  const { checks, instanceId } = ports;
  const { provider, model } = checked.model;
  if ((await checks.list({ provider, model, limit: 1 })).items.length > 0) return false;
  const id = `check_${random.letters(16)}`;
  const total = CHECK_SCENARIOS.length * ROUNDS;
  await checks.create({ id, provider, model, rounds: ROUNDS, startedAt, total, instanceId });
  const { attempts, at } = await tryAll(ports, checked, startedAt, random);
  await checks.keepAttempts(id, attempts);
  await checks.finish(id, { status: "finished", finishedAt: at, error: null });
  return true;
}

async function tryAll({ runs, writer }: CheckPorts, checked: Checked, startedAt: number, random: Random) {
  const attempts: ModelCheckAttempt[] = [];
  let at = startedAt;
  for (const scenario of CHECK_SCENARIOS) {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const right = !checked.wrong.includes(scenario.id) || (round === 2 && scenario.id === "chain");
      const plan = await planAttempt(scenario, round, right, { ...checked, at, random });
      await writer.write(plan);
      const events = await runs.events(plan.id);
      const last = plan.turns[0]?.steps.at(-1);
      const reason = scenario.prepare(round).judge({ events, text: last?.text ?? "" });
      const durationMs = (events.at(-1)?.at ?? at) - at;
      attempts.push({
        ...{ scenario: scenario.id, round, passed: reason === null, reason, durationMs },
        ...{ runId: plan.id, runStatus: "succeeded" },
      });
      at += durationMs + PAUSE_MS;
    }
  }
  return { attempts, at };
}

async function planAttempt(
  scenario: CheckScenario,
  round: number,
  right: boolean,
  { model, stepMs, at, random }: { model: ModelName; stepMs: number; at: number; random: Random },
): Promise<PlannedRun> {
  const { text, tools } = scenario.prepare(round);
  const steps: PlannedStep[] = [];
  const results: FunctionResultContent[] = [];
  while (steps.length < MAX_STEPS) {
    const move = nextMove(scenario.id, text, results, right);
    const ms = Math.round(stepMs * (0.8 + random.next() * 0.5));
    if (typeof move === "string") {
      steps.push({ ms, text: move });
      break;
    }
    const calls: PlannedToolCall[] = [];
    for (const [tool, args] of move) {
      const provided = tools.find(({ definition }) => definition.name === tool);
      if (provided === undefined) throw new Error(`${scenario.id} has no tool ${tool}`);
      const common = { tool, args, ms: 0.2, provided: provided.definition };
      const answer = { type: "function_result", callId: "", name: tool } as const;
      try {
        if (args.unit === "C") throw new Error("refused by its schema");
        const result = await provided.run(args, { signal: new AbortController().signal, logger: SILENT });
        calls.push({ ...common, result });
        results.push({ ...answer, result });
      } catch (error) {
        const message = messageOf(error);
        calls.push({ ...common, error: { kind: "tool_error", message } });
        results.push({ ...answer, exception: { kind: "tool_error", message } });
      }
    }
    steps.push({ ms, calls });
  }
  return {
    ...{ id: `run_${random.letters(16)}`, at, source: "check", actor: LOCAL_OWNER },
    title: `Check: ${scenario.title}, round ${round}`,
    settings: { ...model, instructions: INSTRUCTIONS, tools: { mode: "all" }, maxIterations: 8, maxFunctionCalls: 16 },
    turns: [turn(text, steps)],
  };
}

const ignore = (): void => undefined;
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** What a model says next: calls, or its last words. One that gets it wrong does what weak models do. */
function nextMove(
  scenario: string,
  question: string,
  results: readonly FunctionResultContent[],
  right: boolean,
): [tool: string, args: JsonObject][] | string {
  const last = results.at(-1);
  const said = last?.result ?? last?.exception?.message ?? "";
  const read = (pattern: RegExp, text = said): string => pattern.exec(text)?.[1] ?? "";
  switch (scenario) {
    case "no_tool":
      return "Paris";
    case "large_result": {
      const invoice = read(/(INV-\w+)/, question);
      return last ? `It is ${read(new RegExp(`${invoice}\\s+amount (\\d+)`))}.` : [["check_read_ledger", {}]];
    }
    case "wrong_enum":
      if (last?.result !== undefined) return `The thermometer reads ${read(/"reading":(\d+)/)} °C.`;
      return [["check_read_thermometer", { unit: last === undefined ? "C" : "celsius" }]];
    case "chain":
      if (last === undefined) return [["check_find_order", { customer: "Ada Lovelace" }]];
      if (!right) return "I found the order, but I cannot see its dock.";
      return results.length === 1
        ? [["check_get_delivery", { orderId: read(/"orderId":"(.+?)"/) }]]
        : `It waits at dock ${read(/"dock":(\d+)/)}.`;
    case "error_recovered":
      if (last === undefined) return [["check_get_report", { month: "May" }]];
      if (last.exception === undefined) return `The total is ${read(/"total":(\d+)/)}.`;
      return right ? [["check_get_report", { month: "May", confirm: read(/"(\w+)"/) }]] : "The report is locked.";
    default:
      return readings(scenario === "parallel_calls" ? ["Oslo", "Lima"] : ["Oslo"], results, right);
  }
}

function readings(cities: readonly string[], results: readonly FunctionResultContent[], right: boolean) {
  const asked = cities.map((city): [string, JsonObject] => ["check_get_reading", { city }]);
  const wanted = right
    ? asked.slice(results.length > 0 ? asked.length : 0)
    : asked.slice(results.length, results.length + 1);
  if (wanted.length > 0) return wanted;
  return results.map(({ result = "" }, at) => `${cities[at]}: ${/"reading":(\d+)/.exec(result)?.[1]}`).join(", ");
}
