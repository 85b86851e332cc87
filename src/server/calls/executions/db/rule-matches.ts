import { type RuleMatch, ruleMatchSchema } from "../../../../lib/contract/rule-match";
import type { Database } from "../../../platform/db/database";
import { AMONG } from "../../../platform/db/sql";

interface MatchRow extends Omit<RuleMatch, "recordOnly" | "values"> {
  executionId: string;
  recordOnly: boolean | number;
  facts: string;
}

/** By execution: the rule that decided, then those that only recorded. */
export async function findRuleMatches(
  db: Pick<Database, "rows" | "damaged">,
  executionIds: readonly string[],
): Promise<Map<string, RuleMatch[]>> {
  const rows = await db.rows<MatchRow>(
    `SELECT "executionId", "ruleId", name, version, effect, "recordOnly", facts FROM "RuleMatch"
     WHERE "executionId" ${AMONG} ORDER BY "recordOnly", "ruleId"`,
    executionIds,
  );
  const found = new Map<string, RuleMatch[]>();
  for (const { executionId, facts, recordOnly, ...row } of rows) {
    const match = db.damaged.read("rule match of an execution", executionId, () =>
      ruleMatchSchema.parse({ ...row, recordOnly: Boolean(recordOnly), values: JSON.parse(facts) }),
    );
    if (match !== null) found.set(executionId, [...(found.get(executionId) ?? []), match]);
  }
  return found;
}
