import { expect, it } from "vitest";
import { executionSummarySchema } from "../../../../lib/contract/execution";
import { toAmount } from "../../../engine/rules/limits/limit-slot";
import { type SummaryRow, toSummary } from "./execution-rows";

const ROW: SummaryRow = {
  seq: 1,
  id: "exec_a",
  toolName: "echo",
  calledAs: "say",
  implementationType: "mock",
  status: "failed",
  source: "gateway",
  actorId: "ada",
  actorName: "Ada",
  client: "c/1",
  argumentsPreview: "{}",
  errorPreview: "no",
  errorKind: "tool_error",
  executionTimeMs: 1.5,
  durationMs: 1,
  queuedAt: 1,
  finishedAt: 2,
  resultBytes: 3,
  storedBytes: 3,
  cost: 2_500_000,
  parentId: "exec_b",
  runId: "run_a",
  runTitle: "A run",
  pinned: 1,
};
const VALUES = [
  null,
  "",
  "x",
  "x".repeat(201),
  "succeeded",
  "console",
  0,
  -1,
  1.5,
  2 ** 53,
  Number.NaN,
  Infinity,
  true,
  {},
];

/** Returns what a reader returns, or `refused` where it throws. */
function ask(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return "refused";
  }
}

function bySchema({ actorId, actorName, calledAs, cost, pinned, ...row }: SummaryRow): unknown {
  const actor = { id: actorId, name: actorName };
  return executionSummarySchema.parse({
    ...row,
    ...(calledAs !== null && { calledAs }),
    ...(cost !== null && { cost: toAmount("money", cost) }),
    actor,
    pinned: pinned === 1,
  });
}

it("EXE-06 a row of a list is what the schema makes of it, and damage is refused, for every column and value", () => {
  const outcomes = new Set<string>();
  for (const column of Object.keys(ROW)) {
    for (const value of VALUES) {
      const row = { ...ROW, [column]: value } as SummaryRow;
      const expected = ask(() => bySchema(row));
      outcomes.add(expected === "refused" ? "refused" : "taken");
      expect([column, value, ask(() => toSummary(row))]).toEqual([column, value, expected]);
    }
  }
  expect([...outcomes].sort()).toEqual(["refused", "taken"]);
});
