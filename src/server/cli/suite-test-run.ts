import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { SuiteKind, SuiteRunDetail, SuiteSummary, TestResult, TestRunDetail } from "../../lib/contract/suite";
import { formatPlural } from "../../lib/format/count";
import { formatDuration } from "../../lib/format/duration";
import { getMessage } from "../../lib/get-message";
import { type ApiClient, openApi } from "./api-client";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import type { ServerOptions } from "./define-command";
import { followRun } from "./follow-suite-run";
import { type Color, paint, toLine, toTableStyle, write, writeJson } from "./output";
import { readFileArgument } from "./payload-files";
import { describeTestProblem, formatTestReport } from "./suite-report";

export interface TestOptions extends Omit<ServerOptions, "json"> {
  file?: string[];
  json?: boolean | undefined;
  /** A file; true for stdout. */
  junit?: string | true | undefined;
  ask?: boolean | undefined;
}

const COLORS: Record<TestResult["status"], Color> = { passed: "green", failed: "red", error: "red", skipped: "yellow" };

export async function testSuites(names: string[], options: TestOptions, io: CommandIo): Promise<void> {
  const { file: files = [], junit, ask, json, ...choice } = options;
  if (files.length > 0 && names.length > 0) throw usageError("Give names of suites or --file, not both.");
  const api = await openApi(choice, io);
  const starts = files.length > 0 ? await readStarts(files, io) : await listStarts(names, api);
  const runs: TestRunDetail[] = [];
  for (const { path: target, body } of starts) {
    const run = await followTests(
      await api.send<SuiteRunDetail>("POST", target, { ...body, asksForApproval: ask }),
      api,
      io,
    );
    runs.push(run);
    if (!json && junit !== true) await write(io.stdout, describeRun(run, io));
  }
  if (junit === true) await write(io.stdout, formatTestReport(runs));
  else if (junit !== undefined) await writeReport(path.resolve(io.cwd, junit), formatTestReport(runs));
  if (json) await writeJson(io, JSON.stringify({ runs }));
  const bad = runs.filter(({ status }) => status !== "passed");
  if (bad.length > 0) throw new CommandError(EXIT.failed, json ? "" : `${formatPlural(bad.length, "suite")} failed.`);
}

interface Start {
  path: string;
  body: object;
}

async function listStarts(names: readonly string[], api: ApiClient): Promise<Start[]> {
  const chosen = names.length > 0 ? names : await listNames(api, "tests");
  if (chosen.length === 0) throw new CommandError(EXIT.notFound, "There are no suites.", "Import one, or use --file.");
  const evals = names.length > 0 ? await listNames(api, "evals") : [];
  const other = names.find((name) => evals.includes(name));
  if (other !== undefined) throw usageError(`${other} is a suite of evals.`, `Use: toolroom suites run ${other}`);
  return chosen.map((name) => ({ path: `/suites/${encodeURIComponent(name)}/run`, body: {} }));
}

async function listNames(api: ApiClient, kind: SuiteKind): Promise<string[]> {
  const { items } = await api.get<{ items: SuiteSummary[] }>("/suites", { kind });
  return items.map(({ name }) => name);
}

async function readStarts(files: readonly string[], io: CommandIo): Promise<Start[]> {
  const starts: Start[] = [];
  for (const file of files) {
    const { suites } = await readSuiteFile(file, io);
    for (const suite of suites) starts.push({ path: "/suite-runs", body: { suite } });
  }
  return starts;
}

/** The server checks the suites. */
export async function readSuiteFile(file: string, io: CommandIo): Promise<{ suites: unknown[] }> {
  const text = await readFileArgument(file, io);
  try {
    const value = JSON.parse(text) as { toolroomSuites?: unknown; suites?: unknown } | null;
    if (value?.toolroomSuites === 1 && Array.isArray(value.suites)) return { ...value, suites: value.suites };
  } catch (error) {
    throw usageError(`${file} is not JSON: ${getMessage(error)}.`);
  }
  throw usageError(`${file} is no file of suites.`, "toolroom suites export makes one.");
}

export async function followTests(started: SuiteRunDetail, api: ApiClient, io: CommandIo): Promise<TestRunDetail> {
  const run = await followRun(started, api, io);
  if (run.kind === "evals") throw usageError(`${run.name} has become a suite of evals.`);
  return run;
}

export async function writeReport(file: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    // The file contains parts of results, so only the user may read it.
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
