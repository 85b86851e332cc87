import { setTimeout as wait } from "node:timers/promises";
import { type Command, InvalidArgumentError } from "commander";
import type { EvalComparison, EvalOffering, EvalRunDetail, EvalRunSummary } from "../../lib/contract/eval";
import { MAX_EVAL_ROUNDS } from "../../lib/contract/eval-limits";
import { formatRateInterval } from "../../lib/format/rate-interval";
import { evalOperations } from "../features/suites/suite-eval-operations";
import { type ApiClient, openApi } from "./api-client";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, collect, defineCommand, type ServerOptions } from "./define-command";
import { formatJunit, type JunitSuite } from "./junit";
import { askPatiently } from "./lost-answer";
import { addOperationCommands } from "./operation-commands";
import { formatTable, toLine, toTableStyle, write, writeJson } from "./output";

interface RunOptions extends ServerOptions {
  k: number;
  model?: string[];
  discovery?: boolean;
  minRate: number;
  junit?: boolean;
}

const POLL_MS = 500;

export function addEvalCommands(program: Command, io: CommandIo): void {
  const evals = addOperationCommands(program, evalOperations, io);
  const run = defineCommand(evals, {
    syntax: "run <suite>",
    summary: "Run a suite with one model or several, and print its rates",
    details:
      "Nothing that a model calls is executed. Without --model, the model of the suite's last run is used. Exits with 1 where the rate of " +
      "a model is below --min-rate, or its run did not go to its end.",
    examples: [
      ["toolroom evals run web-shop --model openai/gpt-5.4-mini --k 5", "five times each"],
      ["toolroom evals run web-shop --discovery --min-rate 0.9", "with a search in place of the list of tools"],
      ["toolroom evals run web-shop --junit", "a report for continuous integration"],
    ],
  })
    .option("--k <n>", "how often each question is asked", parseRounds, 3)
    .option("--model <provider/model>", "the model; may be repeated", collect)
    .option("--discovery", "offer search_tools and call_tool in place of the tools")
    .option("--min-rate <rate>", "the least rate of right choices, from 0 to 1", parseRate, 1)
    .option("--junit", "print the results as JUnit XML");
  addServerOptions(run, "print { runs } as GET /api/v1/eval-runs/{id} has each").action(
    (suite: string, options: RunOptions) => runSuite(suite, options, io),
  );

  const compare = defineCommand(evals, {
    syntax: "compare <before> <after>",
    summary: "Compare two runs eval by eval, and exit with 1 where the second is worse by more than chance explains",
    details:
      "The second run is worse where the 95% interval of the difference of the rates (Newcombe) lies below zero. A run that did not go to its end " +
      "exits with 1 too.",
    examples: [
      ["toolroom evals compare evr_7hJ2kQ9w evr_9kL3mR1x", "as a table, the changed evals first"],
      ["toolroom evals compare evr_7hJ2kQ9w evr_9kL3mR1x --json", "the same as JSON"],
    ],
  });
  addServerOptions(compare, "print the comparison as GET /api/v1/eval-runs/{id}/compare has it").action(
    (before: string, after: string, options: ServerOptions) => compareRuns(before, after, options, io),
  );
}

function parseRounds(text: string): number {
  const rounds = Number(text);
  if (Number.isInteger(rounds) && rounds >= 1 && rounds <= MAX_EVAL_ROUNDS) return rounds;
  throw new InvalidArgumentError(`It must be an integer from 1 to ${MAX_EVAL_ROUNDS}.`);
}

async function runSuite(suite: string, options: RunOptions, io: CommandIo): Promise<void> {
  const { json, junit, k, model = [], discovery, minRate, ...choice } = options;
  if (json && junit) throw usageError("Give --json or --junit, not both.");
  const api = await openApi(choice, io);
  const offering: EvalOffering = discovery ? "discovery" : "direct";
  const path = `/evals/${encodeURIComponent(suite)}/runs`;
  const runs: EvalRunDetail[] = [];
  for (const target of model.length > 0 ? model.map(parseModel) : [await findLastModel(api, suite)]) {
    const { id } = await api.send<EvalRunSummary>("POST", path, { ...target, rounds: k, offering });
    runs.push(await waitForEnd(api, id, io));
  }
  if (json) await writeJson(io, JSON.stringify({ runs }));
  else if (junit)
    await write(
      io.stdout,
      formatJunit(
        suite,
        runs.map((run) => toSuite(suite, run)),
      ),
    );
  else {
    await printRuns(runs, io);
    await printReasons(runs, io);
  }
  const failed = runs.filter(({ status, passed, total }) => status !== "finished" || passed < minRate * total);
  if (failed.length === 0) return;
  const [first] = failed;
  const reason = first?.error ?? `${first?.model} passed ${first?.passed} of ${first?.total}`;
  throw new CommandError(EXIT.failed, json || junit ? "" : `Below the least rate of ${minRate}: ${reason}.`);
}

