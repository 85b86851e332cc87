import type { Suite, SuiteInput } from "@/lib/contract/suite";

/** The editable part of a suite. */
export function toSuiteInput({ name, description, approvals, concurrency, schedule, tests }: Suite): SuiteInput {
  return { name, description, approvals, concurrency, schedule, tests };
}
