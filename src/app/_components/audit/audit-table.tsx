import { ChevronRight } from "lucide-react";
import dynamic from "next/dynamic";
import { type Column, DataTable, type Disclosure } from "@/app/_kit/data-table";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { AuditEntry } from "@/lib/contract/audit";
import { formatCount } from "@/lib/format";
import { DOOR_LABELS, OUTCOME_LABELS, OUTCOME_TONES } from "./audit-labels";

// Few of the rows are opened.
const AuditDetail = dynamic(() => import("./audit-detail").then((module) => module.AuditDetail));

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    head: "Action",
    className: "pl-4",
    render: (entry, disclosure) => <ActionCell entry={entry} disclosure={disclosure} />,
  },
  {
    head: "Target",
    className: "max-sm:hidden",
    cellClass: "max-w-72 truncate",
    render: ({ target }) =>
      target !== null && (
        <>
          <bdi title={target.name}>{target.name}</bdi>
          <span className="ml-1.5 text-faint text-xs">{target.kind}</span>
        </>
      ),
  },
  {
    head: "Outcome",
    className: "w-28",
    render: ({ outcome, times }) => (
      <>
        <Badge tone={OUTCOME_TONES[outcome]}>{OUTCOME_LABELS[outcome]}</Badge>
        {times > 1 && <span className="ml-1.5 text-mute text-xs">× {formatCount(times)}</span>}
      </>
    ),
  },
  {
    head: "Actor",
    className: "max-sm:hidden",
    cellClass: "max-w-48 truncate",
    render: ({ actor, token }) => (
      <>
        <bdi title={actor.id}>{actor.name}</bdi>
        {token !== null && <bdi className="ml-1.5 text-faint text-xs max-md:hidden">token {token}</bdi>}
      </>
    ),
  },
  {
    head: "From",
    className: "max-lg:hidden",
    cellClass: "text-mute text-xs",
    render: ({ door, address }) => (
      <>
        {DOOR_LABELS[door]}
        {address !== null && <span className="ml-1.5 font-mono text-faint">{address}</span>}
      </>
    ),
  },
  {
    head: "Time",
    className: "pr-4",
    newestFirst: true,
    cellClass: "whitespace-nowrap text-mute text-xs",
    render: ({ at }) => <RelativeTime at={at} clock />,
  },
];

export function AuditTable({ rows }: { rows: readonly AuditEntry[] }) {
  return (
    <DataTable
      label="Audit log"
      look="log"
      columns={COLUMNS}
      rows={rows}
      keyOf={({ seq }) => String(seq)}
      renderDetail={(entry, { open, id }) =>
        open && (
          <tr id={id}>
            <td colSpan={COLUMNS.length} className="whitespace-normal bg-rail px-4 py-3 leading-normal">
              <AuditDetail entry={entry} />
            </td>
          </tr>
        )
      }
    />
  );
}

function ActionCell({ entry, disclosure }: { entry: AuditEntry; disclosure: Disclosure }) {
  const { open, toggle, id } = disclosure;
  return (
    <button
      type="button"
      data-row=""
      aria-expanded={open}
      aria-controls={open ? id : undefined}
      onClick={toggle}
      className="-ml-1 inline-flex max-w-full items-center gap-1 rounded-sm px-1 font-mono text-xs hover:text-accent"
    >
      <ChevronRight
        aria-hidden
        size={13}
        strokeWidth={1.8}
        className={cx("shrink-0 text-faint", open && "rotate-90")}
      />
      {entry.action}
    </button>
  );
}
