import type { ReactNode } from "react";
import { describeFailed } from "@/app/_components/executions/summary/failed-calls";
import type { Column } from "@/app/_kit/data-table";
import { figureColumn } from "@/app/_kit/list/columns";
import { formatCount, formatRate } from "@/lib/format";

type Figures = Parameters<typeof describeFailed>[0] & { calls: number };
type Options<Row> = Omit<Column<Row>, "head" | "kind" | "render">;

interface FigureSource<Row> {
  /** Undefined where nothing was called. */
  find: (row: Row) => Figures | undefined;
  /** Leads to the calls that a figure counts. */
  link: (row: Row, figure: string, status?: "failed") => ReactNode;
}

const NONE = <span className="text-faint">–</span>;

export const callsColumn = <Row,>(
  head: string,
  { find, link }: FigureSource<Row>,
  options: Options<Row> = {},
): Column<Row> =>
  figureColumn(
    head,
    (row) => {
      const calls = find(row)?.calls ?? 0;
      return calls === 0 ? NONE : link(row, formatCount(calls));
    },
    options,
  );

/** The share of failed calls among the finished ones. */
export const failedColumn = <Row,>(
  head: string,
  { find, link }: FigureSource<Row>,
  options: Options<Row> = {},
): Column<Row> =>
  figureColumn(
    head,
    (row) => {
      const found = find(row);
      if (found === undefined || found.finished === 0) return NONE;
      const rate = formatRate(found.failed, found.finished);
      if (found.failed === 0) return <span className="text-mute">{rate}</span>;
      return <span title={describeFailed(found)}>{link(row, rate, "failed")}</span>;
    },
    options,
  );
