import { useRouter } from "next/navigation";
import type { ReactElement } from "react";
import type { MenuItem } from "@/app/_ui/menu-props";
import { MenuView } from "@/app/_ui/menu-view";
import { listCallFields } from "@/lib/rules/call-fields";
import { describeField } from "@/lib/rules/condition-field";
import { toNewRulePath } from "./rule-paths";

/** The call that a rule is made from. */
export interface RuleSource {
  executionId: string;
  argumentsText: string;
  callerName: string;
  /** The call needed approval: a rule lets calls like it run, or lets only some of them wait. */
  wasAsked: boolean;
}

const MAX_NUMBERS = 3;

/** The menu that makes a rule from a call, open from the start. */
export function MakeRuleItems({ source, trigger }: { source: RuleSource; trigger: ReactElement }) {
  const router = useRouter();
  const { executionId, callerName, wasAsked } = source;
  const toItem = (label: string, from: Parameters<typeof toNewRulePath>[1]): MenuItem => ({
    label,
    needs: from.effect === "allow" ? "administer" : "edit",
    onSelect: () => router.push(toNewRulePath(executionId, from)),
  });
  const numbers = listCallFields(source.argumentsText)
    .filter(({ literal }) => literal.kind === "number")
    .slice(0, MAX_NUMBERS);
  const callers = wasAsked ? { callers: "same" as const } : {};
  return (
    <MenuView
      trigger={trigger}
      label={wasAsked ? `For calls of this tool by ${callerName}` : "For calls of this tool"}
      items={[
        toItem("Always approve…", { effect: "allow", ...callers }),
        toItem("Never…", { effect: "deny", ...callers }),
        ...numbers.map(({ field, literal }) =>
          // What asks already asks only beyond a value where a rule allows the calls up to it.
          toItem(`${wasAsked ? "Ask only" : "Ask"} when ${describeField(field)} > ${literal.text}…`, {
            effect: wasAsked ? "allow" : "ask",
            field,
            ...callers,
          }),
        ),
        ...(wasAsked ? [] : [toItem("Ask for calls like this…", { effect: "ask" })]),
      ]}
    />
  );
}
