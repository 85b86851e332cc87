import { describeProblem } from "../../lib/contract/problem";
import type { TestProblem, TestResult, TestRunDetail } from "../../lib/contract/suite";
import { formatJunit, type JunitCase, type JunitSuite } from "./junit";

export function formatTestReport(runs: readonly TestRunDetail[]): string {
  return formatJunit("Toolroom", runs.map(toSuite));
}

function toSuite({ name, results, total, startedAt, finishedAt, error, status }: TestRunDetail): JunitSuite {
  const isBroken = error !== null || results.length < total;
  return {
    name,
    cases: results.map((result) => toCase(name, result)),
    timestamp: new Date(startedAt).toISOString(),
    seconds: ((finishedAt ?? startedAt) - startedAt) / 1_000,
    broken: isBroken ? (error ?? `The run is ${status}`) : null,
  };
}

function toCase(
  suite: string,
  { name, tool, status, reason, durationMs, problems, executionId }: TestResult,
): JunitCase {
  const common = { name, classname: `${suite}.${tool}`, seconds: (durationMs ?? 0) / 1_000 };
  if (status === "passed") return common;
  if (status === "skipped")
    return { ...common, outcome: { element: "skipped", attributes: { message: reason ?? "" } } };
  const [first] = problems;
  const lines = [...problems.map(describeWhole), ...(executionId === null ? [] : [`execution ${executionId}`])];
  return {
    ...common,
    outcome: {
      element: status === "error" ? "error" : "failure",
      attributes: { message: first === undefined ? status : describeTestProblem(first) },
      text: lines.join("\n"),
    },
  };
}

export const describeTestProblem = ({ path, message }: TestProblem): string => describeProblem({ path, message });

function describeWhole(problem: TestProblem): string {
  const { expected, actual } = problem;
  const values = [expected === null ? "" : `expected ${expected}`, actual === null ? "" : `got ${actual}`];
  return [`${problem.assertion}: ${describeTestProblem(problem)}`, ...values.filter(Boolean)].join("\n  ");
}
