"use client";

import { useQuery, useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { ArrowLeft, ListChecks } from "lucide-react";
import { useQueryStates } from "nuqs";
import { useEffect, useState } from "react";
import { KeyHint, useInboxKey } from "@/app/_components/approvals/summary/inbox-keys";
import { useApprovalCount } from "@/app/_components/approvals/summary/use-approval-count";
import { RULES_PATH } from "@/app/_components/rules/summary/rule-paths";
import { ResourceList } from "@/app/_kit/list/resource-list";
import { PaneHandle } from "@/app/_kit/pane-handle";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { pressRow } from "@/app/_kit/row-press";
import { useAction } from "@/app/_kit/use-action";
import { usePages } from "@/app/_kit/use-pages";
import { ViewSkeleton } from "@/app/_kit/view-skeleton";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button, ButtonLink } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { cx } from "@/app/_ui/class-names";
import { EmptyState } from "@/app/_ui/empty-state";
import { onDemand } from "@/app/_ui/on-demand";
import { PageHeader } from "@/app/_ui/page-header";
import { TabList, TabPanel } from "@/app/_ui/tab-list";
import type { ApprovalItem, KeptApproval } from "@/lib/contract/approval";
import { describeApprovers, findApproverRule } from "@/lib/contract/approver";
import { formatCount, formatPlural } from "@/lib/format";
import { buildColumns } from "./approval-columns";
import { APPROVAL_PARAMS, APPROVAL_ROWS, APPROVAL_TABS, type ApprovalTab } from "./approval-params";

// An empty inbox needs no card.
const ApprovalCard = onDemand(() => import("../detail/approval-card"), "ApprovalCard", { onServer: true });
const BulkBar = onDemand(() => import("./bulk-bar"), "BulkBar");
const LinkNotices = onDemand(() => import("../link/link-notices"), "LinkNotices");
const NotifyButton = onDemand(() => import("../summary/approval-notifier"), "NotifyButton");

/** The style of the row whose card is shown. */
const CHOSEN = "bg-accent-bg shadow-[inset_2px_0_0_var(--color-accent)]";
const LABELS: Record<ApprovalTab, string> = { open: "Open", decided: "Decided" };

