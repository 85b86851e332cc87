import type { Deprecation } from "./deprecation-schema";
import { isPlainObject } from "./json";
import type { DeprecatedKey, ToolDefinition } from "./tool-definition";

export type { Deprecation } from "./deprecation-schema";

export const MAX_DEPRECATION_NOTE_CHARS = 1000;

/** Null for a tool that is not deprecated. */
export function readDeprecation({ deprecated }: Pick<ToolDefinition, "deprecated">): Deprecation | null {
  if (deprecated === true) return { successor: null, note: null };
  if (typeof deprecated === "string") return { successor: null, note: readText(deprecated) };
  if (!isPlainObject(deprecated)) return null;
  const { successor, note } = deprecated;
  return { successor: readText(successor), note: readText(note) };
}

/** The key of a definition for a deprecation. */
export function toDeprecatedKey({ successor, note }: Deprecation): DeprecatedKey {
  if (successor === null && note === null) return true;
  return { ...(successor === null ? {} : { successor }), ...(note === null ? {} : { note }) };
}

/** `Deprecated: use search_v2 instead.` @param getName the name under which the reader knows a tool of the catalog */
export function describeDeprecation({ successor }: Deprecation, getName: (name: string) => string = (name) => name) {
  return successor === null ? "Deprecated." : `Deprecated: use ${getName(successor)} instead.`;
}

/**
 * The description as models and clients get it: that a tool is deprecated is its first sentence.
 * @param getName as in `describeDeprecation`
 */
export function toSentDescription(
  definition: Pick<ToolDefinition, "description" | "deprecated">,
  getName?: (name: string) => string,
): string {
  const deprecation = readDeprecation(definition);
  if (deprecation === null) return definition.description;
  return `${describeDeprecation(deprecation, getName)} ${definition.description}`;
}

function readText(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
