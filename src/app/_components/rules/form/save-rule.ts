import { useQueryClient } from "@tanstack/react-query";
import { RULES_PATH } from "@/app/_components/rules/summary/rule-paths";
import { type Save, useSave } from "@/app/_kit/use-save";
import { client, trpc } from "@/app/_trpc/client";
import type { Permission } from "@/lib/contract/access";
import type { CallRule, CallRuleInput } from "@/lib/contract/call-rule";
import { permissionForRules } from "@/lib/contract/call-rule-access";
import { describeBrokenCases } from "@/lib/format/rule-case-words";

/** What it takes to save a rule, which may take calls from rules that only admins change. */
export function permissionToSave(
  rules: readonly CallRule[],
  rule: CallRule | null,
  input: CallRuleInput,
  position = rules.length + 1,
): Permission {
  const after =
    rule === null
      ? [...rules.slice(0, position - 1), { ...input, id: "" }, ...rules.slice(position - 1)]
      : rules.map((each) => (each.id === rule.id ? { ...each, ...input } : each));
  return permissionForRules(rules, after);
}

interface SaveRule {
  rule: CallRule | null;
  position: number | undefined;
  base: string;
  onSaved: () => void;
}

/** Creates the rule, or changes the one that is edited, then opens the list. */
export function useSaveRule({ rule, position, base, onSaved }: SaveRule): Save<CallRuleInput> {
  const queryClient = useQueryClient();
  const refresh = () =>
    Promise.all(
      [trpc.rules, trpc.ruleCases].map((each) => queryClient.invalidateQueries({ queryKey: each.pathKey() })),
    );
  return useSave({
    send: (input: CallRuleInput) =>
      rule === null
        ? client.rules.create.mutate({ rule: input, ...(position !== undefined && { position }) })
        : client.rules.update.mutate({ id: rule.id, rule: input, revision: Number(base) }),
    onSaved: () => {
      onSaved();
      void refresh();
    },
    onConflict: () => void refresh(),
    toast: ({ name, brokenCases }) =>
      [rule === null ? `${name} created` : `${name} saved`, describeBrokenCases(brokenCases)]
        .filter(Boolean)
        .join(". "),
    openPath: () => RULES_PATH,
  });
}
