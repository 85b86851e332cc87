"use client";

import { useQueryStates } from "nuqs";
import { EditRule, NewRule } from "./form/rule-editor";
import { RulesView } from "./list/rules-view";
import { NEW_RULE, RULE_PARAMS } from "./summary/rule-paths";

/** The list of rules, or the editor of the one that the address names. */
export function RulesPage() {
  const [{ rule, from }] = useQueryStates(RULE_PARAMS);
  if (rule === null) return <RulesView />;
  return rule === NEW_RULE ? <NewRule key={from} from={from} /> : <EditRule key={rule} id={rule} />;
}
