"use client";

import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useDeferredValue, useMemo, useRef } from "react";
import { ListEnd } from "@/app/_kit/list-end";
import { useListKeys } from "@/app/_kit/use-list-keys";
import { usePages } from "@/app/_kit/use-pages";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { useTRPC } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import type { AuditEntry } from "@/lib/contract/audit";
import type { AuditFilter } from "@/lib/contract/audit-filter";
import { AuditFilterBar } from "./audit-filter-bar";
import { AUDIT_FILTER_PARAMS, AUDIT_PAGE_ROWS, type AuditFilterParams, toAuditFilter } from "./audit-filter-params";
import { AuditTable } from "./audit-table";

/** Who changed or tried what; for admins. `j` and `k` move, Enter opens. */
export function AuditView() {
  const denial = useDenial("administer");
  if (denial !== null) return <EmptyState title="Only admins can see the audit log">{denial}.</EmptyState>;
  return <AuditList />;
}

function AuditList() {
  const [params, setParams] = useQueryStates(AUDIT_FILTER_PARAMS);
  const filter = useMemo(() => toAuditFilter(params), [params]);
  const shownFilter = useDeferredValue(filter);
  const pages = useAuditPages(shownFilter);
  const list = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  useListKeys({ list, search });
  const clear = (): void => void setParams(null);
  const change = (part: Partial<AuditFilterParams>): void => void setParams(part);
  return (
    <>
      <AuditFilterBar params={params} onChange={change} onClear={clear} searchRef={search} />
      <div
        ref={list}
        aria-busy={filter !== shownFilter}
        className={cx("min-h-0 flex-1 overflow-auto bg-panel", filter !== shownFilter && "opacity-60")}
      >
        {pages.rows.length > 0 ? (
          <AuditTable rows={pages.rows} />
        ) : (
          <NoEntries filtered={Object.keys(filter).length > 0} onClear={clear} />
        )}
        <ListEnd pages={pages} beginning="End of list" />
      </div>
    </>
  );
}

function NoEntries({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <EmptyState heading="h2" title="No matching entries" action={<Button onClick={onClear}>Clear filters</Button>} />
    );
  }
  return (
    <EmptyState heading="h2" title="No entries yet">
      Changes, sign-ins, approvals, denied attempts and exports are recorded here.
    </EmptyState>
  );
}

const keyOf = ({ seq }: AuditEntry): number => seq;
/** What most changes publish; a denied attempt appears with the next of them. */
const STALE = new Set([
  "tools",
  "toolsets",
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
  const trpc = useTRPC();
  const query = useSuspenseInfiniteQuery(
    trpc.audit.list.infiniteQueryOptions({ filter, limit: AUDIT_PAGE_ROWS }, BY_CURSOR),
  );
  return usePages(query, { keyOf, isStale: ({ type }) => STALE.has(type), intervalMs: 2_000 });
}
