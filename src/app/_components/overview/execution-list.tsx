import type { ReactNode } from "react";
import { ExecutionBadge } from "@/app/_components/executions/summary/execution-badge";
import { KindIcon } from "@/app/_components/executions/summary/kind-icon";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ExecutionSummary } from "@/lib/contract/execution";
import { formatTitle } from "@/lib/contract/execution-kind";
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
                  {formatTitle(execution)}
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

interface ToolRankingProps {
  title: string;
  /** Heads of the two figures. */
  figures: readonly [string, string];
  rows: readonly { toolName: string; cells: readonly [string, string] }[];
  /** Said instead of an empty table. */
  nothing: string;
}

export function ToolRanking({ title, figures, rows, nothing }: ToolRankingProps) {
  return (
    <Card title={title}>
      {rows.length === 0 ? (
        <p className="px-3.5 py-3 text-mute">{nothing}</p>
      ) : (
        <table className="w-full table-fixed border-collapse">
          <thead>
            <tr className="text-mute text-xs">
              <th scope="col" className="px-3.5 py-1 text-left font-medium">
                Tool
              </th>
              {figures.map((figure) => (
                <th key={figure} scope="col" className="w-24 py-1 pr-3.5 text-right font-medium">
                  {figure}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ toolName, cells }) => (
              <tr key={toolName} className="border-line border-t">
                <th scope="row" className="truncate px-3.5 py-1.5 text-left font-normal">
                  <Link
                    href={`/tools/${encodeURIComponent(toolName)}`}
                    className="rounded-xs font-mono text-xs hover:underline"
                  >
                    {toolName}
                  </Link>
                </th>
                {figures.map((figure, at) => (
                  <td key={figure} className="py-1.5 pr-3.5 text-right font-mono text-xs tabular-nums">
                    {cells[at]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
