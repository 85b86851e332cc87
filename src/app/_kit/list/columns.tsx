import type { ReactNode } from "react";
import type { Column } from "@/app/_kit/data-table";
import { Checkbox } from "@/app/_ui/checkbox";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { formatCount, formatPlural } from "@/lib/format";

type Options<Row> = Omit<Column<Row>, "head" | "kind" | "render">;

interface NameOptions<Row> extends Options<Row> {
  name: (row: Row) => string;
  href: (row: Row) => string;
  /** Names of this kind are sentences, not identifiers. */
  plain?: boolean;
  /** Badges beside the name. */
  marks?: (row: Row) => ReactNode;
  /** A text below the name; user data. */
  about?: (row: Row) => string;
}

/** The name that opens a row. On a phone it carries what the hidden columns say of themselves. */
export function nameColumn<Row>(head: string, options: NameOptions<Row>): Column<Row> {
  const { name, href, plain = false, marks, about, ...column } = options;
  return {
    head,
    kind: "name",
    render: (row) => (
      <>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            href={href(row)}
            data-row=""
            className={cx(
              "rounded-xs font-medium leading-5 hover:underline [overflow-wrap:anywhere]",
              !plain && "font-mono text-xs",
            )}
          >
            {name(row)}
          </Link>
          {marks?.(row)}
        </span>
        {about !== undefined && about(row) !== "" && (
          <p dir="auto" className="line-clamp-2 text-mute text-xs [overflow-wrap:anywhere]">
            {about(row)}
          </p>
        )}
      </>
    ),
    ...column,
  };
}

/** Creates columns of one kind, which differ in what they render. */
const columnOf =
  (kind: Column<unknown>["kind"]) =>
  <Row,>(head: string, render: Column<Row>["render"], options: Options<Row> = {}): Column<Row> => ({
    head,
    kind,
    render,
    ...options,
  });

export const textColumn = columnOf("text");

/** A right-aligned figure that is no plain count: a share, a size, two numbers. */
export const figureColumn = columnOf("count");

/** A column with a status badge. */
export const statusColumn = columnOf("status");

interface CountOptions<Row> extends Options<Row> {
  /** The counted noun in the singular: a phone says "3 tools" below the name. */
  noun?: string;
  /** The address of the counted items. */
  href?: (row: Row) => string;
}

/** A number, to the right; a dash where it is not known, or there is nothing to open. */
export function countColumn<Row>(
  head: string,
  count: (row: Row) => number | null,
  { noun, href, ...column }: CountOptions<Row> = {},
): Column<Row> {
  return {
    head,
    kind: "count",
    render: (row) => {
      const number = count(row);
      if (number === null || (href !== undefined && number === 0)) return <span className="text-faint">–</span>;
      if (href === undefined) return formatCount(number);
      return (
        <Link href={href(row)} aria-label={noun && formatPlural(number, noun)} className="rounded-xs hover:underline">
          {formatCount(number)}
        </Link>
      );
    },
    ...(noun !== undefined && {
      phone: (row: Row) => {
        const number = count(row);
        return number === null ? null : formatPlural(number, noun);
      },
    }),
    ...column,
  };
}

interface TimeOptions<Row> extends Options<Row> {
  /** The text for a missing time. */
  never?: string;
  /** The address of the event at that time. */
  href?: (row: Row) => string;
}

/** How long ago something was. */
export function timeColumn<Row>(
  head: string,
  at: (row: Row) => number | null | undefined,
  { never = "–", href, ...column }: TimeOptions<Row> = {},
): Column<Row> {
  return {
    head,
    kind: "time",
    render: (row) => {
      const moment = at(row);
      if (moment == null) return <span className="text-faint">{never}</span>;
      if (href === undefined) return <RelativeTime at={moment} />;
      return (
        <Link href={href(row)} className="rounded-xs hover:underline">
          <RelativeTime at={moment} />
        </Link>
      );
    },
    ...column,
  };
}

/** Buttons and menus of a row, at its end. */
export const actionsColumn = <Row,>(
  render: Column<Row>["render"],
  { head = "Actions", ...options }: Options<Row> & { head?: string } = {},
): Column<Row> => ({ head, headHidden: true, kind: "actions", render, ...options });

interface SelectOptions<Row> extends Options<Row> {
  label: (row: Row) => string;
  isSelected: (row: Row) => boolean;
  onSelect: (row: Row) => void;
  tabIndex?: (row: Row) => number;
}

/** A box for each row. */
export function selectColumn<Row>(
  head: string,
  { label, isSelected, onSelect, tabIndex, ...column }: SelectOptions<Row>,
): Column<Row> {
  return {
    head,
    headHidden: true,
    render: (row) => (
      <Checkbox
        aria-label={label(row)}
        checked={isSelected(row)}
        tabIndex={tabIndex?.(row)}
        onChange={() => onSelect(row)}
      />
    ),
    ...column,
  };
}
