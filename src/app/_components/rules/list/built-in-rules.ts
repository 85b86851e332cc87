import type { ApprovalMode } from "@/lib/contract/approval";
import { findApproverRule } from "@/lib/contract/approver";
import type { RuleEffectKind } from "@/lib/contract/call-rule-words";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
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

type ApprovedTool = Pick<ToolSummary, "name" | "server" | "enabled" | "approval">;
type ApprovingToolset = Pick<ToolsetSummary, "name" | "approvals">;
type Cause = ApprovedTool["approval"]["because"];

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
export function listBuiltInRules(tools: readonly ApprovedTool[], toolsets: readonly ApprovingToolset[]): BuiltInRule[] {
  return [...toolsets.flatMap((toolset) => listToolsetRules(toolset, tools)), ...listToolRules(tools)];
}

const TOOLSET_APPROVALS = ["always", "never"] as const;

/** The settings of a toolset, which come before those of its tools. They do not lift a setting that names an approver. */
function listToolsetRules({ name, approvals }: ApprovingToolset, tools: readonly ApprovedTool[]): BuiltInRule[] {
  const named = new Set(tools.filter(({ approval }) => isApproverNamed(approval.mode)).map((tool) => tool.name));
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

function listToolRules(tools: readonly ApprovedTool[]): BuiltInRule[] {
  const groups = new Map<string, [ApprovedTool, ...ApprovedTool[]]>();
  for (const tool of tools.filter(({ enabled }) => enabled)) {
    const { because, required, mode } = tool.approval;
    const key = JSON.stringify([because, required, mode, because === "server" ? tool.server : null]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [tool]);
    else group.push(tool);
  }
  const place = ([{ approval }]: readonly [ApprovedTool, ...ApprovedTool[]]) => CAUSES.indexOf(approval.because);
  return [...groups.values()].sort((one, other) => place(one) - place(other)).map(toRule);
}

function toRule(tools: [ApprovedTool, ...ApprovedTool[]]): BuiltInRule {
  const [first] = tools;
  const { because, required, mode } = first.approval;
  return {
    name: NAMES[because],
    effect: required ? "ask" : "allow",
    sentence: `${describeAsking(mode ?? (required ? "always" : "never"))} when ${describeTools(tools)} is called`,
    href: toSettingPath(tools),
  };
}

function describeTools(tools: [ApprovedTool, ...ApprovedTool[]]): string {
  const { because } = tools[0].approval;
  if (because === "server") return `any other tool of ${tools[0].server}`;
  if (because === "hint") return "any other tool that is marked destructive";
  return because === "policy" ? "any other tool" : listWords(tools.map(({ name }) => name));
}

function toSettingPath(tools: [ApprovedTool, ...ApprovedTool[]]): string {
  const [{ name, server, approval }] = tools;
  if (approval.because === "server" && server !== null) return `/servers/${encodeURIComponent(server)}`;
  if (tools.length === 1) return `/tools/${encodeURIComponent(name)}`;
  return `/tools?approval=${approval.required ? "asks" : "free"}`;
}
