import { compareForReaders, compareOwners } from "@/lib/compare-for-readers";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import type { ToolFigures } from "@/lib/contract/execution";

/** Days that the figures of the list cover, as those of Overview. */
export const FIGURE_DAYS = 7;

export const TOOL_SORTS = [
  "name",
  "-name",
  "calls",
  "-calls",
  "failures",
  "-failures",
  "used",
  "-used",
  "favorites",
] as const;
export type ToolSort = (typeof TOOL_SORTS)[number];

export const TOOL_SORT_LABELS: Record<ToolSort, string> = {
  name: "Name, A to Z",
  "-name": "Name, Z to A",
  "-calls": "Most calls",
  calls: "Fewest calls",
  "-failures": "Highest failure rate",
  failures: "Lowest failure rate",
  "-used": "Recently used",
  used: "Least recently used",
  favorites: "Favorites first",
};

/** The calls of tools by name; nothing for a tool that was never called. */
export type FiguresByName = ReadonlyMap<string, ToolFigures>;

/**
 * Tools in the order asked for; those without the figure last. Otherwise the team's own come first, then server by server, each
 * in the order of its list.
 */
export function sortTools(
  tools: readonly ToolSummary[],
  { figures, favorites }: { figures: FiguresByName; favorites: ReadonlySet<string> },
  sort: ToolSort | null,
): ToolSummary[] {
  const byServer = tools.toSorted((left, right) => compareOwners(left.server, right.server));
  if (sort === null) return byServer;
  if (sort === "favorites") return favoritesFirst(byServer, favorites);
  const sign = sort.startsWith("-") ? -1 : 1;
  const key = sort.replace("-", "");
  if (key === "name") return tools.toSorted((left, right) => sign * compareForReaders(left.name, right.name));
  const toFigure = ({ name }: ToolSummary): number | null => getFigure(figures.get(name), key);
  return byServer.toSorted((left, right) => {
    const a = toFigure(left);
    const b = toFigure(right);
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (a - b);
  });
}

/** Otherwise in the order that they have. */
export function favoritesFirst<T extends Pick<ToolSummary, "name">>(
  tools: readonly T[],
  favorites: ReadonlySet<string>,
): T[] {
  return tools.toSorted((left, right) => Number(favorites.has(right.name)) - Number(favorites.has(left.name)));
}

function getFigure(figures: ToolFigures | undefined, key: string): number | null {
  if (figures === undefined) return null;
  if (key === "used") return figures.lastUsedAt;
  if (key === "calls") return figures.calls === 0 ? null : figures.calls;
  return figures.finished === 0 ? null : figures.failed / figures.finished;
}
