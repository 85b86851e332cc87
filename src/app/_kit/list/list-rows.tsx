import type { ReactNode } from "react";
import { ListEnd } from "@/app/_kit/list-end";
import type { Pages } from "@/app/_kit/use-pages";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import type { List } from "./use-list";

/** Under a filter that no row matches. */
export interface NoMatch {
  title: string;
  text?: ReactNode;
}

interface ListRowsProps {
  list?: Pick<List, "isFiltered" | "clear"> | undefined;
  noMatch: NoMatch;
  empty: ReactNode;
  /** Where the rows are read page by page. */
  pages: Pages<unknown> | null;
  /** The rows are not newest first. */
  sorted?: boolean;
  /** No row is in sight, and none would be without the filter. */
  isEmpty: boolean;
  /** The table; absent where no row is in sight. */
  children: ReactNode;
}

/** The rows of a list, or what stands in their place, and the way to more of them. */
export function ListRows({ list, noMatch, empty, pages, sorted = false, isEmpty, children }: ListRowsProps) {
  const isFilteredEmpty = !children && !isEmpty;
  return (
    <>
      {children}
      {isEmpty && empty}
      {isFilteredEmpty && (
        <EmptyState heading="h2" title={noMatch.title} action={<Button onClick={list?.clear}>Clear filters</Button>}>
          {noMatch.text}
        </EmptyState>
      )}
      {pages && <ListEnd pages={pages} sorted={sorted} />}
    </>
  );
}
