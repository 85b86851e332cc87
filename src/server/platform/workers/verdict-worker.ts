// Checks a change of one tool: proofs and witnesses over schemas that servers send may take long.
import type { RuleSettings } from "../../../lib/contract/change-verdict";
import { getToolVerdict } from "../../../lib/schema/compare/tool-verdict";
import { createValueCheck } from "./schema-compiler";
import { serveJobs } from "./serve-jobs";

/** The entries as JSON texts; null for a tool that the list does not have. */
export interface VerdictJob {
  tool: string;
  before: string | null;
  after: string | null;
  rules: RuleSettings;
}

serveJobs(({ tool, before, after, rules }: VerdictJob) => {
  const parse = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text));
  return getToolVerdict(tool, parse(before), parse(after), { rules, check: createValueCheck() });
});
