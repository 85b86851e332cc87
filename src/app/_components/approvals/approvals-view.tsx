"use client";

import { ArrowLeft } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useEffect, useRef, useState } from "react";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { useListKeys } from "@/app/_components/frame/use-list-keys";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { PageHeader } from "@/app/_ui/page-header";
import { TabList, TabPanel } from "@/app/_ui/tab-list";
import type { ApprovalItem } from "@/lib/contract/approval";
import { formatCount } from "@/lib/format";
import { ApprovalCard } from "./approval-card";
import { APPROVAL_PARAMS, APPROVAL_TABS, type ApprovalTab } from "./approval-params";
import { ApprovalRow } from "./approval-row";
import { ApprovalsEmpty } from "./approvals-empty";
import { ApprovalsSkeleton } from "./approvals-skeleton";
import { useApprovalCount } from "./use-approval-count";
import { useApprovalPages } from "./use-approval-pages";

const LABELS: Record<ApprovalTab, string> = { open: "Open", decided: "Decided" };

/** Every call that asks a person, from wherever it comes. */
export function ApprovalsView() {
  const [{ tab }, setAddress] = useQueryStates(APPROVAL_PARAMS);
  const open = useApprovalCount();
  useTabTitle(open);
  return (
    <div className="flex min-h-full flex-col lg:h-full lg:min-h-0">
      <PageHeader
        title="Approvals"
        badges={open !== undefined && open > 0 && <Badge tone="warn">{formatCount(open)} waiting</Badge>}
      >
        <TabList
          label="Approvals by state"
          value={tab}
          onChange={(value) => void setAddress({ tab: value, id: null })}
          tabs={APPROVAL_TABS.map((value) => ({
            value,
            label: LABELS[value],
            ...(value === "open" && open !== undefined ? { count: formatCount(open) } : {}),
          }))}
        />
      </PageHeader>
      {APPROVAL_TABS.map((value) => (
        <TabPanel key={value} value={value} active={tab} label={LABELS[value]} className="flex min-h-0 flex-1 flex-col">
          <QueryBoundary title="The approvals could not be read" skeleton={<ApprovalsSkeleton />}>
            <Inbox tab={value} />
          </QueryBoundary>
        </TabPanel>
      ))}
    </div>
  );
}

/** List and chosen approval side by side; on a narrow screen one of the two. */
function Inbox({ tab }: { tab: ApprovalTab }) {
  const [{ id }, setAddress] = useQueryStates(APPROVAL_PARAMS);
  const pages = useApprovalPages(tab);
  const list = useRef<HTMLUListElement>(null);
  useListKeys({ list });
  // Kept once shown: a card that gave way to the next one under the pointer would have the second click of a double
  // click decide a call that nobody has read.
  const [first, setFirst] = useState<string | null>(null);
  const oldest = pages.items[0]?.executionId;
  if (first === null && oldest !== undefined) setFirst(oldest);
  const shown = id ?? first;
  const choose = (executionId: string) => void setAddress({ id: executionId }, { history: "push" });

  if (pages.items.length === 0 && shown === null) return <ApprovalsEmpty tab={tab} />;
  return (
    <div className="grid min-h-0 flex-1 lg:grid-cols-[minmax(300px,26rem)_minmax(0,1fr)]">
      <section
        aria-label={tab === "open" ? "Waiting calls" : "Decided calls"}
        className={cx("min-h-0 min-w-0 overflow-y-auto border-line lg:border-r", id !== null && "max-lg:hidden")}
      >
        <ul ref={list}>
          {pages.items.map((item) => (
            <ApprovalRow key={item.executionId} item={item} chosen={item.executionId === shown} onChoose={choose} />
          ))}
        </ul>
        {pages.items.length === 0 && <p className="px-4 py-6 text-center text-mute">No other call waits.</p>}
        {pages.error !== null && (
          <p role="alert" className="px-4 py-2 text-bad text-xs">
            The list may be out of date: {pages.error.message}
          </p>
        )}
        {pages.hasMore && (
          <div className="flex justify-center p-3">
            <Button disabled={pages.loadingMore} onClick={pages.loadMore}>
              {pages.loadingMore ? "Reading…" : "Show more"}
            </Button>
          </div>
        )}
      </section>
      <section
        aria-label="Chosen call"
        className={cx("min-h-0 min-w-0 overflow-y-auto p-4", id === null && "max-lg:hidden")}
      >
        <div className="mx-auto flex max-w-4xl flex-col gap-3">
          <Button onClick={() => void setAddress({ id: null })} className="self-start lg:hidden">
            <ArrowLeft aria-hidden size={13} strokeWidth={1.6} />
            All approvals
          </Button>
          {shown !== null && <ApprovalCard key={shown} executionId={shown} />}
          {tab === "open" && <NextOne items={pages.items} shown={shown} onChoose={choose} />}
        </div>
      </section>
    </div>
  );
}

interface NextOneProps {
  items: readonly ApprovalItem[];
  shown: string | null;
  onChoose: (executionId: string) => void;
}

/** Once the chosen call is decided, the way to the one that waits longest. */
function NextOne({ items, shown, onChoose }: NextOneProps) {
  const [next] = items;
  if (next === undefined || items.some(({ executionId }) => executionId === shown)) return null;
  return (
    <div className="flex justify-end">
      <Button onClick={() => onChoose(next.executionId)}>
        Next: <span className="max-w-60 truncate font-mono text-xs">{next.toolName}</span>
      </Button>
    </div>
  );
}

/** The number goes into the browser's tab, where it is seen from another one. */
function useTabTitle(open: number | undefined): void {
  // Outside system: the document's title.
  useEffect(() => {
    if (open === undefined) return;
    document.title = open > 0 ? `Approvals (${open}) · Toolroom` : "Approvals · Toolroom";
  }, [open]);
}
