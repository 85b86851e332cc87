import { ArrowDown, ArrowUp } from "lucide-react";
import { type ComponentProps, Fragment, type ReactNode, useId, useState } from "react";
import { cx } from "@/app/_ui/class-names";
import { ShowMore } from "@/app/_ui/show-more";

/** Whether the row below a row is open; for tables with `renderDetail`. */
export interface Disclosure {
  open: boolean;
  toggle: () => void;
  /** The id of the row below. */
  id: string;
}

/** The kind of content in a column, which decides its style and alignment. */
type ColumnKind = "name" | "text" | "count" | "time" | "status" | "actions";

export interface Column<Row> {
  head: string;
  kind?: ColumnKind;
  /** The narrowest screen that shows the column; every screen where absent. */
  from?: keyof typeof HIDDEN_BELOW;
  /** The content that the name's cell shows on a phone, where this column is hidden. */
  phone?: (row: Row) => ReactNode;
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
  /** Classes of head and cells: visibility by width, alignment, outer padding. */
  className?: string;
  headClass?: string;
  cellClass?: string;
  render: (row: Row, disclosure: Disclosure) => ReactNode;
}

const HIDDEN_BELOW = {
  sm: "max-sm:hidden",
  md: "max-md:hidden",
  lg: "max-lg:hidden",
  xl: "max-xl:hidden",
  "2xl": "max-2xl:hidden",
} as const;

/** Alignment classes of head and cells. */
const ALIGN: Partial<Record<ColumnKind, string>> = { count: "text-right", actions: "text-right" };

/** `log`: dense lines under a sticky head. `catalog`: rows that wrap on narrow screens; the line above the head is its holder's. `panel`: inside a card. */
const LOOKS = {
  log: {
    table: "w-full text-sm leading-8 max-sm:leading-10",
    headRow: "whitespace-nowrap",
    head: "sticky top-0 z-10 bg-panel shadow-[inset_0_-1px_0_var(--color-line)] px-2 py-1.5 text-left font-medium text-faint text-xs",
    body: "whitespace-nowrap",
    row: "border-line border-b hover:bg-rail",
    cell: "px-2",
    outer: "first:pl-4",
    kinds: {
      name: "",
      text: "",
      count: "font-mono text-xs tabular-nums",
      time: "whitespace-nowrap text-mute text-xs",
      status: "",
      actions: "",
    },
  },
  catalog: {
    table: "w-full border-collapse bg-panel text-left text-sm",
    headRow: "whitespace-nowrap border-line border-b text-mute text-xs max-md:sr-only",
    head: "py-1.5 pr-3 font-medium",
    body: "",
    row: "border-line border-b hover:bg-rail has-[[data-row]:focus]:bg-accent-bg",
    cell: "py-1.5 pr-3 align-top max-sm:py-2.5",
    outer: "first:pl-4",
    kinds: {
      name: "max-md:w-full md:min-w-64 md:max-w-96 lg:min-w-80",
      text: "text-xs leading-5",
      count: "whitespace-nowrap font-mono text-xs leading-5 tabular-nums",
      time: "whitespace-nowrap text-mute text-xs leading-5",
      status: "whitespace-nowrap",
      actions: "py-0.5!",
    },
  },
  panel: {
    table: "w-full text-left",
    headRow: "border-line border-b text-mute text-xs",
    head: "py-1.5 pr-3 font-normal",
    body: "",
    row: "border-line border-b last:border-b-0 hover:bg-rail",
    cell: "py-1.5 pr-3 max-sm:py-2.5",
    outer: "first:pl-3.5",
    kinds: {
      name: "",
      text: "",
      count: "whitespace-nowrap font-mono text-xs tabular-nums",
      time: "whitespace-nowrap text-mute text-xs",
      status: "whitespace-nowrap",
      actions: "whitespace-nowrap",
    },
  },
} as const;

type Look = keyof typeof LOOKS;

export interface DataTableProps<Row> {
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
              <Head
                key={column.head}
                column={column}
                className={cx(style.head, columnClass(column, look), column.headClass)}
                {...props}
              />
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

/** The classes of a column's head and cells. */
function columnClass<Row>({ kind, from, className }: Column<Row>, look: Look): string {
  return cx(LOOKS[look].outer, kind && ALIGN[kind], from && HIDDEN_BELOW[from], className);
}

/** Sorts descending at first, then ascending, then not; names the other way round. */
function Head<Row>({ column, className, sort, onSort }: HeadProps<Row>) {
  const { head, headHidden, sortKey, newestFirst, ascendingFirst = false } = column;
  const native = {
    scope: "col",
    title: column.headTitle,
    className,
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
      {current && <ArrowDown size={12} strokeWidth={1.8} />}
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
    <td
      key={column.head}
      className={cx(style.cell, columnClass(column, look), column.kind && style.kinds[column.kind], column.cellClass)}
    >
      {column.render(row, disclosure)}
      {column.kind === "name" && <PhoneLine parts={columns.flatMap(({ phone }) => phone?.(row) ?? [])} />}
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

/** The contents of the hidden columns, on a phone. */
function PhoneLine({ parts }: { parts: readonly ReactNode[] }) {
  if (parts.length === 0) return null;
  return (
    <p className="text-mute text-xs [overflow-wrap:anywhere] md:hidden">
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part for each column
        <Fragment key={at}>
          {at > 0 && " · "}
          {part}
        </Fragment>
      ))}
    </p>
  );
}
