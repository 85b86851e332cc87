import type { EvalAttempt, EvalRunDetail } from "./contract/eval";
import { ratesDiffer } from "./wilson-interval";

interface Side {
  passed: number;
  done: number;
}

/** One eval in two runs. */
export interface ComparedItem {
  id: string;
  title: string;
  /** Null where the run does not have the eval. */
  left: Side | null;
  right: Side | null;
  /** The difference of the rates, from -1 to 1. */
  change: number;
  /** The tool that was called most often, where that differs. */
  called: { left: string; right: string } | null;
}

/** Compares two runs eval by eval, the changed ones first. */
export function compareEvalRuns(
  left: EvalRunDetail,
  right: EvalRunDetail,
): { items: ComparedItem[]; differs: boolean } {
  const titles = new Map([...left.items, ...right.items].map(({ id, title }) => [id, title]));
  const items = [...titles].map(([id, title]): ComparedItem => {
    const [first, second] = [findAttempts(left, id), findAttempts(right, id)];
    const [one, other] = [toSide(first), toSide(second)];
    const change = one === null || other === null ? 0 : other.passed / other.done - one.passed / one.done;
    const called = { left: findUsual(first), right: findUsual(second) };
    const differ = one !== null && other !== null && called.left !== called.right;
    return { id, title, left: one, right: other, change, called: differ ? called : null };
  });
  return {
    items: items.sort((one, other) => Math.abs(other.change) - Math.abs(one.change)),
    differs: ratesDiffer([left.passed, left.done], [right.passed, right.done]),
  };
}

const findAttempts = ({ attempts }: EvalRunDetail, id: string): EvalAttempt[] =>
  attempts.filter(({ item }) => item === id);

function toSide(attempts: readonly EvalAttempt[]): Side | null {
  if (attempts.length === 0) return null;
  return { passed: attempts.filter(({ passed }) => passed).length, done: attempts.length };
}

function findUsual(attempts: readonly EvalAttempt[]): string {
  const counts = new Map<string, number>();
  for (const { called } of attempts) counts.set(called.join(", "), (counts.get(called.join(", ")) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? "";
}
