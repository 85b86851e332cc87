"use client";

import type { ToolActions } from "@/app/_components/tools/actions/tool-menu";
import { ToolRowMenu } from "@/app/_components/tools/actions/tool-row-menu";
import { FavoriteButton } from "@/app/_components/tools/summary/favorite-button";
import { formatImplementation } from "@/app/_components/tools/summary/implementation-label";
import { ApprovalHint, formatOrigin, HintBadges } from "@/app/_components/tools/summary/tool-badges";
import { ToolMarks } from "@/app/_components/tools/summary/tool-marks";
import type { Column, Disclosure } from "@/app/_kit/data-table";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import { formatCount, formatRate } from "@/lib/format";
import { hasProblems } from "./tool-filters";
import { FIGURE_DAYS, type FiguresByName } from "./tool-order";

const COLUMNS: readonly Column<ToolSummary>[] = [
  {
    head: "Name",
    sortKey: "name",
    ascendingFirst: true,
    className: "pl-4",
    cellClass: "max-md:w-full",
    render: (tool) => <ToolName tool={tool} />,
  },
  {
    head: "Description",
    className: "max-md:hidden",
    cellClass: "w-full max-w-0 2xl:min-w-48",
    render: ({ description }) => (
      <p dir="auto" className="truncate text-mute" title={description}>
        {description}
      </p>
    ),
  },
  {
    head: "Type, hints",
    className: "max-md:hidden",
    headClass: "whitespace-nowrap",
    render: (tool) => (
      <span className="flex flex-wrap gap-1 2xl:min-w-54">
        <Badge>{formatImplementation(tool.implementationType)}</Badge>
        <HintBadges annotations={tool.annotations} />
        <ApprovalHint tool={tool} />
      </span>
    ),
  },
  {
    head: "Quality",
    className: "max-lg:hidden",
    render: (tool, notes) => <QualityButton tool={tool} notes={notes} />,
  },
  {
    head: "Origin",
    className: "max-xl:hidden",
    cellClass: "whitespace-nowrap text-mute",
    render: (tool) => (
      <span title={tool.originPath ?? undefined}>
        <ToolOrigin tool={tool} />
        {tool.updatedAt !== null && (
          <>
            <span aria-hidden> · </span>
            <RelativeTime at={tool.updatedAt} className="text-xs" />
          </>
        )}
      </span>
    ),
  },
  {
    head: "Params / req.",
    headTitle: "Parameters, and how many of them are required",
    className: "text-right max-md:hidden",
    headClass: "whitespace-nowrap",
    cellClass: "font-mono text-xs leading-5 tabular-nums",
    render: ({ parameterCount, requiredCount }) => (
      <span title={`${parameterCount} parameters, ${requiredCount} of them required`}>
        {parameterCount}
        <span className="text-faint"> / {requiredCount}</span>
      </span>
    ),
  },
];

const FIGURE = { className: "text-right max-lg:hidden", headClass: "whitespace-nowrap" } as const;
const FIGURE_CELL = "whitespace-nowrap font-mono text-xs leading-5 tabular-nums";

function buildFigures(figures: FiguresByName): readonly Column<ToolSummary>[] {
  return [
    {
      ...FIGURE,
      head: "Calls",
      headTitle: `Calls of the last ${FIGURE_DAYS} days`,
      sortKey: "calls",
      cellClass: FIGURE_CELL,
      render: ({ name }) => {
        const calls = figures.get(name)?.calls ?? 0;
        return calls === 0 ? <span className="text-faint">–</span> : formatCount(calls);
      },
    },
    {
      ...FIGURE,
      head: "Failed",
      headTitle: `Failed among the finished calls of the last ${FIGURE_DAYS} days`,
      sortKey: "failures",
      cellClass: FIGURE_CELL,
      render: ({ name }) => {
        const { finished, failed } = figures.get(name) ?? { finished: 0, failed: 0 };
        if (finished === 0) return <span className="text-faint">–</span>;
        return <span className={failed === 0 ? "text-mute" : "text-bad"}>{formatRate(failed, finished)}</span>;
      },
    },
    {
      ...FIGURE,
      head: "Last used",
      sortKey: "used",
      cellClass: "whitespace-nowrap text-mute text-xs leading-5",
      render: ({ name }) => {
        const used = figures.get(name);
        return used === undefined ? <span className="text-faint">never</span> : <RelativeTime at={used.lastUsedAt} />;
      },
    },
  ];
}

const OWNER: Column<ToolSummary> = {
  head: "Owner",
  className: "max-2xl:hidden",
  cellClass: "max-w-36 truncate text-mute",
  render: ({ owner }) => owner?.name ?? <span className="text-faint">–</span>,
};

/** @param figures null until they are read @param hasAccounts tools have owners */
export function buildColumns(actions: ToolActions, figures: FiguresByName | null, hasAccounts: boolean) {
  return [
    ...COLUMNS,
    ...(hasAccounts ? [OWNER] : []),
    ...(figures === null ? [] : buildFigures(figures)),
    {
      head: "Actions",
      headHidden: true,
      cellClass: "py-0.5! text-right",
      render: (tool: ToolSummary) => <ToolRowMenu tool={tool} actions={actions} />,
    },
  ] satisfies readonly Column<ToolSummary>[];
}

/** On a narrow screen it carries what the hidden columns say. */
function ToolName({ tool }: { tool: ToolSummary }) {
  return (
    <div className="min-w-0">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1 md:flex-nowrap">
        <FavoriteButton toolName={tool.name} className="-my-1 -ml-1.5" />
        <Link
          href={`/tools/${encodeURIComponent(tool.name)}`}
          data-row=""
          title={tool.name}
          className={cx(
            "rounded-xs font-medium font-mono text-xs leading-5 hover:underline max-md:[overflow-wrap:anywhere] md:max-w-40 md:truncate xl:max-w-64",
            !tool.enabled && "text-mute",
          )}
        >
          {tool.name}
        </Link>
        <ToolMarks tool={tool} />
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
function ToolOrigin({ tool }: { tool: ToolSummary }) {
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

function QualityButton({ tool, notes }: QualityButtonProps) {
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
