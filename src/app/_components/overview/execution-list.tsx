import type { ReactNode } from "react";
import { ExecutionBadge } from "@/app/_components/executions/summary/execution-badge";
import { KindIcon } from "@/app/_components/executions/summary/kind-icon";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ExecutionSummary } from "@/lib/contract/execution";
import { titleOf } from "@/lib/contract/execution-kind";
import { formatDuration } from "@/lib/format";

export interface ExecutionListProps {
  title: string;
  executions: readonly ExecutionSummary[];
  nothing: string;
  action?: ReactNode;
}

/** A few executions, each a link to its page. */
export function ExecutionList({ title, executions, nothing, action }: ExecutionListProps) {
  return (
    <Card title={title} action={action}>
      {executions.length === 0 ? (
        <p className="px-3.5 py-3 text-mute">{nothing}</p>
      ) : (
        <ul className="divide-y divide-line">
          {executions.map((execution) => (
            <li key={execution.id}>
              <Link
                href={`/executions/${encodeURIComponent(execution.id)}`}
                className="-outline-offset-2 flex items-center gap-2.5 px-3.5 py-1.5 hover:bg-rail"
              >
                <ExecutionBadge execution={execution} />
                <span className="shrink-0 font-mono text-xs max-sm:min-w-0 max-sm:shrink max-sm:truncate">
                  <KindIcon execution={execution} />
                  {titleOf(execution)}
                </span>
                <span className="min-w-0 flex-1 truncate font-mono text-mute text-xs max-sm:hidden">
                  {execution.argumentsPreview}
                </span>
                <span className="ml-auto shrink-0 font-mono text-xs tabular-nums">
                  {formatDuration(execution.executionTimeMs)}
                </span>
                <RelativeTime
                  at={execution.queuedAt}
                  clock
                  className="min-w-20 shrink-0 text-right text-mute text-xs sm:min-w-36"
                />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
