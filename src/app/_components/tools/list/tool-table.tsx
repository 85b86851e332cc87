"use client";

import { type ToolActions, ToolRowMenu } from "@/app/_components/tools/actions/tool-row-menu";
import { formatImplementation } from "@/app/_components/tools/summary/implementation-label";
import { ApprovalHint, HintBadges, QualityList } from "@/app/_components/tools/summary/tool-badges";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { useHasAccounts } from "@/app/_ui/access";
import { Badge } from "@/app/_ui/badge";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ToolSummary } from "@/lib/contract/catalogue-tool";
import { formatCount, formatRate } from "@/lib/format";
import { QualityButton, ToolName, ToolOrigin } from "./tool-cells";
import { FIGURE_DAYS, type FiguresByName } from "./tool-order";

/** Rows rendered at once: a catalogue of thousands must not make typing in the search slow. */
const STEP = 100;

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
    cellClass: "w-full max-w-0",
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
      <span className="flex flex-wrap gap-1 xl:min-w-54">
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
    className: "max-lg:hidden",
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
  className: "max-xl:hidden",
  cellClass: "max-w-36 truncate text-mute",
  render: ({ owner }) => owner?.name ?? <span className="text-faint">–</span>,
};

export interface ToolTableProps {
  tools: readonly ToolSummary[];
  actions: ToolActions;
  /** Null until they are read. */
  figures: FiguresByName | null;
  sort: string | null;
  onSort: (sort: string | null) => void;
}

export function ToolTable({ tools, actions, figures, sort, onSort }: ToolTableProps) {
  const hasAccounts = useHasAccounts();
  const columns: readonly Column<ToolSummary>[] = [
    ...COLUMNS,
    ...(hasAccounts ? [OWNER] : []),
    ...(figures === null ? [] : buildFigures(figures)),
    {
      head: "Actions",
      headHidden: true,
      cellClass: "py-0.5! text-right",
      render: (tool) => <ToolRowMenu tool={tool} actions={actions} />,
    },
  ];
  return (
    <DataTable
      label="Tools"
      look="catalogue"
      columns={columns}
      rows={tools}
      keyOf={({ name }) => name}
      sort={sort}
      onSort={onSort}
      step={STEP}
      renderDetail={(tool, notes) =>
        notes.open && (
          <tr id={notes.id} className="border-line border-t bg-rail max-lg:hidden">
            <td colSpan={columns.length} className="px-4 py-2">
              <QualityList notes={tool.quality} />
            </td>
          </tr>
        )
      }
    />
  );
}
