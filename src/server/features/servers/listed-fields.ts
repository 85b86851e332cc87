import { isPlainObject } from "../../../lib/contract/json";
import type { ToolAnnotations, ToolDefinition } from "../../../lib/contract/tool-definition";
import { measureJson } from "../../engine/executor/measure-json";

const HINTS: ReadonlySet<string> = new Set(["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]);
/** Leaves room below the depth at which a definition is refused. */
const MAX_DEPTH = 150;
/** The definition has these as the server sent them. */
const KEPT_ELSEWHERE: ReadonlySet<string> = new Set(["name", "inputSchema", "outputSchema", "icons", "_meta"]);

interface Shown {
  title?: string;
  description: string;
  annotations: ToolAnnotations;
}

/**
 * What a server listed for a tool where its definition says it differently or not at all: an empty description, foreign
 * annotations, `execution`, keys of other versions of the protocol. Values that would make a client refuse the whole list
 * are left out.
 * @param shown what the definition says
 */
export function pickListedFields(entry: Record<string, unknown>, shown: Shown): Pick<ToolDefinition, "listed"> {
  const listed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(entry)) {
    if (KEPT_ELSEWHERE.has(key)) continue;
    if (key === "title" || key === "description") {
      if (typeof value === "string") listed[key] = value;
    } else if (key === "annotations") {
      if (isPlainObject(value)) listed.annotations = filterAnnotations(value);
    } else if (key !== "execution" || isPlainObject(value)) listed[key] = value;
  }
  const same = JSON.stringify(inOrder(listed)) === JSON.stringify(inOrder({ ...shown }));
  const describeDepth =
    measureJson(listed, { maxBytes: Number.POSITIVE_INFINITY, maxDepth: MAX_DEPTH }).depth > MAX_DEPTH;
  return same || describeDepth ? {} : { listed };
}

function filterAnnotations(annotations: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(annotations).filter(([key, value]) =>
      key === "title" ? typeof value === "string" : !HINTS.has(key) || typeof value === "boolean",
    ),
  );
}

/** Keys in one order, two levels deep: the order in which a server lists them says nothing. */
function inOrder(fields: Record<string, unknown>): unknown {
  const sorted = (object: Record<string, unknown>) =>
    Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted(fields).map(([key, value]) => [key, isPlainObject(value) ? sorted(value) : value]);
}
