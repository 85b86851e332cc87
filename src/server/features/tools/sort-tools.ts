import { compareForReaders, compareOwners } from "../../../lib/compare-for-readers";
import type { ToolSummary } from "../../../lib/contract/catalog-tool";
import type { ToolFigures } from "../../../lib/contract/execution";
import type { ToolSort } from "../../../lib/contract/tool-filter";
import { remember } from "../../platform/shared/remember";

/** The calls of tools by name; nothing for a tool that was never called. */
type FiguresByName = ReadonlyMap<string, ToolFigures>;

interface SortFacts {
  figures: FiguresByName;
  favorites: ReadonlySet<string>;
}

/** Sorts tools as requested; those without the figure last. */
export function sortTools(
  tools: readonly ToolSummary[],
  { figures, favorites }: SortFacts,
  sort: ToolSort | null,
): readonly ToolSummary[] {
  if (sort?.endsWith("name")) return sort === "name" ? sortByName(tools) : sortByNameBackwards(tools);
  const byServer = sortByServer(tools);
  if (sort === null) return byServer;
  if (sort === "favorites") return favoritesFirst(byServer, favorites);
  const sign = sort.startsWith("-") ? -1 : 1;
  const key = sort.replace("-", "");
  const toFigure = ({ name }: ToolSummary): number | null => getFigure(figures.get(name), key);
  return byServer.toSorted((left, right) => {
    const a = toFigure(left);
    const b = toFigure(right);
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (a - b);
  });
}

/** Whether an order needs the figures of all tools. */
export const isByFigure = (sort: ToolSort | null): boolean =>
  sort !== null && sort !== "favorites" && !sort.endsWith("name");

/** The team's own tools first, then server by server, each in the order of its list. */
const sortByServer = remember((tools: readonly ToolSummary[]): readonly ToolSummary[] => {
  const groups = new Map<string | null, ToolSummary[]>();
  for (const tool of tools) {
    const group = groups.get(tool.server);
    if (group === undefined) groups.set(tool.server, [tool]);
    else group.push(tool);
  }
  return [...groups].sort(([one], [other]) => compareOwners(one, other)).flatMap(([, members]) => members);
});

const sortByName = remember((tools: readonly ToolSummary[]): readonly ToolSummary[] =>
  tools.toSorted((left, right) => compareForReaders(left.name, right.name)),
);

const sortByNameBackwards = remember((tools: readonly ToolSummary[]): readonly ToolSummary[] =>
  tools.toSorted((left, right) => compareForReaders(right.name, left.name)),
);

/** Favorites first; otherwise the order stays. */
export function favoritesFirst<T extends Pick<ToolSummary, "name">>(
  tools: readonly T[],
  favorites: ReadonlySet<string>,
): T[] {
  const isFavorite = ({ name }: T): boolean => favorites.has(name);
  return [...tools.filter(isFavorite), ...tools.filter((tool) => !isFavorite(tool))];
}

function getFigure(figures: ToolFigures | undefined, key: string): number | null {
  if (figures === undefined) return null;
  if (key === "used") return figures.lastUsedAt;
  if (key === "calls") return figures.calls === 0 ? null : figures.calls;
  return figures.finished === 0 ? null : figures.failed / figures.finished;
}
