import type { ReactNode } from "react";
import { toComparePath } from "@/app/_components/executions/summary/comparison";
import { ExecutionBadge } from "@/app/_components/executions/summary/execution-badge";
import { ButtonLink } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ExecutionDetail, ExecutionSummary } from "@/lib/contract/execution";
import { formatDuration } from "@/lib/format";

/** The call that this one repeats, and those that repeat it. */
export function ReplayFamily({ execution }: { execution: ExecutionDetail }) {
  const { parent, parentId, children } = execution;
  return (
    <div className="flex flex-col gap-5">
      {parentId !== null && (
        <Family title="Replay of">
          {parent ? (
            <Relative row={parent} compare={toComparePath([parent.id, execution.id])} />
          ) : (
            <li className="px-3 py-1.5 text-mute">{parentId} was deleted.</li>
          )}
        </Family>
      )}
      <Family title={children.length === 0 ? "No replays" : `Replays (${children.length})`}>
        {children.map((child) => (
          <Relative key={child.id} row={child} compare={toComparePath([execution.id, child.id])} />
        ))}
      </Family>
    </div>
  );
}

function Family({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1.5" aria-label={title}>
      <h2 className="font-medium">{title}</h2>
      <ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">{children}</ul>
    </section>
  );
}

function Relative({ row, compare }: { row: ExecutionSummary; compare: string | null }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
      <ExecutionBadge execution={row} />
      <Link href={`/executions/${row.id}`} className="font-mono text-xs underline">
        {row.id}
      </Link>
      <span dir="ltr" className="min-w-24 flex-1 truncate font-mono text-mute text-xs">
        {row.argumentsPreview}
      </span>
      <span className="font-mono text-xs tabular-nums">{formatDuration(row.durationMs)}</span>
      <RelativeTime at={row.queuedAt} className="text-mute text-xs" />
      {compare !== null && <ButtonLink href={compare}>Compare</ButtonLink>}
    </li>
  );
}
