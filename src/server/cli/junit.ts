import { describeProblem } from "../../lib/contract/problem";
import type { TestProblem, TestResult, TestRunDetail } from "../../lib/contract/test-suite";
import { stripControlCharacters } from "../../lib/strip-control-characters";

/** Runs of suites as JUnit XML, which systems of continuous integration read. */
export function toJunit(runs: readonly TestRunDetail[]): string {
  const sum = (count: (run: TestRunDetail) => number): number => runs.reduce((all, run) => all + count(run), 0);
  const totals = {
    tests: sum(({ total }) => total),
    failures: sum(({ failed }) => failed),
    errors: sum((run) => run.errors + (isBroken(run) ? 1 : 0)),
    skipped: sum(({ skipped }) => skipped),
  };
  const body = runs.map(toSuite).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="Toolroom"${toAttributes(totals)}>\n${body}</testsuites>\n`;
}

/** It ended without results for all of its tests. */
const isBroken = ({ error, results, total }: TestRunDetail): boolean => error !== null || results.length < total;

function toSuite(run: TestRunDetail): string {
  const { name, total, failed, errors, skipped, startedAt, finishedAt, error, status } = run;
  const broken = isBroken(run);
  const attributes = toAttributes({
    ...{ name, tests: total, failures: failed, errors: errors + (broken ? 1 : 0), skipped },
    ...{ timestamp: new Date(startedAt).toISOString(), time: toSeconds((finishedAt ?? startedAt) - startedAt) },
  });
  const cases = run.results.map((result) => toCase(name, result)).join("");
  const end = broken ? `    <system-err>${escapeXml(error ?? `The run is ${status}`)}</system-err>\n` : "";
  return `  <testsuite${attributes}>\n${cases}${end}  </testsuite>\n`;
}

function toCase(suite: string, { name, tool, status, reason, durationMs, problems, executionId }: TestResult): string {
  const attributes = toAttributes({ name, classname: `${suite}.${tool}`, time: toSeconds(durationMs ?? 0) });
  if (status === "passed") return `    <testcase${attributes}/>\n`;
  if (status === "skipped") {
    return `    <testcase${attributes}><skipped${toAttributes({ message: reason ?? "" })}/></testcase>\n`;
  }
  const element = status === "error" ? "error" : "failure";
  const [first] = problems;
  const message = first === undefined ? status : describeTestProblem(first);
  const lines = [...problems.map(describeWhole), ...(executionId === null ? [] : [`execution ${executionId}`])];
  const text = escapeXml(lines.join("\n"));
  return `    <testcase${attributes}><${element}${toAttributes({ message })}>${text}</${element}></testcase>\n`;
}

export const describeTestProblem = ({ path, message }: TestProblem): string => describeProblem({ path, message });

function describeWhole(problem: TestProblem): string {
  const { expected, actual } = problem;
  const values = [expected === null ? "" : `expected ${expected}`, actual === null ? "" : `got ${actual}`];
  return [`${problem.assertion}: ${describeTestProblem(problem)}`, ...values.filter(Boolean)].join("\n  ");
}

const toSeconds = (ms: number): string => (ms / 1_000).toFixed(3);

function toAttributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll("\n", "&#10;")}"`)
    .join("");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Characters that XML cannot hold are left out. */
function escapeXml(text: string): string {
  return stripControlCharacters(text)
    .replace(
      /[\u{fffe}\u{ffff}]|[\u{d800}-\u{dbff}](?![\u{dc00}-\u{dfff}])|(?<![\u{d800}-\u{dbff}])[\u{dc00}-\u{dfff}]/gu,
      "",
    )
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? "");
}
