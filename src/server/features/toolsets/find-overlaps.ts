import type { ToolsetProblem } from "../../../lib/contract/toolset";
import type { PreparedTool } from "../../engine/toolsets/prepare-toolset";

/** Of the words of two descriptions that occur in both. */
const ALIKE = 0.8;
/** Shorter descriptions share their words by chance. */
const MIN_WORDS = 4;
/** Every two descriptions are compared: more would hold other work up. */
const MAX_COMPARED = 400;

/** Warnings of tools that a model can hardly tell apart: names that differ in spelling only, and descriptions alike. */
export function findOverlaps(tools: readonly PreparedTool[]): ToolsetProblem[] {
  const described = tools.slice(0, MAX_COMPARED).map((tool) => ({
    ...{ tool, plainName: tool.shown.name.toLowerCase().replace(/[^a-z0-9]/g, "") },
    words: new Set(tool.shown.description.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []),
  }));
  return described.flatMap(({ tool, plainName, words }, index) => {
    const others = described.slice(0, index);
    const warning = (path: string, message: string): ToolsetProblem => ({
      ...{ severity: "warning", tool: tool.original.name, path: `overrides.${tool.original.name}.${path}`, message },
    });
    const sameName = others.find((other) => other.plainName === plainName);
    const alike = others.find((other) => areAlike(words, other.words));
    return [
      ...(sameName === undefined ? [] : [warning("name", `is nearly the name of '${sameName.tool.shown.name}'`)]),
      ...(alike === undefined ? [] : [warning("description", `is nearly that of '${alike.tool.shown.name}'`)]),
    ];
  });
}

function areAlike(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const [few, many] = left.size < right.size ? [left, right] : [right, left];
  if (few.size < MIN_WORDS || few.size < many.size * ALIKE) return false;
  let shared = 0;
  for (const word of few) if (many.has(word)) shared += 1;
  return shared >= ALIKE * (few.size + many.size - shared);
}
