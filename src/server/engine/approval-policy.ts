import type { ApprovalMode, ApprovalPolicy, ToolApproval, ToolDefinition } from "../../lib/contract";
import { canonicalJson } from "./canonical-json";

/** What an approval is given for. Limits, icons and the like may change while a call waits. */
const APPROVED_KEYS = ["implementation", "description", "parameters", "annotations"] as const;

/** Whether a tool is still the one that a person was shown. */
export function isSameTool(shown: ToolDefinition, now: ToolDefinition): boolean {
  return shown === now || APPROVED_KEYS.every((key) => canonicalJson(shown[key]) === canonicalJson(now[key]));
}

/**
 * Whether a person is asked before a tool runs, and what says so: a person's own setting before the definition's, that
 * before the server's policy. A hint counts only where it says `true`: the protocol takes a missing one for destructive,
 * which would make nearly every tool ask.
 * @param mode what a person set for this tool; null for nothing
 */
export function judgeApproval(
  definition: Pick<ToolDefinition, "approval" | "annotations">,
  mode: ApprovalMode | null,
  policy: ApprovalPolicy,
): ToolApproval {
  if (mode !== null) return { required: mode === "always", because: "person", mode };
  const { approval } = definition;
  if (approval !== undefined) return { required: approval === "always", because: "definition", mode };
  if (policy !== "destructive") return { required: policy === "always", because: "policy", mode };
  const required = definition.annotations?.destructiveHint === true;
  return { required, because: required ? "hint" : "policy", mode };
}
