import { callsColumn, failedColumn } from "@/app/_components/executions/summary/figure-columns";
import { CallsLink } from "@/app/_components/servers/summary/calls-link";
import { ConnectionBadge } from "@/app/_components/servers/summary/connection-badge";
import { ServerRowMenu } from "@/app/_components/servers/summary/server-row-menu";
import { PERSONAL_HINT, toServerPath } from "@/app/_components/servers/summary/server-words";
import type { ServerActions } from "@/app/_components/servers/summary/use-server-actions";
import type { Column } from "@/app/_kit/data-table";
import { actionsColumn, figureColumn, statusColumn, textColumn, timeColumn } from "@/app/_kit/list/columns";
import { OwnIcon } from "@/app/_kit/own-icon";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ROW_CONTROL } from "@/app/_ui/row-control";
import type { WaitingChanges } from "@/lib/contract/change-review";
import type { ServerFigures } from "@/lib/contract/execution";
import type { ServerSummary } from "@/lib/contract/server";
import { SERVER_KINDS } from "@/lib/contract/server-kind";
import { FIGURE_DAYS } from "@/lib/contract/tool-filter";
import { formatCount, formatDuration, formatPlural } from "@/lib/format";

/** Of servers that have no tools yet, which are few: its words are loaded with it. */
const ConnectingNote = onDemand(() => import("./connecting-note"), "ConnectingNote", { onServer: true });

/** Of servers whose tools changed. */
const ReviewLink = onDemand(() => import("./review-link"), "ReviewLink", { onServer: true });

interface FiguredServer {
  server: ServerSummary;
  changes: WaitingChanges | undefined;
}

const hasChanges = ({ heldCount, appliedCount }: ServerSummary): boolean => heldCount + appliedCount > 0;

type FiguresByName = ReadonlyMap<string, ServerFigures>;

/**
 * @param figures the calls of servers by name; null until they are read
 * @param changes what changed tools that wait would break, by server
 */
export function buildColumns(
  actions: ServerActions,
  figures: FiguresByName | null,
  changes: ReadonlyMap<string, WaitingChanges>,
): readonly Column<ServerSummary>[] {
  const getStatus = ({ name, state }: ServerSummary) =>
    actions.busy.reconnecting === name ? "connecting" : state.status;
  return [
    statusColumn("Status", (server) => <ConnectionBadge status={getStatus(server)} />, { from: "md" }),
    {
      head: "Name",
      cellClass: "max-md:w-full max-md:max-w-0 max-md:pl-4",
      render: (server) => <ServerName server={server} status={getStatus(server)} changes={changes.get(server.name)} />,
    },
    textColumn("Command or address", ({ target }) => <MiddleCut text={target} className="font-mono text-mute" />, {
      from: "md",
      cellClass: "w-full max-w-0",
    }),
    statusColumn("Tools", (server) => <ToolFigures server={server} changes={changes.get(server.name)} />, {
      from: "md",
      className: "pr-6 text-right",
    }),
    ...(figures === null ? [] : buildFigures(figures)),
    {
      ...timeColumn<ServerSummary>("Last change", ({ lastChange }) => lastChange?.at, {
        from: "lg",
        className: "pl-4",
      }),
      render: ({ lastChange }) => <LastChange change={lastChange} />,
    },
    actionsColumn((server) => <ServerRowMenu server={server} actions={actions} className={ROW_CONTROL} />),
  ];
}

const FIGURE = { from: "lg" } as const;

/** The health of a server at a glance: each figure leads to the calls that it counts. */
function buildFigures(figures: FiguresByName): readonly Column<ServerSummary>[] {
  const source = {
    find: ({ name }: ServerSummary) => figures.get(name),
    link: ({ name }: ServerSummary, figure: string, status?: "failed") => (
      <CallsLink name={name} {...(status && { status, className: "text-bad" })}>
        {figure}
      </CallsLink>
    ),
  };
  return [
    callsColumn("Calls", source, { ...FIGURE, headTitle: `Calls of the last ${FIGURE_DAYS} days` }),
    failedColumn("Failed", source, {
      ...FIGURE,
      headTitle: `Failed among the finished calls of the last ${FIGURE_DAYS} days`,
    }),
    figureColumn("p95", ({ name }) => formatDuration(figures.get(name)?.p95Ms ?? null), {
      ...FIGURE,
      headTitle: `95% of the calls of the last ${FIGURE_DAYS} days took at most this long`,
      cellClass: "text-mute",
    }),
  ];
}

