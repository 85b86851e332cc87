import Link from "next/link";
import { RunBadge } from "@/app/_components/run/run-badge";
import { describeTokens, formatCost, formatShortCount } from "@/app/_components/run/run-figures";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { RunSummary } from "@/lib/contract/run";
import { formatCount, formatDuration } from "@/lib/format";
import { RUN_SOURCE_LABELS } from "./run-labels";

const HEAD =
  "sticky top-0 z-10 bg-panel shadow-[inset_0_-1px_0_var(--color-line)] px-2 py-1.5 text-left font-medium text-faint text-xs";

export function RunsTable({ rows }: { rows: readonly RunSummary[] }) {
  return (
    <table aria-label="Runs" className="w-full text-sm leading-8">
      <thead>
        <tr className="whitespace-nowrap">
          <th scope="col" className={`${HEAD} pl-4`}>
            State
          </th>
          <th scope="col" className={HEAD}>
            Title
          </th>
          <th scope="col" className={`${HEAD} max-md:hidden`}>
            Model
          </th>
          <th scope="col" className={`${HEAD} max-lg:hidden`}>
            Source
          </th>
          <th scope="col" className={`${HEAD} text-right max-sm:hidden`}>
            Tool calls
          </th>
          <th scope="col" className={`${HEAD} text-right max-lg:hidden`}>
            Tokens
          </th>
          <th scope="col" className={`${HEAD} text-right max-xl:hidden`}>
            Cost
          </th>
          <th scope="col" className={`${HEAD} text-right max-sm:hidden`}>
            Time
          </th>
          <th scope="col" className={`${HEAD} pr-4`}>
            Started
          </th>
        </tr>
      </thead>
      <tbody className="whitespace-nowrap">
        {rows.map((row) => (
          <RunRow key={row.id} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function RunRow({ row }: { row: RunSummary }) {
  const title = row.title === "" ? row.id : row.title;
  const tokens = row.usage.inputTokens + row.usage.outputTokens;
  return (
    // The title's link covers the row.
    <tr className="relative border-line border-b focus-within:bg-rail hover:bg-rail">
      <td className="w-28 px-2 pl-4">
        <RunBadge status={row.status} />
      </td>
      <td className="w-full max-w-0 truncate px-2">
        <Link
          data-row=""
          href={`/runs/${encodeURIComponent(row.id)}`}
          title={row.id}
          className="-outline-offset-2 font-medium after:absolute after:inset-0"
        >
          {title}
        </Link>
        {row.error !== null && <span className="ml-2 text-bad text-xs">{row.error.slice(0, 200)}</span>}
        {row.parentId !== null && <span className="ml-2 text-mute text-xs">rerun</span>}
      </td>
      <td className="max-w-52 truncate px-2 font-mono text-mute text-xs max-md:hidden">
        {row.provider} / {row.model}
      </td>
      <td className="px-2 text-mute max-lg:hidden">{RUN_SOURCE_LABELS[row.source]}</td>
      <td className="px-2 text-right font-mono text-xs tabular-nums max-sm:hidden">
        {formatCount(row.toolCalls)}
        {row.failedToolCalls > 0 && <span className="text-bad"> ({formatCount(row.failedToolCalls)} failed)</span>}
      </td>
      <td className="px-2 text-right font-mono text-xs tabular-nums max-lg:hidden" title={describeTokens(row.usage)}>
        {tokens === 0 ? "–" : formatShortCount(tokens)}
      </td>
      <td className="px-2 text-right font-mono text-xs tabular-nums max-xl:hidden">{formatCost(row.cost)}</td>
      <td className="px-2 text-right font-mono text-xs tabular-nums max-sm:hidden">{formatDuration(row.activeMs)}</td>
      <td className="px-2 pr-4 text-mute">
        <RelativeTime at={row.startedAt} />
      </td>
    </tr>
  );
}
