import path from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { EvalComparison, EvalOffering, EvalRunDetail, EvalRunSummary } from "../../lib/contract/eval";
import { MAX_EVAL_ROUNDS } from "../../lib/contract/eval-limits";
import type { Suite, SuiteRunDetail } from "../../lib/contract/suite";
import { formatRateInterval } from "../../lib/format/rate-interval";
import { type ApiClient, openApi } from "./api-client";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, collect, defineCommand, type ServerOptions } from "./define-command";
import { followRun } from "./follow-suite-run";
import { formatJunit, type JunitSuite } from "./junit";
import { formatTable, toLine, toTableStyle, write, writeJson } from "./output";
import { testSuites, writeReport } from "./suite-test-run";

interface RunOptions extends ServerOptions {
  k?: number;
  model?: string[];
  discovery?: boolean;
  minRate?: number;
  ask?: boolean;
  /** A file; true for stdout. */
  junit?: string | true;
}

/** Commands of the group `suites` that follow a run to its end, or compare two. */
export function addRunCommands(suites: Command, io: CommandIo): void {
  const run = defineCommand(suites, {
    syntax: "run <suite>",
    summary: "Run a suite to its end: tests, or evals with one model or several",
    details:
      "Exits with 1 where a test failed or did not run, where the rate of a model is below --min-rate, or where a run did not go to its " +
      "end. Of evals nothing that a model calls is executed; without --model, the suite's own model is used, else that of its last run.",
    examples: [
      ["toolroom suites run smoke --junit report.xml", "tests, with a report for continuous integration"],
      ["toolroom suites run web-shop --model openai/gpt-5.4-mini --k 5", "each eval five times"],
      ["toolroom suites run web-shop --discovery --min-rate 0.9", "evals with a search in place of the list of tools"],
    ],
  })
    .option("--k <n>", "of evals: how often each question is asked; default: as the suite says, else 3", parseRounds)
    .option("--model <provider/model>", "of evals: the model; may be repeated", collect)
    .option("--discovery", "of evals: offer search_tools and call_tool in place of the tools")
    .option("--min-rate <rate>", "of evals: the least rate of right choices, from 0 to 1; default 1", parseRate)
    .option("--ask", "of tests: calls that need approval ask for it, and the command waits")
    .option("--junit [file]", "print the results as JUnit XML, or write them to this file");
  addServerOptions(run, "print { runs } as GET /api/v1/suite-runs/{id} has each").action(
    (suite: string, options: RunOptions) => runSuite(suite, options, io),
  );

  const compare = defineCommand(suites, {
    syntax: "compare <before> <after>",
    summary: "Compare two runs of evals, and exit with 1 where the second is worse by more than chance explains",
    details:
      "The second run is worse where the 95% interval of the difference of the rates (Newcombe) lies below zero. A run that did not go to its end " +
      "exits with 1 too.",
    examples: [
      ["toolroom suites compare evr_7hJ2kQ9w evr_9kL3mR1x", "as a table, the changed evals first"],
      ["toolroom suites compare evr_7hJ2kQ9w evr_9kL3mR1x --json", "the same as JSON"],
    ],
  });
  addServerOptions(compare, "print the comparison as GET /api/v1/suite-runs/{id}/compare has it").action(
    (before: string, after: string, options: ServerOptions) => compareRuns(before, after, options, io),
  );
}

function parseRounds(text: string): number {
  const rounds = Number(text);
  if (Number.isInteger(rounds) && rounds >= 1 && rounds <= MAX_EVAL_ROUNDS) return rounds;
  throw new InvalidArgumentError(`It must be an integer from 1 to ${MAX_EVAL_ROUNDS}.`);
}

async function runSuite(name: string, options: RunOptions, io: CommandIo): Promise<void> {
  const { json, junit, ask, k, model, discovery, minRate, ...choice } = options;
  if (json && junit === true) throw usageError("Give --json or --junit, not both.");
  const api = await openApi(choice, io);
  const { kind } = await api.get<Suite>(`/suites/${encodeURIComponent(name)}`);
  if (kind === "evals") {
    if (ask) throw usageError("--ask is for suites of tests: evals call no tool.");
    return await runEvals(name, options, { api, io });
  }
  const unused = Object.entries({ k, model, discovery, "min-rate": minRate }).find(([, value]) => value !== undefined);
  if (unused !== undefined) throw usageError(`--${unused[0]} is for suites of evals: ${name} has tests.`);
  await testSuites([name], { ...choice, json, junit, ask }, io);
}

async function runEvals(
  suite: string,
  { json, junit, k, model = [], discovery, minRate = 1 }: RunOptions,
  { api, io }: { api: ApiClient; io: CommandIo },
): Promise<void> {
  const offering: EvalOffering | undefined = discovery ? "discovery" : undefined;
  const runs: EvalRunDetail[] = [];
  for (const target of model.length > 0 ? model.map(parseModel) : [{}]) {
    const body = { ...target, rounds: k, offering };
    const started = await api.send<SuiteRunDetail>("POST", `/suites/${encodeURIComponent(suite)}/run`, body);
    const ended = await followRun(started, api, io);
    if (ended.kind === "evals") runs.push(ended);
  }
  if (json) await writeJson(io, JSON.stringify({ runs }));
  else if (junit !== true) {
    await printRuns(runs, io);
    await printReasons(runs, io);
  }
  if (junit !== undefined) {
    const report = formatJunit(
      suite,
      runs.map((run) => toSuite(suite, run)),
    );
    if (junit === true) await write(io.stdout, report);
    else await writeReport(path.resolve(io.cwd, junit), report);
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
  const text = await api.getText(`/suite-runs/${encodeURIComponent(second)}/compare`, { before: first });
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