interface ServerNameProps extends FiguredServer {
  status: ServerSummary["state"]["status"];
}

/** On a narrow screen it shows the contents of the hidden columns. */
function ServerName({ server, status, changes }: ServerNameProps) {
  return (
    <div className="min-w-0">
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 md:flex-nowrap">
        <OwnIcon of="server" name={server.name} icon={server.icon} />
        <Link
          href={toServerPath(server.name)}
          data-row=""
          title={server.name}
          className={cx(
            "rounded-xs font-medium font-mono text-xs leading-5 hover:underline max-md:[overflow-wrap:anywhere] md:max-w-64 md:truncate",
            !server.enabled && "text-mute",
          )}
        >
          {server.name}
        </Link>
        <ConnectionBadge status={status} className="md:hidden" />
        <Badge className="max-md:hidden">{SERVER_KINDS[server.transport].label}</Badge>
        {server.credentials === "personal" && <Badge title={PERSONAL_HINT}>personal</Badge>}
        {server.origin === "config" && <Badge title="Defined in the configuration file">configuration</Badge>}
      </span>
      {server.title !== null && (
        <p dir="auto" className="truncate text-mute text-xs md:max-w-64">
          {server.title}
        </p>
      )}
      {status === "connecting" && server.toolCount === 0 && <ConnectingNote server={server} />}
      <div className="mt-1 flex min-w-0 flex-col gap-1 md:hidden">
        <MiddleCut text={server.target} className="font-mono text-mute text-xs leading-5" />
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-mute text-xs">
          <Badge>{SERVER_KINDS[server.transport].label}</Badge>
          <span>{formatPlural(server.toolCount, "tool")}</span>
          {hasChanges(server) && <ReviewLink server={server} changes={changes} />}
          {server.problemCount > 0 && <Badge tone="warn">{formatProblems(server.problemCount)}</Badge>}
          {server.lastChange !== null && <LastChange change={server.lastChange} />}
        </span>
      </div>
    </div>
  );
}

const formatProblems = (count: number): string => `${formatCount(count)} unavailable`;

function ToolFigures({ server, changes }: FiguredServer) {
  return (
    <span className="inline-flex items-center gap-2">
      {hasChanges(server) && <ReviewLink server={server} changes={changes} />}
      {server.problemCount > 0 && (
        <Link
          href={`${toServerPath(server.name)}?tab=tools`}
          className="rounded-sm"
          title="Unavailable tools and reasons"
        >
          <Badge tone="warn">
            {formatProblems(server.problemCount)}
            <span className="sr-only"> tools of {server.name}</span>
          </Badge>
        </Link>
      )}
      <span className="font-mono text-xs leading-5 tabular-nums">{formatCount(server.toolCount)}</span>
    </span>
  );
}

function LastChange({ change }: { change: ServerSummary["lastChange"] }) {
  if (change === null) return <span className="text-faint max-lg:hidden">–</span>;
  return (
    <span className="inline-flex items-center gap-1.5">
      {change.breaking > 0 && <Badge tone="bad">{formatCount(change.breaking)} breaking</Badge>}
      {change.breaking === 0 && <span>{formatPlural(change.other, "change")}</span>}
      <RelativeTime at={change.at} />
    </span>
  );
}

/** The characters kept of the end, which tells most about a command or an address: the folder, the path. */
const TAIL_CHARS = 20;

/**
 * One line, cut in its middle where it does not fit. The whole text stays in the page for those who read with their ears;
 * it is shown whole on hover, and where the row's link has the focus.
 */
function MiddleCut({ text, className }: { text: string; className?: string }) {
  const cut = Math.max(text.length - TAIL_CHARS, 0);
  return (
    <span title={text} className={cx("block min-w-0", className)}>
      <span aria-hidden className="flex min-w-0 group-has-[[data-row]:focus-visible]/row:hidden">
        <span className="min-w-0 truncate whitespace-pre">{text.slice(0, cut)}</span>
        <span className="shrink-0 whitespace-pre">{text.slice(cut)}</span>
      </span>
      <span className="sr-only [overflow-wrap:anywhere] group-has-[[data-row]:focus-visible]/row:not-sr-only">
        {text}
      </span>
    </span>
  );
}
