import type { ModelCheckAttempt, ModelCheckDetail } from "@/lib/contract/model";

/** How one attempt stands: `pending` it is still to come, `skipped` the check ended before it. */
export type CellStatus = "passed" | "failed" | "pending" | "skipped";

export interface Cell {
  round: number;
  status: CellStatus;
  attempt: ModelCheckAttempt | null;
}

export interface ScenarioRow {
  id: string;
  title: string;
  description: string;
  passed: number;
  cells: Cell[];
}

/** A check as a table: a row a scenario, a column a round. */
export function scenarioRows({ scenarios, attempts, rounds, status }: ModelCheckDetail): ScenarioRow[] {
  const known = new Map(attempts.map((attempt) => [`${attempt.round} ${attempt.scenario}`, attempt]));
  return scenarios.map((scenario) => {
    const cells = Array.from({ length: rounds }, (_, at): Cell => {
      const round = at + 1;
      const attempt = known.get(`${round} ${scenario.id}`) ?? null;
      if (attempt === null) return { round, attempt, status: status === "running" ? "pending" : "skipped" };
      return { round, attempt, status: attempt.passed ? "passed" : "failed" };
    });
    return { ...scenario, cells, passed: cells.filter((cell) => cell.status === "passed").length };
  });
}
