"use client";

import { useQuery, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { ChevronRight, Download } from "lucide-react";
import type { Column, Disclosure } from "@/app/_kit/data-table";
import { statusColumn, textColumn, timeColumn } from "@/app/_kit/list/columns";
import { type ListDeclaration, ResourceList } from "@/app/_kit/list/resource-list";
import { useList } from "@/app/_kit/list/use-list";
import { usePages } from "@/app/_kit/use-pages";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Badge } from "@/app/_ui/badge";
import { buttonClass } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import { onDemand } from "@/app/_ui/on-demand";
import { toAddress } from "@/lib/base-path";
import type { AuditEntry } from "@/lib/contract/audit-entry";
import type { AuditFilter, AuditFormat } from "@/lib/contract/audit-filter";
import { formatCount } from "@/lib/format";
import { AUDIT_FILTERS, AUDIT_PAGE_ROWS, DOOR_LABELS, OUTCOME_LABELS, OUTCOME_TONES } from "./audit-filters";
import { describeAction } from "./audit-words";

// Few of the rows are opened.
const AuditDetail = onDemand(() => import("./audit-detail"), "AuditDetail", { onServer: true });

const COLUMNS: readonly Column<AuditEntry>[] = [
  textColumn("Action", (entry, disclosure) => <ActionCell entry={entry} disclosure={disclosure} />, {
    cellClass: "max-sm:w-full max-sm:max-w-0",
  }),
  textColumn(
    "Target",
    ({ target }) =>
      target !== null && (
        <>
          <bdi title={target.name}>{target.name}</bdi>
          <span className="ml-1.5 text-faint text-xs">{target.kind}</span>
        </>
      ),
    { from: "sm", cellClass: "max-w-72 truncate" },
  ),
  statusColumn(
    "Outcome",
    ({ outcome, times }) => (
      <>
        <Badge tone={OUTCOME_TONES[outcome]}>{OUTCOME_LABELS[outcome]}</Badge>
        {times > 1 && <span className="ml-1.5 text-mute text-xs">× {formatCount(times)}</span>}
      </>
    ),
    { className: "w-28" },
  ),
  textColumn(
    "Actor",
    ({ actor, token }) => (
      <>
        <bdi title={actor.id}>{actor.name}</bdi>
        {token !== null && <bdi className="ml-1.5 text-faint text-xs max-md:hidden">token {token}</bdi>}
      </>
    ),
    { from: "sm", cellClass: "max-w-48 truncate" },
  ),
  textColumn(
    "From",
    ({ door, address }) => (
      <>
        {DOOR_LABELS[door]}
        {address !== null && <span className="ml-1.5 font-mono text-faint">{address}</span>}
      </>
    ),
    { from: "lg", cellClass: "text-mute text-xs" },
  ),
  timeColumn("Time", ({ at }) => at, { newestFirst: true, className: "pr-4" }),
];

const AUDIT_LIST: ListDeclaration<AuditEntry> = {
  label: "Audit log",
  look: "log",
  toKey: ({ seq }) => String(seq),
  noMatch: { title: "No matching entries" },
  empty: (
    <EmptyState heading="h2" title="No entries yet">
      Changes, sign-ins, approvals, denied attempts and exports are recorded here.
    </EmptyState>
  ),
};

/** The list of who changed or tried what, for admins. */
export function AuditView() {
  const denial = useDenial("administer");
  if (denial !== null) return <EmptyState title="Only admins can see the audit log">{denial}.</EmptyState>;
  return <AuditList />;
}

function AuditList() {
  const list = useList(AUDIT_FILTERS);
  const { data: facets } = useQuery(trpc.audit.facets.queryOptions());
  const pages = useAuditPages(list.filter);
  const exported = AUDIT_FILTERS.toFilter(list.params);
  return (
    <ResourceList
      {...AUDIT_LIST}
      columns={COLUMNS}
      list={list}
      rows={pages}
      choices={{
        actor: new Map(facets?.actors.map(({ id, name }) => [id, name])),
        action: new Map(facets?.actions.map((action) => [action, describeAction(action)])),
        target: facets?.targets,
      }}
      tools={
        <>
          <ExportLink format="JSON Lines" href={toExportPath("jsonl", exported)} />
          <ExportLink format="CSV" href={toExportPath("csv", exported)} />
        </>
      }
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

/** Looks like a button; the browser saves the file at its address. */
function ExportLink({ href, format }: { href: string; format: string }) {
  return (
    <a href={href} download aria-label={`Export as ${format}`} className={buttonClass({ size: "md" })}>
      <Download size={13} />
      {format}
    </a>
  );
}

/** Returns the path of the download of all matching entries. */
function toExportPath(format: AuditFormat, filter: AuditFilter): string {
  return toAddress(`/api/audit/export?${new URLSearchParams({ format, filter: JSON.stringify(filter) })}`);
}

const toKey = ({ seq }: AuditEntry): number => seq;
/** The events that most changes publish; a denied attempt appears with the next of them. */
const STALE = new Set([
  "tools",
  "toolsets",
  "skills",
  "servers",
  "approvals",
  "models",
  "run",
  "transcript",
  "interactions",
  "reset",
]);

/** Entries under a filter, newest first. */
function useAuditPages(filter: AuditFilter) {
  const query = useSuspenseInfiniteQuery(
    trpc.audit.list.infiniteQueryOptions({ filter, limit: AUDIT_PAGE_ROWS }, BY_CURSOR),
  );
  return usePages(query, { toKey: toKey, isStale: ({ type }) => STALE.has(type), intervalMs: 2_000 });
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
      title={entry.action}
      className="-ml-1 inline-flex max-w-full items-center gap-1 rounded-sm px-1 text-left hover:text-accent max-sm:min-h-10"
    >
      <ChevronRight size={13} strokeWidth={1.8} className={cx("shrink-0 text-faint", open && "rotate-90")} />
      <span className="min-w-0 max-sm:py-1.5 max-sm:leading-5">
        <span className="block truncate">{describeAction(entry.action)}</span>
        {entry.target !== null && (
          <bdi className="block truncate text-mute text-xs sm:hidden">
            {entry.target.name} <span className="text-faint">{entry.target.kind}</span>
          </bdi>
        )}
      </span>
    </button>
  );
}
