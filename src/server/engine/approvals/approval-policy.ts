import type { ApprovalMode, ApprovalPolicy, ToolApproval } from "../../../lib/contract/approval";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { canonicalJson } from "../../../lib/json/canonical-json";

/** The keys that an approval covers. Limits, icons and the like may change while a call waits. */
const APPROVED_KEYS = ["implementation", "description", "parameters", "annotations"] as const;

/** Whether a tool is still the one that a user was shown. */
export function isSameTool(shown: ToolDefinition, now: ToolDefinition): boolean {
  return shown === now || APPROVED_KEYS.every((key) => canonicalJson(shown[key]) === canonicalJson(now[key]));
}

/** The policies that apply to a tool; the one of its MCP server comes first. */
export interface ApprovalPolicies {
  /** Null for a tool without a server, or a server that follows the global policy. */
  server: ApprovalPolicy | null;
  global: ApprovalPolicy;
}

/**
 * Whether a tool requires approval, and which setting decides it: the user's setting for the tool, then the definition's
 * `approval`, then the server's policy, then the global one. A destructive hint counts only where it is `true`: the protocol
 * treats a missing hint as destructive, which would make nearly every tool require approval.
 * @param mode what a user set for this tool; null for nothing
 */
export function judgeApproval(
  definition: Pick<ToolDefinition, "approval" | "annotations">,
  mode: ApprovalMode | null,
  policies: ApprovalPolicies,
): ToolApproval {
  if (mode !== null) return { required: mode !== "never", because: "person", mode };
  const { approval } = definition;
  if (approval !== undefined) return { required: approval === "always", because: "definition", mode };
  const policy = policies.server ?? policies.global;
  const source = policies.server === null ? "policy" : "server";
  if (policy !== "destructive") return { required: policy === "always", because: source, mode };
  const required = definition.annotations?.destructiveHint === true;
  return { required, because: required ? "hint" : source, mode };
}
