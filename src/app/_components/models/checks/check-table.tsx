import { toCheckPath } from "@/app/_components/models/summary/model-words";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ModelCheckSummary } from "@/lib/contract/model";
import { formatRate } from "@/lib/format";
import { CheckBadge } from "./check-badge";

const FIGURE = "font-mono text-xs tabular-nums";

const COLUMNS: readonly Column<ModelCheckSummary>[] = [
  {
    head: "Model",
    className: "pl-3.5",
    cellClass: "w-full max-w-0 truncate font-mono text-xs",
    render: (check) => (
      <Link href={toCheckPath(check.id)} className="rounded-xs hover:underline" title={formatModel(check)}>
        {formatModel(check)}
      </Link>
    ),
  },
  { head: "Outcome", render: (check) => <CheckBadge check={check} /> },
  {
    head: "Passed",
    className: "text-right",
    cellClass: `${FIGURE} whitespace-nowrap`,
    render: ({ passed, total, status, done }) => (
      <>
        {passed} / {total}
        <span className="text-mute max-sm:hidden">
          {" "}
          {status === "running" ? `(${done} done)` : `(${formatRate(passed, total)})`}
        </span>
      </>
    ),
  },
  { head: "Rounds", className: "text-right max-sm:hidden", cellClass: FIGURE, render: ({ rounds }) => rounds },
  {
    head: "Started",
    newestFirst: true,
    className: "pr-3.5 text-right max-sm:hidden",
    cellClass: "whitespace-nowrap text-mute text-xs",
    render: ({ startedAt }) => <RelativeTime at={startedAt} clock />,
  },
];

export function CheckTable({ checks }: { checks: readonly ModelCheckSummary[] }) {
  return <DataTable label="Model checks" look="panel" columns={COLUMNS} rows={checks} keyOf={({ id }) => id} />;
}

function formatModel({ provider, model }: ModelCheckSummary): string {
  return provider === model ? model : `${provider} / ${model}`;
}
