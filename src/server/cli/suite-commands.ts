import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import type { SuiteSummary, TestResult, TestRunDetail } from "../../lib/contract/suite";
import { formatPlural } from "../../lib/format/count";
import { formatDuration } from "../../lib/format/duration";
import { getMessage } from "../../lib/get-message";
import { type ApiClient, openApi } from "./api-client";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, collect, defineCommand, type ServerOptions } from "./define-command";
import { addFilterOptions, type FilterOptions, toFilterQuery } from "./execution-filter";
import { askPatiently } from "./lost-answer";
import { type Color, paint, toLine, toTableStyle, write, writeJson } from "./output";
import { readFileArgument } from "./payload-files";
import { describeTestProblem, formatTestReport } from "./suite-report";

interface TestOptions extends ServerOptions {
  file?: string[];
  junit?: string;
  ask?: boolean;
}

interface ReplayOptions extends ServerOptions, FilterOptions {
  dryRun?: boolean;
  ask?: boolean;
}

/** How long a request may wait for the end of a run. */
const WAIT_MS = 10_000;
const CANCEL_LIMIT_MS = 3_000;
const COLORS: Record<TestResult["status"], Color> = { passed: "green", failed: "red", error: "red", skipped: "yellow" };

export function addTestCommands(program: Command, io: CommandIo): void {
  const test = defineCommand(program, {
    syntax: "test [suites...]",
    summary: "Run test suites, and fail where a test does",
    details:
      "Runs the suites with these names, else all; with --file, those of files, which are not saved. Exits with 1 where a test " +
      "failed or did not run. Tests of tools that need approval do not run unless the suite or --ask says so.",
    examples: [
      ["toolroom test", "every suite"],
      ["toolroom test smoke --junit results.xml", "one suite, with a report"],
      ["toolroom test --file suites.json", "the suites of a file beside the code"],
      ["toolroom test smoke --json", "the runs with their results as JSON"],
    ],
  })
    .option("--file <file>", "run the suites of this file; - reads stdin; may be repeated", collect)
    .option("--junit <file>", "write a report as JUnit XML")
    .option("--ask", "calls that need approval ask for it, and the command waits");
  addServerOptions(test, "print { runs } as GET /api/v1/test-runs/{id} has them").action(
    (suites: string[], options: TestOptions) => testSuites(suites, options, io),
  );
  addSuiteCommands(program, io);
}

function addSuiteCommands(program: Command, io: CommandIo): void {
  const suites = program
    .command("suites")
    .summary("List test suites, and move them between Toolroom and files")
    .description("List test suites, and move them between Toolroom and files.");
  suites.addHelpText("after", "\nExamples:\n  toolroom suites list\n  toolroom suites export > suites.json");

  const list = defineCommand(suites, {
    syntax: "list",
    summary: "List the suites with their last run",
    examples: [
      ["toolroom suites list", "a line for each"],
      ["toolroom suites list --json", "with everything known, as JSON"],
    ],
  });
  addServerOptions(list, "print { items } as GET /api/v1/suites has them").action((options: ServerOptions) =>
    listSuites(options, io),
  );

  const exports = defineCommand(suites, {
    syntax: "export [names...]",
    summary: "Print suites as a file for git: the same suites give the same bytes",
    examples: [
      ["toolroom suites export > suites.json", "all of them"],
      ["toolroom suites export smoke > smoke.json", "one of them"],
    ],
  });
  addServerOptions(exports).action(async (names: string[], options: ServerOptions) => {
    const api = await openApi(options, io);
    await write(io.stdout, await api.getText("/suites/export", { name: names }));
  });

  const imports = defineCommand(suites, {
    syntax: "import <file>",
    summary: "Save the suites of a file: new ones are created, those that differ are replaced",
    examples: [
      ["toolroom suites import suites.json", "what the file does not name stays"],
      ["toolroom suites import - --json", "from stdin; say what changed as JSON"],
    ],
  });
  addServerOptions(imports, "print { created, replaced, same }").action((file: string, options: ServerOptions) =>
    importSuites(file, options, io),
  );
}

