import type { AccessRulesState } from "../../../lib/contract/access-rules";
import type { CommandPart } from "../../platform/api/operation-command";

export function describeAccessRules({ rules: { maxTokenDays, absentDays } }: AccessRulesState): CommandPart[] {
  const age = maxTokenDays === null ? "no limit" : `${maxTokenDays} days at most`;
  const absence = absentDays === null ? "never" : `after ${absentDays} days without single sign-on`;
  return [
    {
      facts: [
        ["New API tokens:", age],
        ["Absent accounts switched off:", absence],
      ],
    },
  ];
}
