import type { Suite, SuiteInput } from "@/lib/contract/suite";

/** The editable part of a suite. */
export function toSuiteInput(suite: Suite): SuiteInput {
  return { ...toFileSuite(suite), kind: suite.kind, runWith: suite.runWith };
}

/** A suite of tests as its file has it. */
export function toFileSuite(suite: Suite): Omit<SuiteInput, "kind" | "runWith"> {
  const { name, description, approvals, concurrency, schedule, tests } = suite;
  return { name, description, approvals, concurrency, schedule, tests };
}
