import type { ReactNode } from "react";
import { CHART_HEIGHT, CHART_WIDTH } from "./chart-geometry";

export interface DayChartProps {
  title: string;
  /** The picture in one sentence. */
  summary: string;
  legend: readonly { label: string; swatch: ReactNode }[];
  /** What the top of the axis stands for. */
  top: string;
  firstDay: string;
  lastDay: string;
  children: ReactNode;
  /** The same figures as a table. */
  table: ReactNode;
}

/** A chart over days, with the same figures as a table. */
export function DayChart({ title, summary, legend, top, firstDay, lastDay, children, table }: DayChartProps) {
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border border-line bg-panel p-3.5">
      <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1">
        <h2 className="font-medium">{title}</h2>
        <ul className="ml-auto flex gap-3 text-mute text-xs">
          {legend.map(({ label, swatch }) => (
            <li key={label} className="flex items-center gap-1.5">
              {swatch}
              {label}
            </li>
          ))}
        </ul>
      </div>
      <div className="relative">
        <span aria-hidden className="absolute top-0 left-0 font-mono text-2xs text-faint tabular-nums">
          {top}
        </span>
        <div className="border-line border-b pt-4">
          <svg
            role="img"
            aria-label={summary}
            viewBox={`0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`}
            preserveAspectRatio="none"
            className="block h-28 w-full"
          >
            {children}
          </svg>
        </div>
        <div aria-hidden className="mt-1 flex justify-between font-mono text-2xs text-faint">
          <span>{firstDay}</span>
          <span>{lastDay}</span>
        </div>
      </div>
      <details className="mt-1.5 text-xs">
        <summary className="w-fit rounded-xs text-mute hover:text-text">View as table</summary>
        <div className="mt-1.5 max-h-60 overflow-auto">{table}</div>
      </details>
    </section>
  );
}

export interface FigureTableProps {
  caption: string;
  columns: readonly string[];
  rows: readonly { key: string; cells: readonly string[] }[];
}

export function FigureTable({ caption, columns, rows }: FigureTableProps) {
  return (
    <table className="w-full border-collapse text-xs">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr className="text-mute">
          {columns.map((column, at) => (
            <th
              key={column}
              scope="col"
              className={at === 0 ? "py-1 text-left font-medium" : "py-1 pl-3 text-right font-medium"}
            >
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="font-mono tabular-nums">
        {rows.map((row) => (
          <tr key={row.key} className="border-line border-t">
            <th scope="row" className="py-1 text-left font-normal">
              {row.key}
            </th>
            {row.cells.map((cell, at) => (
              <td key={columns[at + 1]} className="py-1 pl-3 text-right">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
