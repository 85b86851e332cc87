import type { Problem, QualityNote, ToolDefinition, ToolOrigin } from "../../../lib/contract";
import { messageOf } from "../../../lib/message-of";
import { checkDefinition } from "../../engine/registry/check-definition";
import { parseJsonText } from "../../shared/parse-json-text";

export interface DraftCheck {
  problems: Problem[];
  quality: QualityNote[];
}

export interface DraftContext {
  schemaCheck: (schema: ToolDefinition["parameters"]) => string | null;
  qualityOf: (definition: ToolDefinition) => QualityNote[];
  /** Where the tool comes from that has a name already; null for a free name. */
  originOf: (name: string) => ToolOrigin | null;
}

/** Everything wrong with a definition while it is being written. */
export function checkDraft(definitionText: string, { schemaCheck, qualityOf, originOf }: DraftContext): DraftCheck {
  let candidate: unknown;
  try {
    candidate = parseJsonText(definitionText, "definition");
  } catch (error) {
    return { problems: [{ path: "", message: messageOf(error) }], quality: [] };
  }
  const problems = checkDefinition(candidate, schemaCheck);
  const name = (candidate as { name?: unknown } | null)?.name;
  const origin = typeof name === "string" ? originOf(name) : null;
  if (origin !== null) {
    problems.push({ path: "name", message: `'${String(name)}' is already taken by a tool from ${origin}` });
  }
  return { problems, quality: problems.length > 0 ? [] : qualityOf(candidate as ToolDefinition) };
}
