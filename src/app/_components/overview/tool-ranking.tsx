import type { ReactNode } from "react";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";

interface ToolRankingProps {
  title: string;
  rows: readonly {
    toolName: string;
    /** The calls that the figure counts. */
    href: string;
    figure: string;
    /** Why, in a line of its own. */
    reason?: ReactNode;
  }[];
  /** True if a tool has this name now; other names have no page. */
  isKnown: (toolName: string) => boolean;
  /** Said instead of an empty list. */
  nothing: string;
  children?: ReactNode;
}

/** Tools with a figure each, which leads to the calls that it counts. */
export function ToolRanking({ title, rows, isKnown, nothing, children }: ToolRankingProps) {
  return (
    <Card title={title}>
      {rows.length === 0 && <p className="px-3.5 py-3 text-mute">{nothing}</p>}
      <ul className="divide-y divide-line">
        {rows.map(({ toolName, href, figure, reason }) => (
          <li key={toolName} className="flex flex-wrap items-center gap-x-3 px-3.5 py-1">
            <span className="min-w-0 flex-1 truncate font-mono text-xs">
              {isKnown(toolName) ? (
                <Link
                  href={`/tools/${encodeURIComponent(toolName)}`}
                  className="rounded-xs leading-6 hover:underline max-w-full inline-block truncate align-bottom"
                >
                  {toolName}
                </Link>
              ) : (
                <span title="No tool has this name now">{toolName}</span>
              )}
            </span>
            <Link
              href={href}
              aria-label={`${toolName}: ${figure}`}
              className="rounded-xs font-mono text-xs tabular-nums leading-6 inline-block underline decoration-line2 underline-offset-2 hover:decoration-text"
            >
              {figure}
            </Link>
            {reason}
          </li>
        ))}
      </ul>
      {children}
    </Card>
  );
}
