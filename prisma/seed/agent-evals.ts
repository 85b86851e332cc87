import { LOCAL_OWNER } from "../../src/lib/contract/actor";
import { type Eval, type EvalAttempt, type EvalOffering, evalInputSchema } from "../../src/lib/contract/eval";
import { computeCost } from "../../src/lib/run/usage";
import { checkDecision } from "../../src/server/features/suites/suite-selection";
import type { EvalRunSums, SuiteStore } from "../../src/server/features/suites/suite-store";
import type { PastThing } from "./agent-plan";
import { findPrice, GPT_MINI, type ModelName, QWEN } from "./agent-tools";
import { createRandom } from "./random";
import type { Services } from "./seed-context";
import { DAY_MS } from "./week-plan";

const SUITE = "web-shop";
const ROUNDS = 3;

/** Questions, the tool that is right, and the one that weak models call. */
const QUESTIONS: readonly (readonly [question: string, expected: string | null, tempting: string])[] = [
  ["What did Ada Lovelace buy last month?", "list_orders", "find_customer"],
  ["Who has the address ada@example.org?", "find_customer", "send_email"],
  ["How do I return a lamp that arrived broken?", "search_docs", "create_ticket"],
  ["The parcel of customer 4711 is lost. A person has to look into it.", "create_ticket", "search_docs"],
  ["Write to Grace that her parcel is on its way.", "send_email", "find_customer"],
  ["How many lamps did the shop sell in March?", "query_warehouse", "list_orders"],
  ["Give Ada her money back for order 1207, the whole sum.", "refund_order", "list_orders"],
  ["Thank you, that is all for today.", null, "search_docs"],
];

const PAST_RUNS: readonly { model: ModelName; offering: EvalOffering; daysAgo: number; wrong: readonly number[] }[] = [
  { model: QWEN, offering: "direct", daysAgo: 3, wrong: [0, 2, 5, 7] },
  { model: GPT_MINI, offering: "direct", daysAgo: 2, wrong: [5] },
  { model: GPT_MINI, offering: "discovery", daysAgo: 1, wrong: [2, 5] },
];

/** The evals of the web shop, which are added once. */
export async function addEvals({ suites, api }: Services): Promise<Eval[]> {
  const known = await suites.evals(SUITE);
  if (known.length > 0) return known;
  const added: Eval[] = [];
  for (const [question, expected] of QUESTIONS) {
    const forbidden = expected === "refund_order" ? [] : ["refund_order"];
    const input = { suite: SUITE, question, expected: expected === null ? [] : [expected], forbidden };
    added.push(await api.suites.addEval(evalInputSchema.parse(input)));
  }
  return added;
}

/** Runs of the suite with two models, directly and by discovery. */
export function planEvalRuns(store: SuiteStore, evals: readonly Eval[], today: number): PastThing[] {
  return PAST_RUNS.map((past, position) => {
    const at = today - past.daysAgo * DAY_MS + 45_000_000;
    return { kind: "check", at, write: () => writeRun(store, evals, { ...past, at, position }) };
  });
}

async function writeRun(
  store: SuiteStore,
  evals: readonly Eval[],
  { model, offering, wrong, at, position }: (typeof PAST_RUNS)[number] & { at: number; position: number },
): Promise<boolean> {
  const suiteId = (await store.findSuite(SUITE))?.id ?? null;
  const known = await store.runs({ name: SUITE, ...model, limit: 10 });
  if (known.items.some((run) => run.kind === "evals" && run.offering === offering)) return false;
  const random = createRandom(at + position);
  const id = `evalrun_${random.letters(16)}`;
  const items = evals.map((each) => ({
    id: each.id,
    title: each.question,
    expected: each.expected,
    description: each.expected[0] ?? "No call",
  }));
  const facts = { name: SUITE, suiteId, ...model, offering, edited: null, rounds: ROUNDS, startedAt: at };
  await store.createEvalRun({
    ...facts,
    trigger: "manual",
    actor: LOCAL_OWNER,
    id,
    total: evals.length * ROUNDS,
    items,
  });
  const attempts = evals.flatMap((each, index) =>
    Array.from({ length: ROUNDS }, (_, round): EvalAttempt => {
      const isWrong = wrong.includes(index) && random.next() < 0.8;
      const right = each.expected;
      const tempting = QUESTIONS.find(([question]) => question === each.question)?.[2] ?? "search_docs";
      const called = isWrong ? [tempting] : right;
      const searches = offering === "discovery" ? 1 : 0;
      const reason = checkDecision(each, { called, searches }, offering);
      return {
        item: each.id,
        round: round + 1,
        passed: reason === null,
        reason,
        called,
        runId: null,
        runStatus: null,
        durationMs: random.int(700, 2400) * (searches + 1),
        // A search is a second request, but the list of tools is not sent.
        inputTokens: offering === "discovery" ? random.int(640, 760) : random.int(910, 960),
        outputTokens: random.int(20, 60) * (searches + 1),
      };
    }),
  );
  await store.keepAttempts(id, attempts, toSums(attempts, model));
  const finishedAt = at + attempts.reduce((sum, { durationMs }) => sum + durationMs, 0) / 3;
  await store.finishRun(id, { status: "finished", finishedAt: Math.round(finishedAt), error: null });
  return true;
}

/** Tokens and cost of attempts. */
function toSums(attempts: readonly EvalAttempt[], { provider, model }: ModelName): EvalRunSums {
  const sum = (key: "inputTokens" | "outputTokens"): number => attempts.reduce((total, each) => total + each[key], 0);
  const usage = { inputTokens: sum("inputTokens"), outputTokens: sum("outputTokens") };
  const price = findPrice(provider, model);
  return { ...usage, cost: price === null ? null : computeCost(usage, price) };
}
