import type { LoadProblem, LoadProblems } from "../../../lib/contract/catalog-tool";

/** Problems that a page shows above what it is about; the others are in the settings. */
const SHOWN = 10;
const ERROR_CHARS = 500;

/** The first of the problems, with the beginning of each message. A file may have thousands. */
export function takeProblems(problems: readonly LoadProblem[], { start = 0, most = SHOWN } = {}): LoadProblems {
  const items = problems
    .slice(start, start + most)
    .map((problem) => ({ ...problem, error: problem.error.slice(0, ERROR_CHARS) }));
  return { items, count: problems.length };
}
