import type { ReactNode } from "react";
import { callsColumn, failedColumn } from "@/app/_components/executions/summary/figure-columns";
import type { ToolActions } from "@/app/_components/tools/actions/tool-menu";
import { ToolRowMenu } from "@/app/_components/tools/actions/tool-row-menu";
import { FavoriteButton } from "@/app/_components/tools/summary/favorite-button";
import { formatImplementation } from "@/app/_components/tools/summary/implementation-label";
import { ApprovalHint, formatOrigin, HintBadges } from "@/app/_components/tools/summary/tool-badges";
import { ToolMarks } from "@/app/_components/tools/summary/tool-marks";
import type { Column } from "@/app/_kit/data-table";
import { actionsColumn, figureColumn, statusColumn, timeColumn } from "@/app/_kit/list/columns";
import { OwnIcon } from "@/app/_kit/own-icon";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ROW_CONTROL } from "@/app/_ui/row-control";
import type { ToolSummary } from "@/lib/contract/catalog-tool";
import { FIGURE_DAYS } from "@/lib/contract/tool-filter";
import type { ListedTool } from "@/lib/contract/tool-list";
import { formatPlural } from "@/lib/format";
import { hasProblems } from "@/lib/tool-problems";

const COLUMNS: readonly Column<ListedTool>[] = [
  {
    head: "Name",
    sortKey: "name",
    ascendingFirst: true,
    cellClass: "max-md:w-full",
    render: (tool) => <ToolName tool={tool} />,
  },
  {
    head: "Description",
    choice: { id: "description", shown: true },
    from: "md",
    cellClass: "w-full max-w-0 2xl:min-w-48",
    render: ({ description }) => (
      <p dir="auto" className="truncate text-mute" title={description}>
        {description}
      </p>
    ),
  },
  statusColumn(
    "Type, hints",
    (tool) => (
      <span className="flex flex-wrap gap-1 xl:w-60 2xl:w-79">
        <TypeBadges tool={tool} />
      </span>
    ),
    { choice: { id: "type", shown: true }, from: "md" },
  ),
  statusColumn("Quality", (tool) => <QualityLink tool={tool} />, {
    choice: { id: "quality", shown: false },
    from: "lg",
  }),
  {
    head: "Origin",
    choice: { id: "origin", shown: true },
    from: "xl",
    cellClass: "whitespace-nowrap text-mute",
    render: (tool) => (
      <span title={tool.originPath ?? undefined}>
        <ToolOrigin tool={tool} />
        {tool.updatedAt !== null && (
          <span className="hidden 2xl:inline">
            <span aria-hidden> · </span>
            <RelativeTime at={tool.updatedAt} className="text-xs" />
          </span>
        )}
      </span>
    ),
  },
  figureColumn(
    "Params / req.",
    ({ parameterCount, requiredCount }) => (
      <span title={`${parameterCount} parameters, ${requiredCount} of them required`}>
        {parameterCount}
        <span className="text-faint"> / {requiredCount}</span>
      </span>
    ),
    {
      choice: { id: "params", shown: false },
      headTitle: "Parameters, and how many of them are required",
      from: "md",
    },
  ),
];

const FIGURE = { from: "lg" } as const;

const SOURCE = {
  find: ({ figures }: ListedTool) => figures ?? undefined,
  link: ({ name }: ListedTool, figure: string, status?: "failed") => (
    <CallsLink name={name} failed={status === "failed"}>
      {figure}
    </CallsLink>
  ),
};

