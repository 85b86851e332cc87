import { parseAsString } from "nuqs/server";

/** The value of `rule` in the address for a rule that is not saved yet. */
export const NEW_RULE = "new";

/** What the address of the page says: the rule that is edited, and the call from which a new one is made. */
export const RULE_PARAMS = {
  rule: parseAsString,
  from: parseAsString,
};

export const RULES_PATH = "/approvals/rules";

export const toRulePath = (id: string): string => `${RULES_PATH}?rule=${encodeURIComponent(id)}`;

/** @param executionId the call whose tool and arguments the rule begins with */
export const toNewRulePath = (executionId: string): string =>
  `${RULES_PATH}?rule=${NEW_RULE}&from=${encodeURIComponent(executionId)}`;

/** The calls of the last seven days that a rule matched. */
export const toMatchesPath = (id: string): string => `/executions?rule=${encodeURIComponent(id)}&range=7d`;
