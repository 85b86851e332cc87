import { Pin } from "lucide-react";
import type { ComponentProps, MouseEvent } from "react";
import { ExecutionBadge } from "@/app/_components/executions/summary/execution-badge";
import { formatExecutionOrigin } from "@/app/_components/executions/summary/execution-origin";
import { formatStoredSize } from "@/app/_components/executions/summary/stored-size";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { figureColumn, selectColumn, statusColumn, textColumn } from "@/app/_kit/list/columns";
import { isRowPress } from "@/app/_kit/row-press";
import { IconButton } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ROW_CONTROL } from "@/app/_ui/row-control";
import { classifyCall, isFailedClass } from "@/lib/contract/call-class";
import type { ExecutionSummary } from "@/lib/contract/execution";
import { formatTitle, getKind } from "@/lib/contract/execution-kind";
import { formatBytes, formatDuration } from "@/lib/format";
import { formatDollars } from "@/lib/format/dollars";

// Reads of resources and prompts have an icon; most executions are of tools.
const ReadIcon = onDemand(() => import("../summary/read-icon"), "ReadIcon", { onServer: true });

interface ExecutionTableProps {
  rows: readonly ExecutionSummary[];
  peekedId: string | null;
  selectedIds: readonly string[];
  /** Whether calls of more than one actor are recorded. */
  withCaller: boolean;
  /** A drawer beside the table leaves room for the columns that say which call it is. */
  isNarrow: boolean;
  /** The text that is searched for: its matches are marked. */
  search: string;
  sort: string | null;
  onSort: (sort: string | null) => void;
  onPeek: (id: string) => void;
  onToggleSelected: (id: string) => void;
  onTogglePinned: (row: ExecutionSummary) => void;
  /** The focus handling from `useRowKeys`. */
  rowKeys: {
    getTabIndex: (row: ExecutionSummary) => number;
    rowProps: (row: ExecutionSummary) => ComponentProps<"tr">;
  };
}

export function ExecutionTable(props: ExecutionTableProps) {
  const { rows, peekedId, selectedIds, onPeek, rowKeys } = props;
  const rowProps = (row: ExecutionSummary) => {
    const selected = selectedIds.includes(row.id);
    return {
      "data-execution": row.id,
      "data-row": "",
      ...rowKeys.rowProps(row),
      onClick: (event: MouseEvent) => {
        if (isRowPress(event)) onPeek(row.id);
      },
      className: cx(
        "-outline-offset-2 cursor-pointer",
        (selected || row.id === peekedId) && "bg-accent-bg",
        selected && "shadow-[inset_2px_0_0_var(--color-accent)]",
      ),
    };
  };
  return (
    <DataTable
      label="Executions"
      look="log"
      columns={[...buildControls(props), ...buildLinks(props), ...buildFacts(props)]}
      sort={props.sort}
      onSort={props.onSort}
      rows={rows}
      toKey={({ id }) => id}
      rowProps={rowProps}
    />
  );
}

type Columns = readonly Column<ExecutionSummary>[];

function buildControls({ selectedIds, onToggleSelected, onTogglePinned, rowKeys }: ExecutionTableProps): Columns {
  return [
    selectColumn("Selected", {
      label: (row) => `Select ${formatTitle(row)} ${row.id} for comparison`,
      isSelected: ({ id }) => selectedIds.includes(id),
      onSelect: ({ id }) => onToggleSelected(id),
      tabIndex: rowKeys.getTabIndex,
      cellClass: "w-8 pr-0!",
    }),
    {
      head: "Pinned",
      headHidden: true,
      className: "max-sm:hidden",
      cellClass: "w-8 px-0!",
      render: (row) => (
        <IconButton
          needs="run"
          label={row.pinned ? "Unpin" : "Pin"}
          aria-pressed={row.pinned}
          className={cx("align-middle", ROW_CONTROL)}
          tabIndex={rowKeys.getTabIndex(row)}
          onClick={() => onTogglePinned(row)}
        >
          <Pin size={15} className={row.pinned ? "fill-current" : "text-faint"} />
        </IconButton>
      ),
    },
  ];
}

/** A long name takes no room from the other columns. */
const TOOL_WIDTH = "max-w-32 lg:max-w-40 xl:max-w-44 min-[90rem]:max-w-64 2xl:max-w-120";

