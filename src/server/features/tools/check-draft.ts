import type { ApprovalMode } from "../../../lib/contract/approval";
import type { QualityNote } from "../../../lib/contract/catalogue-tool";
import type { Problem } from "../../../lib/contract/problem";
import type { ToolDefinition, ToolOrigin } from "../../../lib/contract/tool-definition";
import { messageOf } from "../../../lib/message-of";
import { checkDefinition } from "../../engine/registry/check-definition";
import { parseJsonText } from "../../platform/shared/parse-json-text";

export interface DraftCheck {
  problems: Problem[];
  quality: QualityNote[];
  /** The approval setting that the name carries without a tool, and that the tool will have. */
  keptApproval: ApprovalMode | null;
}

export interface DraftContext {
  schemaCheck: (schema: ToolDefinition["parameters"]) => string | null;
  qualityOf: (definition: ToolDefinition) => QualityNote[];
  /** Where the tool comes from that has a name already; null for a free name. */
  originOf: (name: string) => ToolOrigin | null;
  keptApprovalOf: (name: string) => ApprovalMode | null;
}

/** Everything wrong with a definition while it is being written. */
export function checkDraft(definitionText: string, context: DraftContext): DraftCheck {
  let candidate: unknown;
  try {
    candidate = parseJsonText(definitionText, "definition");
  } catch (error) {
    return { problems: [{ path: "", message: messageOf(error) }], quality: [], keptApproval: null };
  }
  const problems = checkDefinition(candidate, context.schemaCheck);
  const name = (candidate as { name?: unknown } | null)?.name;
  const origin = typeof name === "string" ? context.originOf(name) : null;
  if (origin !== null) {
    problems.push({ path: "name", message: `'${String(name)}' is already taken by a tool from ${origin}` });
  }
  return {
    problems,
    quality: problems.length > 0 ? [] : context.qualityOf(candidate as ToolDefinition),
    keptApproval: typeof name === "string" && origin === null ? context.keptApprovalOf(name) : null,
  };
}