const FIGURES: readonly Column<ListedTool>[] = [
  callsColumn(`Calls (${FIGURE_DAYS}d)`, SOURCE, {
    ...FIGURE,
    choice: { id: "calls", shown: true },
    headTitle: `Calls of the last ${FIGURE_DAYS} days`,
    sortKey: "calls",
  }),
  failedColumn(`Failed (${FIGURE_DAYS}d)`, SOURCE, {
    ...FIGURE,
    choice: { id: "failed", shown: true },
    headTitle: `Failed among the finished calls of the last ${FIGURE_DAYS} days`,
    sortKey: "failures",
  }),
  timeColumn("Last used", ({ figures }: ListedTool) => figures?.lastUsedAt, {
    ...FIGURE,
    choice: { id: "used", shown: true },
    className: "text-right",
    sortKey: "used",
    never: "never",
  }),
];

const OWNER: Column<ListedTool> = {
  head: "Owner",
  choice: { id: "owner", shown: true },
  from: "2xl",
  cellClass: "max-w-36 truncate text-mute",
  render: ({ owner }) => owner?.name ?? <span className="text-faint">–</span>,
};

/** @param hasAccounts tools have owners */
export function buildColumns(actions: ToolActions, hasAccounts: boolean): readonly Column<ListedTool>[] {
  return [
    ...COLUMNS,
    ...(hasAccounts ? [OWNER] : []),
    ...FIGURES,
    actionsColumn((tool) => <ToolRowMenu tool={tool} actions={actions} className={ROW_CONTROL} />),
  ];
}

/** On a narrow screen it shows the contents of the hidden columns. */
function ToolName({ tool }: { tool: ToolSummary }) {
  return (
    <div className="min-w-0">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1 md:flex-nowrap">
        <OwnIcon of="tool" name={tool.name} icon={tool.icon} />
        <Link
          href={`/tools/${encodeURIComponent(tool.name)}`}
          data-row=""
          title={tool.name}
          className={cx(
            "rounded-xs font-medium font-mono text-xs leading-5 hover:underline max-md:[overflow-wrap:anywhere] md:max-w-40 md:truncate lg:max-w-48 xl:max-w-60 2xl:max-w-80",
            !tool.enabled && "text-mute",
          )}
        >
          {tool.name}
        </Link>
        <FavoriteButton toolName={tool.name} className={cx("-my-1 -ml-1.5", ROW_CONTROL)} />
        <ToolMarks tool={tool} />
      </span>
      <div className="md:hidden">
        <p dir="auto" className="line-clamp-2 text-mute [overflow-wrap:anywhere]">
          {tool.description}
        </p>
        <span className="mt-1 flex flex-wrap gap-1">
          <TypeBadges tool={tool} />
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

/** The calls that a figure counts. */
function CallsLink({ name, failed = false, children }: { name: string; failed?: boolean; children: ReactNode }) {
  const status = failed ? "&status=failed" : "";
  return (
    <Link
      href={`/executions?tool=${encodeURIComponent(name)}&range=${FIGURE_DAYS}d${status}`}
      className={cx("rounded-xs hover:underline", failed && "text-bad")}
    >
      {children}
    </Link>
  );
}

/** The kind of the tool, and facts to know before a call. */
function TypeBadges({ tool }: { tool: ToolSummary }) {
  return (
    <>
      <Badge>{formatImplementation(tool.implementationType)}</Badge>
      <HintBadges annotations={tool.annotations} />
      <ApprovalHint tool={tool} />
      {hasProblems(tool) && (
        <Badge tone="warn" title={joinNotes(tool)}>
          has problems
        </Badge>
      )}
    </>
  );
}

const joinNotes = ({ quality }: ToolSummary): string => quality.map(({ message }) => message).join("\n");

function QualityLink({ tool }: { tool: ToolSummary }) {
  const count = tool.quality.length;
  if (count === 0) return <span className="text-faint">–</span>;
  return (
    <Link
      href={`/tools/${encodeURIComponent(tool.name)}?tab=definition`}
      title={joinNotes(tool)}
      className="rounded-sm"
    >
      <Badge tone={hasProblems(tool) ? "warn" : "neutral"}>
        {formatPlural(count, "note")}
        <span className="sr-only"> on {tool.name}</span>
      </Badge>
    </Link>
  );
}
