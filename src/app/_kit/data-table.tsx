"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import { type ComponentProps, type ReactNode, useId, useState } from "react";
import { cx } from "@/app/_ui/class-names";
import { ShowMore } from "@/app/_ui/show-more";

/** Whether the row below a row is open; for tables with `renderDetail`. */
export interface Disclosure {
  open: boolean;
  toggle: () => void;
  /** The id of the row below. */
  id: string;
}

export interface Column<Row> {
  head: string;
  /** The head is for screen readers: the cells need no words above them. */
  headHidden?: boolean;
  headTitle?: string;
  /** The column can be left out, or added where it is not shown at first: see `columnsOf` of `ResourceList`. */
  choice?: { id: string; shown: boolean };
  /** The head sorts by this: see `sort` of the table. */
  sortKey?: string;
  /** The rows have this order, newest first, unless another one is chosen. */
  newestFirst?: boolean;
  /** The first press sorts ascending: for names. */
  ascendingFirst?: boolean;
  /** On head and cells: visibility by width, alignment, outer padding. */
  className?: string;
  headClass?: string;
  cellClass?: string;
  render: (row: Row, disclosure: Disclosure) => ReactNode;
}

/** `log`: dense lines under a sticky head. `catalog`: rows that wrap on narrow screens. `panel`: inside a card. */
const LOOKS = {
  log: {
    table: "w-full text-sm leading-8 max-sm:leading-10",
    headRow: "whitespace-nowrap",
    head: "sticky top-0 z-10 bg-panel shadow-[inset_0_-1px_0_var(--color-line)] px-2 py-1.5 text-left font-medium text-faint text-xs",
    body: "whitespace-nowrap",
    row: "border-line border-b hover:bg-rail",
    cell: "px-2",
  },
  catalog: {
    table: "mt-1.5 w-full border-collapse bg-panel text-left text-sm",
    headRow: "border-line border-y text-mute text-xs max-md:sr-only",
    head: "py-1.5 pr-3 font-medium",
    body: "",
    row: "border-line border-b hover:bg-rail has-[[data-row]:focus]:bg-accent-bg",
    cell: "py-1.5 pr-3 align-top max-sm:py-2.5",
  },
  panel: {
    table: "w-full text-left",
    headRow: "border-line border-b text-mute text-xs",
    head: "py-1.5 pr-3 font-normal",
    body: "",
    row: "border-line border-b last:border-b-0 hover:bg-rail",
    cell: "py-1.5 pr-3 max-sm:py-2.5",
  },
} as const;

type Look = keyof typeof LOOKS;

export interface DataTableProps<Row> {
  /** Accessible name. */
  label: string;
  look: Look;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  toKey: (row: Row) => string;
  /** Attributes of a row's `tr`, or of its group with `renderDetail`. */
  rowProps?: (row: Row) => ComponentProps<"tr">;
  /** The `tr` below a row, or nothing. Rows and what is below them form a group. */
  renderDetail?: (row: Row, disclosure: Disclosure) => ReactNode;
  /** The sort key of the rows' order, with `-` in front for descending. */
  sort?: string | null;
  onSort?: (sort: string | null) => void;
  /** Rows rendered at first and with each "Show more"; all of them without it. */
  step?: number;
}

export function DataTable<Row>({ step = Number.POSITIVE_INFINITY, ...props }: DataTableProps<Row>) {
  const { label, look, columns, rows, toKey, renderDetail } = props;
  const [limit, setLimit] = useState(step);
  const style = LOOKS[look];
  const shown = rows.slice(0, limit).map((row) => <DataRow key={toKey(row)} row={row} {...props} />);
  return (
    <>
      <table aria-label={label} className={style.table}>
        <thead>
          <tr className={style.headRow}>
            {columns.map((column) => (
              <Head key={column.head} column={column} className={style.head} {...props} />
            ))}
          </tr>
        </thead>
        {renderDetail === undefined ? <tbody className={style.body}>{shown}</tbody> : shown}
      </table>
      <ShowMore rest={rows.length - limit} onMore={() => setLimit(limit + step)} />
    </>
  );
}

type HeadProps<Row> = Pick<DataTableProps<Row>, "sort" | "onSort"> & { column: Column<Row>; className: string };

/** Sorts descending at first, then ascending, then not; names the other way round. */
function Head<Row>({ column, className, sort, onSort }: HeadProps<Row>) {
  const { head, headHidden, sortKey, newestFirst, ascendingFirst = false } = column;
  const native = {
    scope: "col",
    title: column.headTitle,
    className: cx(className, column.className, column.headClass),
  };
  if (newestFirst) {
    const current = sort == null;
    return (
      <th {...native} title="Newest first" aria-sort={current ? "descending" : undefined}>
        <NewestFirst head={head} current={current} onReset={onSort && (() => onSort(null))} />
      </th>
    );
  }
  if (sortKey === undefined || onSort === undefined) {
    return <th {...native}>{headHidden ? <span className="sr-only">{head}</span> : head}</th>;
  }
  const descending = sort === `-${sortKey}`;
  const sorted = descending || sort === sortKey;
  const [first, second] = ascendingFirst ? [sortKey, `-${sortKey}`] : [`-${sortKey}`, sortKey];
  const Arrow = descending ? ArrowDown : ArrowUp;
  return (
    <th {...native} aria-sort={sorted ? (descending ? "descending" : "ascending") : undefined}>
      <button
        type="button"
        className={cx("inline-flex items-center gap-0.5 hover:text-text max-sm:min-h-10", sorted && "text-text")}
        onClick={() => onSort(sort === first ? second : sorted ? null : first)}
      >
        {head}
        {sorted && <Arrow aria-hidden size={12} strokeWidth={1.8} />}
      </button>
    </th>
  );
}

interface NewestFirstProps {
  head: string;
  current: boolean;
  /** Absent where the rows have no other order. */
  onReset: (() => void) | undefined;
}

function NewestFirst({ head, current, onReset }: NewestFirstProps) {
  const label = (
    <>
      {head}
      {current && <ArrowDown aria-hidden size={12} strokeWidth={1.8} />}
    </>
  );
  const look = cx("inline-flex items-center gap-0.5", current && "text-text");
  if (onReset === undefined) return <span className={look}>{label}</span>;
  return (
    <button type="button" className={cx(look, "hover:text-text max-sm:min-h-10")} onClick={onReset}>
      {label}
    </button>
  );
}

function DataRow<Row>({ row, look, columns, rowProps, renderDetail }: DataTableProps<Row> & { row: Row }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const disclosure: Disclosure = { open, toggle: () => setOpen(!open), id };
  const style = LOOKS[look];
  const native = rowProps?.(row);
  const rowClass = cx("group/row", style.row, native?.className);
  const cells = columns.map((column) => (
    <td key={column.head} className={cx(style.cell, column.className, column.cellClass)}>
      {column.render(row, disclosure)}
    </td>
  ));
  if (renderDetail === undefined) {
    return (
      <tr {...native} className={rowClass}>
        {cells}
      </tr>
    );
  }
  return (
    <tbody className={rowClass}>
      <tr>{cells}</tr>
      {renderDetail(row, disclosure)}
    </tbody>
  );
}
