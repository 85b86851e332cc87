import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { LoadProblemList } from "@/app/_components/tools/summary/load-problem-list";
import { PanelListEnd } from "@/app/_kit/list-end";
import { usePages } from "@/app/_kit/use-pages";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { trpc } from "@/app/_trpc/client";
import type { LoadProblem } from "@/lib/contract/catalog-tool";

const toKey = ({ origin, source, name, error }: LoadProblem): string => `${origin} ${source} ${name ?? ""} ${error}`;

/** Everything that could not be loaded, page by page; other pages show the first of it. */
export function AllLoadProblems() {
  const query = useSuspenseInfiniteQuery(trpc.system.problems.infiniteQueryOptions({}, BY_CURSOR));
  const pages = usePages(query, { toKey });
  const count = query.data.pages[0]?.count ?? 0;
  return <LoadProblemList items={pages.rows} count={count} more={<PanelListEnd pages={pages} className="px-3.5" />} />;
}