/** Every call that requires approval, from any source. */
export function ApprovalsView() {
  const [{ tab }, setAddress] = useQueryStates(APPROVAL_PARAMS);
  const open = useApprovalCount();
  useTabTitle(open);
  return (
    <div className="flex min-h-full flex-col lg:h-full lg:min-h-0">
      <PageHeader
        title="Approvals"
        badges={
          open !== undefined &&
          open > 0 && <Badge tone="warn">{formatPlural(open, "needs approval", "need approval")}</Badge>
        }
        actions={
          <>
            <NotifyButton />
            <ButtonLink icon={ListChecks} href={RULES_PATH}>
              Rules
            </ButtonLink>
          </>
        }
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
      <LinkNotices />
      <KeptApprovals />
      {APPROVAL_TABS.map((value) => (
        <TabPanel key={value} value={value} active={tab} label={LABELS[value]} className="flex min-h-0 flex-1 flex-col">
          <QueryBoundary title="Couldn't load approvals" skeleton={<ViewSkeleton of="approvals" />}>
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
  // The first card stays once shown. Replaced under the pointer, the next card would take the second click of a double
  // click.
  const [first, setFirst] = useState<string | null>(null);
  const oldest = pages.rows[0]?.executionId;
  if (first === null && oldest !== undefined) setFirst(oldest);
  const shown = id ?? first;
  const [picked, setPicked] = useState<readonly string[]>([]);
  const selected = pages.rows.map(toKey).filter((executionId) => picked.includes(executionId));
  // The bar stays after a decision, to show its outcome.
  const [wasSelectable, setSelectable] = useState(false);
  if (tab === "open" && pages.rows.length > 1 && !wasSelectable) setSelectable(true);
  const selectable = tab === "open" && wasSelectable;
  const toggle = (executionId: string) =>
    setPicked(
      picked.includes(executionId) ? picked.filter((other) => other !== executionId) : [...picked, executionId],
    );
  const choose = (executionId: string) => void setAddress({ id: executionId }, { history: "push" });

  if (pages.rows.length === 0 && shown === null) return <ApprovalsEmpty tab={tab} />;
  return (
    <div className="grid min-h-0 flex-1 lg:grid-cols-[clamp(300px,var(--pane-approvals,26rem),calc(100%-340px))_0_minmax(0,1fr)]">
      <section
        aria-label={tab === "open" ? "Pending approvals" : "Decided calls"}
        className={cx("flex min-h-0 min-w-0 flex-col border-line bg-panel lg:border-r", id !== null && "max-lg:hidden")}
      >
        <ResourceList
          label={LABELS[tab]}
          look="catalog"
          columns={buildColumns({ tab, shown, onChoose: choose, selected, onSelect: selectable ? toggle : undefined })}
          rows={pages}
          sorted={tab === "open"}
          toKey={toKey}
          rowProps={({ executionId }) => ({
            onClick: pressRow,
            className: cx("cursor-pointer", executionId === shown && CHOSEN),
          })}
          empty={<p className="px-4 py-6 text-center text-mute">No other pending approvals.</p>}
        >
          {selectable && (
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-1.5">
              <label className="flex items-center gap-2 text-mute text-xs max-sm:min-h-10">
                <Checkbox
                  checked={selected.length === pages.rows.length && selected.length > 0}
                  onChange={(checked) => setPicked(checked ? pages.rows.map(toKey) : [])}
                />
                Select all
              </label>
              <BulkBar selected={selected} onDecided={setPicked} />
            </div>
          )}
        </ResourceList>
      </section>
      <PaneHandle pane="approvals" label="Resize the list" resizes="before" className="max-lg:hidden" />
      <section
        aria-label="Selected call"
        className={cx("min-h-0 min-w-0 overflow-y-auto p-4", id === null && "max-lg:hidden")}
      >
        <div className="mx-auto flex max-w-4xl flex-col gap-3">
          <Button icon={ArrowLeft} onClick={() => void setAddress({ id: null })} className="self-start lg:hidden">
            All approvals
          </Button>
          {shown !== null && <ApprovalCard key={shown} executionId={shown} keys />}
          {tab === "open" && <NextOne items={pages.rows} shown={shown} onChoose={choose} />}
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

/** The way to the call after the chosen one; once that is decided, to the one that waits longest. */
function NextOne({ items, shown, onChoose }: NextOneProps) {
  const at = items.findIndex(({ executionId }) => executionId === shown);
  const next = items[(at + 1) % Math.max(1, items.length)];
  const goOn = next === undefined || next.executionId === shown ? null : () => onChoose(next.executionId);
  useInboxKey("n", goOn);
  if (goOn === null) return null;
  return (
    <div className="flex justify-end">
      <Button onClick={goOn}>
        Next: <span className="max-w-60 truncate font-mono text-xs">{next?.toolName}</span>
        <KeyHint keys="n" />
      </Button>
    </div>
  );
}

/** Shows the number in the title of the browser's tab, which is visible from other tabs. */
function useTabTitle(open: number | undefined): void {
  // Outside system: the document's title.
  useEffect(() => {
    if (open === undefined) return;
    document.title = open > 0 ? `Approvals (${open}) · Toolroom` : "Approvals · Toolroom";
  }, [open]);
}

const toKey = ({ executionId }: ApprovalItem): string => executionId;

/** The inbox: open approvals oldest first, decided ones newest first. */
function useApprovalPages(status: ApprovalTab) {
  const query = useSuspenseInfiniteQuery(
    trpc.approvals.list.infiniteQueryOptions({ status, limit: APPROVAL_ROWS }, BY_CURSOR),
  );
  return usePages(query, { toKey, isStale: (event) => event.type === "approvals" });
}

/** Names the tools that require approval, and how to change that. */
function ApprovalsEmpty({ tab }: { tab: ApprovalTab }) {
  const { data } = useQuery(trpc.tools.list.queryOptions({ filter: { approval: "asks" }, limit: 1 }));
  const asking = data?.matching;
  return (
    <EmptyState
      heading="h2"
      title={tab === "open" ? "No pending approvals" : "No decisions yet"}
      action={<ButtonLink href="/tools?approval=asks">Tools requiring approval</ButtonLink>}
    >
      <p>
        {asking === undefined
          ? "Some tools require approval before they run."
          : asking === 0
            ? "No tool requires approval."
            : `${formatPlural(asking, "tool requires", "tools require")} approval.`}{" "}
        Their calls from the console, agents and the gateway appear here.
      </p>
      <p className="mt-2">
        Change this on a tool's page or in a server's approval policy. Otherwise the tool's definition, its destructive
        hint and the global policy decide.
      </p>
    </EmptyState>
  );
}

/** Approval settings of names that no tool has now: they apply to the next tool of the name until they are removed. */
function KeptApprovals() {
  const { data = [], refetch } = useQuery(trpc.tools.keptApprovals.queryOptions());
  useLiveRefresh(refetch, "tools");
  const lift = useAction(trpc.tools.liftApproval, { stale: [trpc.tools.keptApprovals] });
  if (data.length === 0) return null;
  return (
    <details className="border-line border-b px-4 py-2 text-sm">
      <summary className="cursor-pointer text-mute">
        {formatPlural(data.length, "approval setting")} without a tool
      </summary>
      <p className="mt-1 max-w-3xl text-mute text-xs">
        An approval setting belongs to a tool name and outlives the tool. It applies again to the next tool with that
        name, for example when its server is enabled or added again.
      </p>
      <ul aria-label="Approval settings without a tool" className="mt-1 max-h-60 max-w-3xl overflow-y-auto">
        {data.map((kept) => (
          <li
            key={kept.name}
            data-row={kept.name}
            className="flex flex-wrap items-center gap-x-3 border-line border-t py-1"
          >
            <span className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">{kept.name}</span>
            <span className="min-w-0 flex-1 text-mute text-xs">{describeKept(kept)}</span>
            <Button
              needs={findApproverRule(kept.mode) === null ? "edit" : "administer"}
              disabled={lift.isPending}
              aria-label={`Remove the approval setting of ${kept.name}`}
              onClick={() => lift.mutate({ name: kept.name })}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <div role="alert" className="text-bad text-xs empty:hidden">
        {lift.error !== null && `Couldn't remove the approval setting: ${lift.error.message}`}
      </div>
    </details>
  );
}

function describeKept({ mode }: KeptApproval): string {
  const rule = findApproverRule(mode);
  if (rule !== null) return `Approved by ${describeApprovers(rule, null)}`;
  return mode === "never" ? "Never requires approval" : "Always requires approval";
}
