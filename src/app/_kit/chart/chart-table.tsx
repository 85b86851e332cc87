import { DataTable } from "@/app/_kit/data-table";
import { figureColumn, textColumn } from "@/app/_kit/list/columns";
import { Link } from "@/app/_ui/link";
import { ScrollRegion } from "@/app/_ui/scroll-region";

interface ChartRow {
  label: string;
  path: string;
  figures: Readonly<Record<string, string>>;
}

/** The figures of a chart, a row for each step, each a link to its executions. */
export function ChartTable({ title, rows }: { title: string; rows: readonly ChartRow[] }) {
  const heads = Object.keys(rows[0]?.figures ?? {});
  return (
    <ScrollRegion label={`${title}, table`} className="max-h-64">
      <DataTable
        label={title}
        look="panel"
        columns={[
          textColumn<ChartRow>(
            "Time",
            ({ label, path }) => (
              <Link href={path} className="rounded-xs underline">
                {label}
              </Link>
            ),
            { className: "pl-0!", cellClass: "whitespace-nowrap font-mono text-xs" },
          ),
          ...heads.map((head) => figureColumn<ChartRow>(head, ({ figures }) => figures[head])),
        ]}
        rows={rows}
        toKey={({ label }) => label}
      />
    </ScrollRegion>
  );
}
