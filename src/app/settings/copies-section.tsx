import { type Column, DataTable } from "@/app/_kit/data-table";
import { Badge } from "@/app/_ui/badge";
import { Card } from "@/app/_ui/card";
import { RelativeTime } from "@/app/_ui/relative-time";
import { formatDuration } from "@/lib/format";

interface Copy {
  name: string;
  version: string;
  startedAt: number;
  isDraining: boolean;
}

interface CopiesSectionProps {
  copies: { items: readonly Copy[]; travel: { by: "notifications" | "polling"; lagMs: number } };
}

/** The processes of the server; the first is the one that answered. */
export function CopiesSection({ copies: { items, travel } }: CopiesSectionProps) {
  const rows = items.map((copy, at) => ({ ...copy, isThis: at === 0, key: `${copy.name} ${copy.startedAt}` }));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    {
      head: "Copy",
      className: "pl-3.5",
      render: ({ name, isThis }) => (
        <span className="[overflow-wrap:anywhere]">
          <span className="font-mono text-xs">{name}</span> {isThis && <Badge tone="accent">this page</Badge>}
        </span>
      ),
    },
    { head: "Version", className: "max-sm:hidden", render: ({ version }) => version },
    { head: "Started", render: ({ startedAt }) => <RelativeTime at={startedAt} /> },
    {
      head: "State",
      className: "w-28",
      render: ({ isDraining }) => <Badge>{isDraining ? "draining" : "ready"}</Badge>,
    },
  ];
  const way =
    travel.by === "notifications"
      ? "They send events to each other by notifications of PostgreSQL (LISTEN)"
      : "They read each other's events by polling, since the pooler passes no notifications on";
  const lag = travel.lagMs > 0 ? `; the last took ${formatDuration(Math.max(1, Math.round(travel.lagMs)))}` : "";
  return (
    <div id="copies" className="scroll-mt-4">
      <Card title="Copies of the server" about={`${way}${lag}.`}>
        <DataTable label="Copies of the server" look="panel" columns={columns} rows={rows} toKey={({ key }) => key} />
      </Card>
    </div>
  );
}
