import type { ApprovalMode } from "@/lib/contract/approval";
import { findApproverRule } from "@/lib/contract/approver";
import type { RuleEffectKind } from "@/lib/contract/call-rule-words";
import type { ApprovalGroup } from "@/lib/contract/tool-list";
import type { ToolsetSummary } from "@/lib/contract/toolset";
import { describeAsking, listWords } from "@/lib/rules/rule-words";

/** An approval setting in the form of a rule. Settings decide calls that no rule decides. */
export interface BuiltInRule {
  name: string;
  effect: RuleEffectKind;
  sentence: string;
  /** The page of the setting, or the list of the tools that have it. */
  href: string;
}

type ApprovingToolset = Pick<ToolsetSummary, "name" | "approvals">;
type Cause = ApprovalGroup["because"];

/** The settings in the order in which they decide. */
const CAUSES = ["person", "definition", "server", "hint", "policy"] as const satisfies readonly Cause[];

const NAMES: Record<Cause, string> = {
  person: "Tool setting",
  definition: "Tool definition",
  server: "Server policy",
  hint: "Installation policy",
  policy: "Installation policy",
};

/** The approval settings of toolsets, tools, servers and the installation, one row for all tools with the same one. */
export function listBuiltInRules(
  groups: readonly ApprovalGroup[],
  toolsets: readonly ApprovingToolset[],
): BuiltInRule[] {
  const toPlace = ({ because }: ApprovalGroup) => CAUSES.indexOf(because);
  const named = groups.filter(({ mode }) => isApproverNamed(mode)).flatMap(({ names }) => names);
  return [
    ...toolsets.flatMap((toolset) => listToolsetRules(toolset, new Set(named))),
    ...groups.toSorted((one, other) => toPlace(one) - toPlace(other)).map(toRule),
  ];
}

const TOOLSET_APPROVALS = ["always", "never"] as const;

/**
 * The settings of a toolset, which come before those of its tools.
 * @param named tools whose setting names an approver, which no toolset lifts
 */
function listToolsetRules({ name, approvals }: ApprovingToolset, named: ReadonlySet<string>): BuiltInRule[] {
  return TOOLSET_APPROVALS.flatMap((each) => {
    const set = approvals.filter(({ tool, approval }) => approval === each && (each === "always" || !named.has(tool)));
    if (set.length === 0) return [];
    return {
      name: "Toolset setting",
      effect: each === "always" ? ("ask" as const) : ("allow" as const),
      sentence: `${describeAsking(each)} when ${listWords(set.map(({ tool }) => tool))} is called through ${name}`,
      href: `/toolsets/${encodeURIComponent(name)}`,
    };
  });
}

const isApproverNamed = (mode: ApprovalMode | null): boolean => findApproverRule(mode) !== null;

function toRule(group: ApprovalGroup): BuiltInRule {
  const { because, required, mode } = group;
  return {
    name: NAMES[because],
    effect: required ? "ask" : "allow",
    sentence: `${describeAsking(mode ?? (required ? "always" : "never"))} when ${describeTools(group)} is called`,
    href: toSettingPath(group),
  };
}

function describeTools({ because, server, names, count }: ApprovalGroup): string {
  if (because === "server") return `any other tool of ${server}`;
  if (because === "hint") return "any other tool that is marked destructive";
  return because === "policy" ? "any other tool" : listWords(names, { count });
}

function toSettingPath({ server, names: [name = ""], count, required }: ApprovalGroup): string {
  if (server !== null) return `/servers/${encodeURIComponent(server)}`;
  if (count === 1) return `/tools/${encodeURIComponent(name)}`;
  return `/tools?approval=${required ? "asks" : "free"}`;
}