function parseModel(text: string): { provider: string; model: string } {
  const at = text.indexOf("/");
  if (at < 1 || at === text.length - 1) throw usageError(`--model ${text}: write it as provider/model.`);
  return { provider: text.slice(0, at), model: text.slice(at + 1) };
}

async function findLastModel(api: ApiClient, suite: string): Promise<{ provider: string; model: string }> {
  const { items } = await api.get<{ items: EvalRunSummary[] }>("/eval-runs", { suite });
  const [last] = items;
  if (last === undefined) throw usageError(`The suite '${suite}' was never run: choose a --model provider/model.`);
  return { provider: last.provider, model: last.model };
}

/** Ctrl+C cancels it. */
async function waitForEnd(api: ApiClient, id: string, io: CommandIo): Promise<EvalRunDetail> {
  const path = `/eval-runs/${encodeURIComponent(id)}`;
  try {
    for (;;) {
      const run = await askPatiently(() => api.get<EvalRunDetail>(path), io);
      if (run.status !== "running") return run;
      await wait(POLL_MS, undefined, { signal: io.signal });
    }
  } catch (error) {
    if (io.signal.aborted)
      await api.sendText("POST", `${path}/cancel`, "{}", AbortSignal.timeout(3_000)).catch(() => "");
    throw error;
  }
}

const VERDICTS: Record<EvalComparison["verdict"], string> = {
  better: "The second run is better by more than chance explains",
  worse: "The second run is worse by more than chance explains",
  chance: "The difference may be chance; more rounds narrow it",
};

async function compareRuns(
  first: string,
  second: string,
  { json, ...choice }: ServerOptions,
  io: CommandIo,
): Promise<void> {
  const api = await openApi(choice, io);
  const text = await api.getText(`/eval-runs/${encodeURIComponent(second)}/compare`, { before: first });
  const { before, after, verdict, items } = JSON.parse(text) as EvalComparison;
  if (json) await writeJson(io, text);
  else {
    await printRuns([before, after], io);
    const formatSide = (side: (typeof items)[number]["before"]) => (side === null ? "" : `${side.passed}/${side.done}`);
    const rows = items.map((item) => [
      toLine(item.title),
      formatSide(item.before),
      formatSide(item.after),
      item.change === 0 ? "same" : item.change > 0 ? "better" : "worse",
      item.called === null ? "" : toLine(`${item.called.before || "nothing"} → ${item.called.after || "nothing"}`),
    ]);
    await write(io.stdout, formatTable(["EVAL", "FIRST", "SECOND", "CHANGE", "CALLED"], rows, toTableStyle(io)));
    await write(io.stdout, `${VERDICTS[verdict]} (95% interval of the difference).\n`);
  }
  const open = [before, after].find(({ status }) => status !== "finished");
  if (open !== undefined) throw new CommandError(EXIT.failed, json ? "" : `${open.id} is ${open.status}.`);
  if (verdict === "worse") throw new CommandError(EXIT.failed, "");
}

async function printRuns(runs: readonly EvalRunSummary[], io: CommandIo): Promise<void> {
  const rows = runs.map((run) => [
    `${run.provider}/${run.model}`,
    run.offering,
    run.status,
    `${run.passed}/${run.total}`,
    formatRateInterval(run),
    `${run.inputTokens} in, ${run.outputTokens} out${run.cost === null ? "" : `, $${run.cost.toFixed(4)}`}`,
  ]);
  const head = ["MODEL", "TOOLS", "STATUS", "PASSED", "RATE (95%)", "TOKENS"];
  await write(io.stdout, formatTable(head, rows, toTableStyle(io)));
}

async function printReasons(runs: readonly EvalRunDetail[], io: CommandIo): Promise<void> {
  for (const { items, attempts, model } of runs) {
    const titles = new Map(items.map(({ id, title }) => [id, title]));
    for (const { item, round, reason } of attempts) {
      if (reason !== null) await write(io.stdout, `${model} round ${round}: ${titles.get(item) ?? item}: ${reason}\n`);
    }
  }
}

function toSuite(suite: string, { model, offering, items, attempts }: EvalRunDetail): JunitSuite {
  const titles = new Map(items.map(({ id, title }) => [id, title]));
  return {
    name: `${model}, ${offering}`,
    cases: attempts.map(({ item, round, reason, durationMs }) => ({
      name: `${titles.get(item) ?? item} (round ${round})`,
      classname: suite,
      seconds: durationMs / 1000,
      ...(reason === null ? {} : { outcome: { element: "failure", attributes: { message: reason } } }),
    })),
  };
}

/** For an option that sets the minimum share of right answers. */
function parseRate(text: string): number {
  const rate = Number(text);
  if (text.trim() !== "" && rate >= 0 && rate <= 1) return rate;
  throw new InvalidArgumentError("It must be a number from 0 to 1.");
}
