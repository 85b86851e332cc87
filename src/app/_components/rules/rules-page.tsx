"use client";

import { useQueryStates } from "nuqs";
import { NewRule } from "./form/new-rule";
import { EditRule } from "./form/rule-editor";
import { RulesView } from "./list/rules-view";
import { NEW_RULE, RULE_PARAMS } from "./summary/rule-paths";

/** The list of rules, or the editor of the one that the address names. */
export function RulesPage() {
  const [{ rule, ...start }] = useQueryStates(RULE_PARAMS);
  if (rule === null) return <RulesView />;
  return rule === NEW_RULE ? <NewRule key={JSON.stringify(start)} start={start} /> : <EditRule key={rule} id={rule} />;
}
