"use client";

import { FavoriteButton } from "@/app/_components/tools/summary/favorite-button";
import { formatImplementation } from "@/app/_components/tools/summary/implementation-label";
import { ApprovalHint, DeprecatedBadge, formatOrigin, HintBadges } from "@/app/_components/tools/summary/tool-badges";
import type { Disclosure } from "@/app/_kit/data-table";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import type { ToolSummary } from "@/lib/contract/catalogue-tool";
import { hasProblems } from "./tool-filters";

/** On a narrow screen it carries what the hidden columns say. */
export function ToolName({ tool }: { tool: ToolSummary }) {
  return (
    <div className="min-w-0">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1 md:flex-nowrap">
        <FavoriteButton toolName={tool.name} className="-my-1 -ml-1.5" />
        <Link
          href={`/tools/${encodeURIComponent(tool.name)}`}
          data-row=""
          title={tool.name}
          className={cx(
            "rounded-xs font-medium font-mono text-xs leading-5 hover:underline max-md:[overflow-wrap:anywhere] md:max-w-80 md:truncate",
            !tool.enabled && "text-mute",
          )}
        >
          {tool.name}
        </Link>
        {!tool.enabled && <Badge>disabled</Badge>}
        <DeprecatedBadge deprecation={tool.deprecation} />
      </span>
      <div className="md:hidden">
        <p dir="auto" className="line-clamp-2 text-mute">
          {tool.description}
        </p>
        <span className="mt-1 flex flex-wrap gap-1">
          <Badge>{formatImplementation(tool.implementationType)}</Badge>
          <HintBadges annotations={tool.annotations} />
          <ApprovalHint tool={tool} />
          {hasProblems(tool) && <Badge tone="warn">has problems</Badge>}
          {tool.server !== null && (
            <span className="text-xs">
              <ToolOrigin tool={tool} />
            </span>
          )}
        </span>
      </div>
    </div>
  );
}

/** The tool's origin; a tool of a server links to it. */
export function ToolOrigin({ tool }: { tool: ToolSummary }) {
  if (tool.server === null) return formatOrigin(tool);
  return (
    <>
      {formatOrigin(tool)}{" "}
      <Link
        href={`/servers/${encodeURIComponent(tool.server)}`}
        className="rounded-xs font-mono text-xs hover:text-text hover:underline"
      >
        {tool.server}
      </Link>
    </>
  );
}

interface QualityButtonProps {
  tool: ToolSummary;
  /** The row below, which holds the notes. */
  notes: Disclosure;
}

export function QualityButton({ tool, notes }: QualityButtonProps) {
  const count = tool.quality.length;
  if (count === 0) return <span className="text-faint">–</span>;
  return (
    <button
      type="button"
      aria-expanded={notes.open}
      aria-controls={notes.open ? notes.id : undefined}
      onClick={notes.toggle}
      className="rounded-sm"
    >
      <Badge tone={hasProblems(tool) ? "warn" : "neutral"}>
        {count === 1 ? "1 note" : `${count} notes`}
        <span className="sr-only"> on {tool.name}</span>
      </Badge>
    </button>
  );
}