export function addReplayCommand(executions: Command, io: CommandIo): void {
  const replay = defineCommand(executions, {
    syntax: "replay-all",
    summary: "Call the current tools with the arguments of recorded calls, and compare",
    details:
      "At most 500 of the newest calls that match. Calls of tools that need approval are left out without --ask. Exits with 1 " +
      "where an outcome differs from the recorded one.",
    examples: [
      ["toolroom executions replay-all --tool get_weather --since 7d --dry-run", "count the calls"],
      ["toolroom executions replay-all --tool get_weather --since 7d", "make and compare them"],
    ],
  });
  addFilterOptions(replay)
    .option("--dry-run", "say what would be called, and call nothing")
    .option("--ask", "calls that need approval ask for it, and the command waits");
  addServerOptions(replay, "print the run as GET /api/v1/test-runs/{id} has it; with --dry-run, the preview").action(
    (options: ReplayOptions) => replayAll(options, io),
  );
}

async function testSuites(names: string[], options: TestOptions, io: CommandIo): Promise<void> {
  const { file: files = [], junit, ask, json, ...choice } = options;
  if (files.length > 0 && names.length > 0) throw usageError("Give names of suites or --file, not both.");
  const api = await openApi(choice, io);
  const starts = files.length > 0 ? await readStarts(files, io) : await listStarts(names, api);
  const runs: TestRunDetail[] = [];
  for (const { path: target, body } of starts) {
    const run = await followRun(
      await api.send<TestRunDetail>("POST", target, { ...body, asksForApproval: ask }),
      api,
      io,
    );
    runs.push(run);
    if (!json) await write(io.stdout, describeRun(run, io));
  }
  if (junit !== undefined) await writeReport(path.resolve(io.cwd, junit), formatTestReport(runs));
  if (json) await writeJson(io, JSON.stringify({ runs }));
  const bad = runs.filter(({ status }) => status !== "passed");
  if (bad.length > 0) throw new CommandError(EXIT.failed, json ? "" : `${formatPlural(bad.length, "suite")} failed.`);
}

interface Start {
  path: string;
  body: object;
}

async function listStarts(names: readonly string[], api: ApiClient): Promise<Start[]> {
  const { items } = names.length > 0 ? { items: names.map((name) => ({ name })) } : await readSuites(api);
  if (items.length === 0) throw new CommandError(EXIT.notFound, "There are no suites.", "Import one, or use --file.");
  return items.map(({ name }) => ({ path: `/suites/${encodeURIComponent(name)}/run`, body: {} }));
}

const readSuites = (api: ApiClient) => api.get<{ items: SuiteSummary[] }>("/suites");

async function readStarts(files: readonly string[], io: CommandIo): Promise<Start[]> {
  const starts: Start[] = [];
  for (const file of files) {
    const { suites } = await readSuiteFile(file, io);
    for (const suite of suites) starts.push({ path: "/test-runs", body: { suite } });
  }
  return starts;
}

/** The server checks the suites. */
async function readSuiteFile(file: string, io: CommandIo): Promise<{ suites: unknown[] }> {
  const text = await readFileArgument(file, io);
  try {
    const value = JSON.parse(text) as { toolroomSuites?: unknown; suites?: unknown } | null;
    if (value?.toolroomSuites === 1 && Array.isArray(value.suites)) return { ...value, suites: value.suites };
  } catch (error) {
    throw usageError(`${file} is not JSON: ${getMessage(error)}.`);
  }
  throw usageError(`${file} is no file of suites.`, "toolroom suites export makes one.");
}

/** Waits for the end; Ctrl+C cancels the run. */
async function followRun(started: TestRunDetail, api: ApiClient, io: CommandIo): Promise<TestRunDetail> {
  let run = started;
  const target = `/test-runs/${encodeURIComponent(run.id)}`;
  try {
    while (run.status === "running") {
      run = await askPatiently(() => api.get<TestRunDetail>(target, { waitMs: WAIT_MS }), io);
    }
    return run;
  } catch (error) {
    if (!io.signal.aborted) throw error;
    const limit = AbortSignal.timeout(CANCEL_LIMIT_MS);
    const cancelling = api.sendText("POST", `${target}/cancel`, "{}", limit).then(
      () => write(io.stderr, `Cancelled ${run.id}.\n`),
      () => write(io.stderr, `${run.id} may go on: cancel it on its page under Tests.\n`),
    );
    io.holdExit(cancelling);
    await cancelling;
    throw error;
  }
}

async function writeReport(file: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    // It has parts of results.
    await writeFile(file, text, { mode: 0o600 });
  } catch (error) {
    throw usageError(`The report cannot be written: ${getMessage(error)}.`);
  }
}

