"use client";

import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { usePathname } from "next/navigation";
import { parseAsString, useQueryState, useQueryStates } from "nuqs";
import type { ReactNode } from "react";
import { toCompareRunsPath } from "@/app/_components/runs/summary/compare-path";
import { RunBadge } from "@/app/_components/runs/summary/run-badge";
import { RUN_SOURCE_LABELS } from "@/app/_components/runs/summary/run-labels";
import type { Column } from "@/app/_kit/data-table";
import { ResourceList } from "@/app/_kit/list/resource-list";
import { useList } from "@/app/_kit/list/use-list";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { pressRow } from "@/app/_kit/row-press";
import { usePages } from "@/app/_kit/use-pages";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { trpc } from "@/app/_trpc/client";
import { ButtonLink } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { useHydrated } from "@/app/_ui/use-hydrated";
import type { RunSummary } from "@/lib/contract/run";
import { getRunFilters, RUN_PAGE_ROWS } from "./run-filters";

const toRunPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;
const toRunId = ({ id }: RunSummary): string => id;

/** On the server the layout does not know the address, so it renders the list without a filter. */
const NO_FILTER = {};

/** The page with nothing open: on a phone the list is all of it. */
const INDEX = "/runs";

/** The list of conversations on the left, and one of them open beside it; on a phone one of the two. */
export function ConversationsFrame({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  const { isOpen, isPicking } = useComparison(pathname);
  const isIndex = pathname === INDEX || isPicking;
  return (
    <div className="flex h-full min-h-0">
      {!isOpen && (
        <section
          aria-label="Conversations"
          className={cx(
            "flex min-h-0 flex-col border-line bg-panel lg:w-64 lg:shrink-0 lg:border-r",
            isIndex ? "max-lg:flex-1" : "max-lg:hidden",
          )}
        >
          <ListHead isIndex={pathname === INDEX} isPicking={isPicking} />
          <QueryBoundary title="Couldn't load conversations" skeleton={<ViewSkeleton of="approvals" />}>
            <ConversationList pathname={pathname} />
          </QueryBoundary>
        </section>
      )}
      <div className={cx("min-h-0 min-w-0", isIndex ? "max-lg:hidden lg:flex-1" : "flex-1 overflow-y-auto")}>
        {children}
      </div>
    </div>
  );
}

/** Stays visible while the list below it is read. */
function ListHead({ isIndex, isPicking }: { isIndex: boolean; isPicking: boolean }) {
  const Heading = isIndex ? "h1" : "h2";
  return (
    <header className="flex min-h-13 shrink-0 items-center gap-2 border-line border-b px-4">
      <Heading className="font-semibold text-base">{isPicking ? "Compare with" : "Conversations"}</Heading>
      <ButtonLink icon={Plus} href="/playground" className="ml-auto">
        New
      </ButtonLink>
    </header>
  );
}

/** Every run from any source, newest first. */
export function ConversationList({ pathname }: { pathname: string }) {
  const current = useCurrentId(pathname);
  const list = useList(getRunFilters(pathname));
  const filter = useHydrated() ? list.filter : NO_FILTER;
  const query = useSuspenseInfiniteQuery(
    trpc.runs.list.infiniteQueryOptions({ filter, limit: RUN_PAGE_ROWS }, BY_CURSOR),
  );
  const runs = usePages(query, { toKey: toRunId, isStale: (event) => event.type === "run", intervalMs: 500 });
  const { left, isPicking } = useComparison(pathname);
  const kept = toQuery(list.params);
  const toHref = ({ id }: RunSummary): string => (isPicking ? toCompareRunsPath(left, id) : `${toRunPath(id)}${kept}`);
  return (
    <ResourceList
      label="Conversations"
      look="panel"
      toKey={toRunId}
      columns={[{ ...COLUMN, render: (run) => <ConversationLine run={run} href={toHref(run)} /> }]}
      rowProps={(row) => ({
        "aria-current": row.id === current ? "page" : undefined,
        onClick: pressRow,
        className: "cursor-pointer focus-within:bg-rail aria-[current=page]:bg-accent-bg",
      })}
      list={list}
      rows={runs}
      noMatch={{ title: "No matching conversations", text: "New matches appear automatically." }}
      empty={<EmptyState title="No conversations yet">Every message, call and result is recorded here.</EmptyState>}
    />
  );
}

const COLUMN: Omit<Column<RunSummary>, "render"> = {
  head: "Conversation",
  headHidden: true,
  headClass: "p-0!",
  cellClass: "w-full max-w-0 px-4!",
};

/** The filters of the list as they go into the address of what is opened from it. */
function toQuery({ q, status, source }: { q: string; status: readonly string[]; source: readonly string[] }): string {
  const kept = Object.entries({ q, status: status.join(","), source: source.join(",") }).filter(
    ([, value]) => value !== "",
  );
  return kept.length === 0 ? "" : `?${new URLSearchParams(kept)}`;
}

/** Two lines: what it is about, and how it stands. A click anywhere in the row opens the link. */
function ConversationLine({ run, href }: { run: RunSummary; href: string }) {
  const { id, title, status, startedAt } = run;
  return (
    <div data-status={status === "succeeded" ? status : undefined} className="flex min-w-0 flex-col gap-0.5">
      <Link
        data-row=""
        href={href}
        title={title === "" ? id : title}
        className="-outline-offset-2 block truncate font-medium"
      >
        <bdi>{title === "" ? id : title}</bdi>
      </Link>
      <span className="flex min-w-0 items-center gap-2 text-mute text-xs">
        <RunLine run={run} />
        <span className="ml-auto shrink-0">
          <RelativeTime at={startedAt} />
        </span>
      </span>
    </div>
  );
}

function RunLine({ run }: { run: RunSummary }) {
  const { model, source, parentId } = run;
  const kind = [source === "agent" ? null : RUN_SOURCE_LABELS[source], parentId === null ? null : "Rerun"];
  return (
    <>
      {run.status !== "succeeded" && <RunBadge run={run} />}
      <span className="min-w-0 truncate">{[...kind, model].filter((part) => part !== null).join(" · ")}</span>
    </>
  );
}

/** Two runs that are compared need all the room; while the second is to be chosen, the list chooses it. */
function useComparison(pathname: string): { left: string; isOpen: boolean; isPicking: boolean } {
  const [{ left, right }] = useQueryStates({ left: parseAsString.withDefault(""), right: parseAsString });
  const isCompare = pathname === "/runs/compare";
  return { left, isOpen: isCompare && right !== null, isPicking: isCompare && right === null && left !== "" };
}

/** The id of the open conversation. */
function useCurrentId(pathname: string): string | null {
  const [run] = useQueryState("run", parseAsString);
  return pathname === "/playground" ? run : (pathname.split("/").at(-1) ?? null);
}
