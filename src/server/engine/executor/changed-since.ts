import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { isSameTool } from "../approvals/approval-policy";
import { type CallFailure, failure } from "./call-outcome";

/** An approval is for the tool that was shown, and for no other of its name. */
export function changedSince(shown: ToolDefinition | null | undefined, now: ToolDefinition): CallFailure | null {
  if (shown === undefined || (shown !== null && isSameTool(shown, now))) return null;
  return failure("tool_changed", `'${now.name}' changed while the call waited for approval: call it again`);
}