function describeRun(run: TestRunDetail, io: CommandIo): string {
  const { color } = toTableStyle(io);
  const { name, status, passed, total, startedAt, finishedAt, error } = run;
  const took = formatDuration((finishedAt ?? startedAt) - startedAt);
  const head = `${toLine(name)}: ${status}, ${passed} of ${total} passed, ${took}`;
  const shown = color ? paint(head, status === "passed" ? "green" : "red") : head;
  const lines = run.results.flatMap((result) => describeResult(result, color));
  return [shown, ...(error === null ? [] : [`  ${toLine(error)}`]), ...lines, ""].join("\n");
}

function describeResult(
  { name, status, reason, durationMs, problems, executionId }: TestResult,
  color: boolean,
): string[] {
  const word = status.padEnd(7);
  const took = durationMs === null ? "" : `  ${formatDuration(durationMs)}`;
  const line = `  ${color ? paint(word, COLORS[status]) : word}  ${toLine(name)}${took}`;
  const details = problems.flatMap((problem) => [
    `           ${toLine(describeTestProblem(problem))}`,
    ...(problem.expected === null ? [] : [`             expected ${toLine(problem.expected)}`]),
    ...(problem.actual === null ? [] : [`             got      ${toLine(problem.actual)}`]),
  ]);
  const link = status === "passed" || executionId === null ? [] : [`           ${executionId}`];
  return [line, ...(reason === null ? [] : [`           ${toLine(reason)}`]), ...details, ...link];
}

async function listSuites({ json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const text = await api.getText("/suites");
  if (json) return await writeJson(io, text);
  const { items } = JSON.parse(text) as { items: SuiteSummary[] };
  if (items.length === 0) return await write(io.stderr, "No suites. Save an execution as a test in the console.\n");
  const lines = items.map(({ name, testCount, lastRun }) => {
    const last = lastRun === null ? "never run" : `${lastRun.status}, ${lastRun.passed} of ${lastRun.total} passed`;
    return `${name}  ${formatPlural(testCount, "test")}  ${last}\n`;
  });
  await write(io.stdout, lines.join(""));
}

async function importSuites(file: string, { json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const suites = await readSuiteFile(file, io);
  const api = await openApi(choice, io);
  const text = await api.sendText("POST", "/suites/import", JSON.stringify(suites));
  if (json) return await writeJson(io, text);
  const { created, replaced, same } = JSON.parse(text) as Record<"created" | "replaced" | "same", string[]>;
  await write(io.stdout, `${created.length} created, ${replaced.length} replaced, ${same.length} without a change.\n`);
}

async function replayAll(options: ReplayOptions, io: CommandIo): Promise<void> {
  const { user, run, ...query } = toFilterQuery(options, Date.now());
  const choice = { filter: { ...query, actor: user, runId: run } };
  const api = await openApi(options, io);
  const text = await api.sendText("POST", "/test-runs/replay/preview", JSON.stringify(choice));
  const preview = JSON.parse(text) as { count: number; matches: number; needsApproval: { name: string }[] };
  if (options.dryRun) {
    if (options.json) return await writeJson(io, text);
    const asks = preview.needsApproval.map(({ name }) => name).join(", ");
    const note = asks === "" ? "" : ` Approval is needed for ${asks}.`;
    return await write(io.stdout, `${formatPlural(preview.count, "call")} of ${preview.matches} that match.${note}\n`);
  }
  if (preview.count === 0) throw new CommandError(EXIT.notFound, "No matching calls to replay.");
  const body = { ...choice, asksForApproval: options.ask === true };
  const ended = await followRun(await api.send<TestRunDetail>("POST", "/test-runs/replay", body), api, io);
  if (options.json) await writeJson(io, JSON.stringify(ended));
  else await write(io.stdout, describeReplay(ended));
  if (ended.status !== "passed") throw new CommandError(EXIT.failed, "");
}

function describeReplay({ name, passed, failed, errors, skipped, results, error }: TestRunDetail): string {
  const differing = results
    .filter(({ status }) => status === "failed" || status === "error")
    .map(({ originalId, executionId, status, problems }) => {
      const word = status === "error" ? "failed" : "different";
      const [first] = problems;
      const why = first === undefined ? "" : `  ${toLine(describeTestProblem(first))}`;
      return `  ${word.padEnd(9)}  ${originalId ?? ""} → ${executionId ?? ""}${why}\n`;
    });
  const head = `${toLine(name)}: ${passed} same, ${failed} different, ${errors} failed, ${skipped} not called\n`;
  return head + (error === null ? "" : `  ${toLine(error)}\n`) + differing.join("");
}
