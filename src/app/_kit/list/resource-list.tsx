import { type ReactNode, useRef } from "react";
import { type Column, DataTable, type DataTableProps } from "@/app/_kit/data-table";
import { MultiSelect } from "@/app/_kit/multi-select";
import { usePreferences } from "@/app/_kit/preferences-provider";
import { useListKeys } from "@/app/_kit/use-list-keys";
import type { Pages } from "@/app/_kit/use-pages";
import { cx } from "@/app/_ui/class-names";
import { ListBar, type ListBarProps } from "./list-bar";
import { ListRows, type NoMatch } from "./list-rows";
import type { List } from "./use-list";

/** The description of a list, whatever it holds at the moment. */
export interface ListDeclaration<Row> extends Pick<DataTableProps<Row>, "label" | "look" | "toKey"> {
  noMatch: NoMatch;
  /** Where nothing is recorded. */
  empty: ReactNode;
}

interface ResourceListProps<Row>
  extends Omit<ListDeclaration<Row>, "noMatch">,
    Omit<DataTableProps<Row>, "label" | "look" | "toKey" | "rows">,
    Pick<ListBarProps, "choices" | "hidden"> {
  noMatch?: ListDeclaration<Row>["noMatch"];
  /** Absent for a list without filters. */
  list?: List;
  /** The rows, read page by page or all at once. */
  rows: readonly Row[] | Pages<Row>;
  /** The number of all rows, whatever the filter. Rows that are read page by page say by themselves whether there are any. */
  total?: number;
  /** The rows are not newest first. */
  sorted?: boolean;
  /** After the fields of the filter bar. */
  tools?: ReactNode;
  /** Between the filter bar and the rows: what failed. */
  children?: ReactNode;
  /** Lets a user choose among the columns that have a `choice`; the name under which it is remembered. */
  columnsOf?: string;
  /** Above the rows: how many there are. */
  status?: string;
}

/** A page's list: filter bar, rows, and what stands in their place. `j` and `k` move, Enter opens, `/` searches. */
export function ResourceList<Row>(props: ResourceListProps<Row>) {
  const { list, rows: read, total, sorted, choices, hidden, tools, children, status, noMatch, empty, ...rest } = props;
  const { columns, columnsOf = "", ...table } = rest;
  const holder = useRef<HTMLDivElement>(null);
  const noSearch = useRef<HTMLInputElement>(null);
  const pages = "hasMore" in read ? read : null;
  const rows = pages?.rows ?? (read as readonly Row[]);
  const isEmpty = total === undefined ? !list?.isFiltered && rows.length === 0 : total === 0;
  const chosen = useColumnChoice(columnsOf, columns);
  const isBusy = pages !== null && list?.isBusy;
  useListKeys({
    list: holder,
    search: list?.searchRef ?? noSearch,
    onPastEnd: () => pages?.hasMore && pages.loadMore(),
  });
  return (
    <>
      {list && !isEmpty && (
        <ListBar
          list={list}
          choices={choices}
          hidden={hidden}
          className={cx("border-line border-b bg-panel px-4 py-2.5", pages === null ? "items-center" : "items-start")}
        >
          {tools}
          {columnsOf !== "" && chosen.chooser}
        </ListBar>
      )}
      {children}
      {status !== undefined && !isEmpty && (
        <p role="status" className="px-4 pt-2.5 pb-2 text-mute text-xs">
          {status}
        </p>
      )}
      <div
        ref={holder}
        aria-busy={isBusy}
        className={cx(
          pages !== null && "overflow-auto sm:min-h-0 sm:flex-1",
          pages !== null && table.look === "log" && "bg-panel",
          // Over the line of a filter bar or header above, where there is one.
          table.look === "catalog" && rows.length > 0 && "-mt-px border-line border-t",
          isBusy && "opacity-60",
        )}
      >
        <ListRows
          list={list}
          noMatch={noMatch ?? { title: "No matches" }}
          empty={empty}
          pages={pages}
          sorted={sorted}
          isEmpty={isEmpty}
        >
          {rows.length > 0 && <DataTable {...table} columns={chosen.shown} rows={rows} />}
        </ListRows>
      </div>
    </>
  );
}

/**
 * The columns that a user has chosen for a list, and the field that chooses them. Remembered in this browser.
 * @param list names the list in what is remembered
 */
function useColumnChoice<Row>(
  list: string,
  columns: readonly Column<Row>[],
): { shown: readonly Column<Row>[]; chooser: ReactNode } {
  const { preferences, change } = usePreferences();
  const changed = preferences.columns;
  const toKey = (id: string): string => `${list}-${id}`;
  const isShown = ({ choice }: Column<Row>): boolean =>
    choice === undefined || choice.shown !== changed.includes(toKey(choice.id));
  const offered = columns.flatMap((column) => (column.choice ? [{ ...column.choice, head: column.head, column }] : []));
  function choose(ids: readonly string[]): void {
    const others = changed.filter((key) => !offered.some(({ id }) => toKey(id) === key));
    const now = offered.filter(({ id, shown }) => ids.includes(id) !== shown).map(({ id }) => toKey(id));
    change({ columns: [...others, ...now] });
  }
  const chooser = (
    <MultiSelect
      label="Columns"
      quiet
      className="max-md:hidden"
      options={offered.map(({ id, head }) => ({ value: id, label: head }))}
      value={offered.filter(({ column }) => isShown(column)).map(({ id }) => id)}
      onChange={choose}
    />
  );
  return { shown: columns.filter(isShown), chooser };
}
