import { ChevronDown, ListChecks } from "lucide-react";
import { Button } from "@/app/_ui/button";
import { MenuOnDemand } from "@/app/_ui/menu";
import { lazyPart } from "@/app/_ui/on-demand";
import type { RuleSource } from "./make-rule-items";

const load = () => import("./make-rule-items");
const MakeRuleItems = lazyPart(load, "MakeRuleItems");

/** Makes a rule from a call: the menu opens the editor with what the call is about. */
export function MakeRuleMenu({ source }: { source: RuleSource }) {
  const trigger = (
    <Button icon={ListChecks} needs="edit">
      <span className="max-sm:sr-only">Make a rule</span>
      <ChevronDown size={13} />
    </Button>
  );
  return (
    <MenuOnDemand trigger={trigger} load={load}>
      <MakeRuleItems source={source} trigger={trigger} />
    </MenuOnDemand>
  );
}
