import { toSentDescription } from "../../../lib/contract/deprecation";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { CatalogueEntry } from "./catalogue-entry";

export interface FoundTool extends Pick<ToolDefinition, "name" | "description" | "parameters"> {
  score: number;
}

/** Enabled tools in which every word of the query occurs, best first: a name counts more than a description. */
export function searchTools(entries: Iterable<CatalogueEntry>, query: string, limit: number): FoundTool[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return Array.from(entries)
    .filter((entry) => entry.enabled)
    .map(({ definition }) => {
      const { name, parameters, title, tags } = definition;
      const description = toSentDescription(definition);
      const rest = [title ?? "", description, ...(tags ?? [])].join(" ").toLowerCase();
      return { name, description, parameters, score: scoreOf(name.toLowerCase(), rest, words) };
    })
    .filter(({ score }) => score > 0 || words.length === 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit);
}

function scoreOf(name: string, rest: string, words: string[]): number {
  let score = 0;
  for (const word of words) {
    const found = (name === word ? 10 : 0) + (name.includes(word) ? 5 : 0) + (rest.includes(word) ? 2 : 0);
    if (found === 0) return 0;
    score += found;
  }
  return score;
}
