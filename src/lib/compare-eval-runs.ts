import type { ComparedEval, EvalAttempt, EvalComparison, EvalRunDetail } from "./contract/eval";
import { compareRates } from "./wilson-interval";

export function compareEvalRuns(first: EvalRunDetail, second: EvalRunDetail): EvalComparison {
  const titles = new Map([...first.items, ...second.items].map(({ id, title }) => [id, title]));
  const items = [...titles].map(([id, title]): ComparedEval => {
    const one = findAttempts(first, id);
    const other = findAttempts(second, id);
    const before = toSide(one);
    const after = toSide(other);
    const change = before === null || after === null ? 0 : after.passed / after.done - before.passed / before.done;
    const called = { before: findUsual(one), after: findUsual(other) };
    const differ = before !== null && after !== null && called.before !== called.after;
    return { id, title, before, after, change, called: differ ? called : null };
  });
  return {
    before: toSummary(first),
    after: toSummary(second),
    verdict: compareRates([first.passed, first.done], [second.passed, second.done]),
    items: items.sort((one, other) => Math.abs(other.change) - Math.abs(one.change)),
  };
}

const toSummary = ({ items: _, attempts: _attempts, ...summary }: EvalRunDetail) => summary;

const findAttempts = ({ attempts }: EvalRunDetail, id: string): EvalAttempt[] =>
  attempts.filter(({ item }) => item === id);

function toSide(attempts: readonly EvalAttempt[]): ComparedEval["before"] {
  if (attempts.length === 0) return null;
  return { passed: attempts.filter(({ passed }) => passed).length, done: attempts.length };
}

function findUsual(attempts: readonly EvalAttempt[]): string {
  const counts = new Map<string, number>();
  for (const { called } of attempts) counts.set(called.join(", "), (counts.get(called.join(", ")) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? "";
}
