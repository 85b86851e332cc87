import type { ToolSummary } from "../../../lib/contract/catalog-tool";
import { createScore } from "../../../lib/score-match";
import { favoritesFirst } from "./sort-tools";

/** The tools that match a search best; of equal ones favorites first, otherwise in the order that they have. */
export function suggestTools(
  tools: readonly ToolSummary[],
  { search, favorites, limit }: { search: string; favorites: ReadonlySet<string>; limit: number },
): ToolSummary[] {
  const toScore = createScore(search);
  const scored = favoritesFirst(tools, favorites).flatMap((tool) => {
    const score = toScore({ label: tool.name, keywords: toKeywords(tool) });
    return score === 0 ? [] : [{ tool, score }];
  });
  const best = scored.sort((one, other) => other.score - one.score).slice(0, limit);
  return best.map(({ tool }) => tool);
}

const toKeywords = ({ title, description, tags }: ToolSummary): string =>
  `${title ?? ""} ${description} ${tags.join(" ")}`;