function buildLinks({ isNarrow, rowKeys, onPeek, search }: ExecutionTableProps): Columns {
  return [
    statusColumn("Status", (row) => <ExecutionBadge execution={row} />, { cellClass: "w-28" }),
    {
      head: "Tool",
      cellClass: cx(
        "truncate max-sm:w-full max-sm:max-w-0! max-sm:py-1.5",
        isNarrow ? "max-w-28 min-[90rem]:max-w-36" : TOOL_WIDTH,
      ),
      render: (row) => (
        <>
          <Link
            href={`/executions/${row.id}`}
            tabIndex={rowKeys.getTabIndex(row)}
            className="font-mono text-xs hover:underline max-sm:block max-sm:truncate"
            aria-label={`${formatTitle(row)}, ${row.id}`}
            // A click does what it does anywhere on the row. Enter, and a click with a modifier, open the page.
            onClick={(event) => {
              if (event.detail === 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              onPeek(row.id);
            }}
          >
            <KindIcon kind={getKind(row)} />
            {formatTitle(row)}
          </Link>
          {row.calledAs !== undefined && <span className="ml-1.5 font-mono text-mute text-xs">as {row.calledAs}</span>}
          <div className="truncate font-mono text-2xs text-mute sm:hidden">
            <ErrorAndArguments row={row} search={search} />
          </div>
        </>
      ),
    },
  ];
}

const SOURCE = textColumn<ExecutionSummary>(
  "Source",
  (row) => <span title={row.runId ?? undefined}>{formatExecutionOrigin(row)}</span>,
  { from: "lg", cellClass: "max-w-28 truncate xl:max-w-36 min-[90rem]:max-w-52 2xl:max-w-60" },
);

const CALLER = textColumn<ExecutionSummary>("Caller", ({ actor }) => <bdi>{actor.name}</bdi>, {
  from: "xl",
  cellClass: "max-w-36 truncate text-mute",
});

function KindIcon({ kind }: { kind: ReturnType<typeof getKind> }) {
  return kind === "tool" ? null : <ReadIcon kind={kind} />;
}

/** A text with the matches of a search marked, in any case. */
function Marked({ text, search }: { text: string; search: string }) {
  const wanted = search.trim();
  const at = wanted === "" ? -1 : text.toLowerCase().indexOf(wanted.toLowerCase());
  if (at === -1) return text;
  const end = at + wanted.length;
  return (
    <>
      {text.slice(0, at)}
      <mark className="rounded-xs bg-accent-bg text-text">{text.slice(at, end)}</mark>
      <Marked text={text.slice(end)} search={search} />
    </>
  );
}

/** Shows the error first: a failed row is read for its error. */
function ErrorAndArguments({ row, search }: { row: ExecutionSummary; search: string }) {
  const { argumentsPreview, errorPreview, match } = row;
  const failed = isFailedClass(classifyCall(row));
  return (
    <>
      {errorPreview !== null && (
        <bdi className={failed ? "text-bad" : "text-text"}>
          <Marked text={errorPreview} search={search} />
        </bdi>
      )}{" "}
      {match && (
        <>
          <span className="font-sans text-faint">found in {match.in}</span>{" "}
          <bdi className="text-text">
            <Marked text={match.text} search={search} />
          </bdi>{" "}
        </>
      )}
      <bdi dir="ltr">
        <Marked text={argumentsPreview} search={search} />
      </bdi>
    </>
  );
}

/** On a phone the last column is the time, or what the rows are sorted by. */
const buildFacts = ({ rows, withCaller, isNarrow, search, sort }: ExecutionTableProps): Columns => [
  textColumn("Arguments", (row) => <ErrorAndArguments row={row} search={search} />, {
    from: "sm",
    cellClass: cx("w-full min-w-24 max-w-0 truncate font-mono text-mute text-xs", !isNarrow && "xl:min-w-40"),
  }),
  ...(isNarrow ? [] : withCaller ? [SOURCE, CALLER] : [SOURCE]),
  {
    head: "Started",
    newestFirst: true,
    className: sort === null ? undefined : "max-sm:hidden",
    cellClass: "text-mute",
    render: ({ queuedAt }) => <RelativeTime at={queuedAt} />,
  },
  figureColumn("Duration", ({ durationMs }) => formatDuration(durationMs), {
    sortKey: "duration",
    className: cx(isNarrow && "pr-4", !sort?.endsWith("duration") && "max-sm:hidden"),
  }),
  ...(rows.some(({ cost }) => cost !== undefined) ? [COST] : []),
  ...(isNarrow && !sort?.endsWith("size") ? [] : [buildSize(sort)]),
];

/** Shows the cost where a call has a price. */
const COST = figureColumn<ExecutionSummary>("Cost", ({ cost }) => (cost === undefined ? "" : formatDollars(cost)), {
  className: "max-lg:hidden",
  headTitle: "By the prices of rules",
});

const buildSize = (sort: string | null) =>
  figureColumn<ExecutionSummary>(
    "Size",
    (row) => <span title={formatStoredSize(row)}>{formatBytes(row.storedBytes)}</span>,
    {
      sortKey: "size",
      className: cx("pr-4", !sort?.endsWith("size") && "max-lg:hidden"),
      cellClass: "text-mute",
      headTitle: "Of the stored result",
    },
  );
