import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ApprovalBadge } from "@/app/_components/approvals/summary/approval-badge";
import { Expiry } from "@/app/_components/approvals/summary/approval-expiry";
import { ApprovalOutcomeView } from "@/app/_components/approvals/summary/approval-outcome";
import {
  describeApprovalCause,
  formatApprovalOrigin,
  formatDecider,
  toClientName,
} from "@/app/_components/approvals/summary/approval-words";
import { MakeRuleMenu } from "@/app/_components/rules/summary/make-rule-menu";
import { HintBadges } from "@/app/_components/tools/summary/tool-badges";
import { toVersionPath } from "@/app/_components/tools/summary/version-link";
import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { writeKept } from "@/app/_kit/kept-draft";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { Skeleton } from "@/app/_ui/skeleton";
import type { ApprovalItem, ToolApproval } from "@/lib/contract/approval";
import { isCatalogCall } from "@/lib/contract/catalog-call";
import { getServerName } from "@/lib/contract/tool-definition";
import { describeEffect } from "@/lib/format/call-effect";
import { AfterDecision } from "./after-decision";
import { toDraftName } from "./approval-draft";
import { OpenApproval } from "./open-approval";
import { toRuleSource } from "./rule-source";
import { type Decision, useDecision } from "./use-decision";

interface ApprovalCardProps {
  executionId: string;
  /** Inside the call's own panel, which already shows tool, links and arguments. */
  compact?: boolean;
  /** The page shows this approval alone, so keys decide it. */
  keys?: boolean;
}

/** An approval request with its tool, arguments and caller, or its decision. Loads its own data. */
export function ApprovalCard({ executionId, compact = false, keys = false }: ApprovalCardProps) {
  const { data: item, error, refetch } = useApproval(executionId);
  if (item !== undefined) return <KnownApproval key={executionId} item={item} compact={compact} keys={keys} />;
  if (error !== null) {
    return (
      <Alert tone="bad" title="Couldn't load the approval">
        <p>{error.message}</p>
        <Button onClick={() => void refetch()} className="mt-1.5">
          Try again
        </Button>
      </Alert>
    );
  }
  return (
    <div role="status" className="flex flex-col gap-2 rounded-lg border border-line p-3">
      <span className="sr-only">Loading the approval</span>
      <Skeleton className="h-5 w-1/2" />
      <Skeleton className="h-16" />
    </div>
  );
}

const EDGE: Record<ApprovalItem["status"], string> = {
  open: "border-warn",
  approved: "border-line2",
  rejected: "border-bad",
  expired: "border-line2",
  withdrawn: "border-line2",
};

function KnownApproval({ item, compact, keys }: { item: ApprovalItem; compact: boolean; keys: boolean }) {
  const card = useRef<HTMLElement>(null);
  // The pressed button is removed, and would take the keyboard focus with it.
  const decision = useDecision(item.executionId, item.toolName, () => {
    const focused = document.activeElement;
    if (focused === document.body || card.current?.contains(focused)) card.current?.focus();
  });
  const [wasOpen] = useState(item.status === "open");
  const open = item.status === "open";
  // Outside system: the tab's storage, which keeps an edit only while the approval is open.
  useEffect(() => {
    if (!open) writeKept(toDraftName(item.executionId), null);
  }, [open, item.executionId]);
  return (
    <article
      ref={card}
      tabIndex={-1}
      aria-label={`Approval of ${item.toolName}`}
      data-status={item.status}
      className={cx("@container min-w-0 rounded-lg border bg-panel text-sm", EDGE[item.status])}
    >
      <CardHeader item={item} compact={compact} />
      <div className="flex min-w-0 flex-col gap-3 p-3">
        {open && <p className="font-medium [overflow-wrap:anywhere]">{describeEffect(item)}</p>}
        <Origin item={item} compact={compact} />
        {open ? (
          <OpenApproval item={item} decision={decision} keys={keys} />
        ) : (
          <Decided
            item={item}
            compact={compact}
            news={wasOpen && decision.own === null ? describeNews(item, decision) : null}
            isNew={wasOpen}
          />
        )}
        {!open && decision.own !== null && <AfterDecision item={item} />}
        {!open && !compact && item.restricted === undefined && (
          <div className="flex">
            <MakeRuleMenu source={toRuleSource(item)} />
          </div>
        )}
      </div>
    </article>
  );
}

/** Describes what the outcome does not say about an approval that was open in this tab and was decided elsewhere. */
function describeNews(item: ApprovalItem, { late }: Decision): string {
  const { status } = item;
  if (status !== "approved" && status !== "rejected") return "It ended before a decision.";
  return `${formatDecider(item)} decided this call${late ? " before you did" : ""}. Your unsent changes were discarded.`;
}

function CardHeader({ item, compact }: { item: ApprovalItem; compact: boolean }) {
  const { definition, toolName } = item;
  const server = definition?.implementation.type === "mcp" ? definition.implementation.server : null;
  return (
    <header
      className={cx(
        "flex flex-wrap items-center gap-x-2 gap-y-1 rounded-t-lg px-3 py-1.5",
        item.status === "open" ? "bg-warn-bg" : "bg-rail",
      )}
    >
      <ApprovalBadge status={item.status} />
      {!compact && definition?.title !== undefined && (
        <span className="min-w-0 font-medium [overflow-wrap:anywhere]">
          {definition.title.slice(0, MAX_TITLE_CHARS)}
        </span>
      )}
      {isCatalogCall(item) ? (
        <Link
          href={`/tools/${encodeURIComponent(toolName)}`}
          className="min-w-0 rounded-xs font-mono text-xs hover:underline max-sm:py-3 [overflow-wrap:anywhere]"
        >
          {toolName}
        </Link>
      ) : (
        <span className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">{toolName}</span>
      )}
      {item.version !== null && !compact && (
        <Link
          href={toVersionPath(toolName, item.version)}
          className="rounded-xs text-mute text-xs hover:underline max-sm:py-3"
        >
          version {item.version}
        </Link>
      )}
      {definition !== null && <HintBadges annotations={definition.annotations ?? {}} />}
      {definition === null && <span className="text-mute text-xs">no longer in the catalog</span>}
      {server !== null && !compact && (
        <span className="text-mute text-xs">
          on{" "}
          <Link href={`/servers/${encodeURIComponent(server)}`} className="font-mono underline">
            {server}
          </Link>
        </span>
      )}
      {item.status === "open" && (
        <span className="ml-auto text-mute text-xs">
          <Expiry requestedAt={item.requestedAt} expiresAt={item.expiresAt} />
        </span>
      )}
    </header>
  );
}

const MAX_TITLE_CHARS = 200;

function Origin({ item, compact }: { item: ApprovalItem; compact: boolean }) {
  const links: ReactNode[] = [];
  if (!compact) {
    links.push(
      <Link key="execution" href={`/executions/${encodeURIComponent(item.executionId)}`} className="underline">
        Execution
      </Link>,
    );
  }
  if (!compact && item.runId !== null) {
    links.push(
      <Link key="run" href={`/runs/${encodeURIComponent(item.runId)}`} className="underline">
        Run
      </Link>,
    );
  }
  return (
    <p className="flex min-w-0 flex-wrap gap-x-3 gap-y-0.5 text-mute text-xs">
      <span className="[overflow-wrap:anywhere]">
        Requested by <span className="text-text">{item.actor.name}</span> from{" "}
        <span className="text-text">{formatApprovalOrigin(item)}</span>
      </span>
      {item.status === "open" && item.askedIn !== null && (
        <span className="[overflow-wrap:anywhere]">
          Asked in <span className="text-text">{toClientName(item.askedIn)}</span> and here
        </span>
      )}
      {item.status === "open" && item.approval !== null && (
        <span className="[overflow-wrap:anywhere]">{describeCause(item, item.approval)}</span>
      )}
      {links}
    </p>
  );
}

/** Why the tool requires approval, or that it no longer does. */
function describeCause({ definition }: ApprovalItem, approval: ToolApproval): string {
  const cause = describeApprovalCause(approval, definition === null ? null : getServerName(definition));
  return approval.required ? `Requires approval: ${cause}` : `The settings changed after this request: ${cause}`;
}

interface DecidedProps {
  item: ApprovalItem;
  compact: boolean;
  news: string | null;
  /** The approval was open when this card appeared, so its outcome is announced. */
  isNew: boolean;
}

function Decided({ item, compact, news, isNew }: DecidedProps) {
  const shown = !compact && !(item.status === "approved" && item.requestedArgumentsText !== null);
  return (
    <>
      <div role={isNew ? "status" : undefined} className="flex min-w-0 flex-col gap-2">
        {news !== null && <p className="text-warn">{news}</p>}
        <ApprovalOutcomeView facts={item} argumentsText={item.argumentsText} />
      </div>
      {shown && (
        <section aria-label="Requested arguments" className="min-w-0">
          <p className="text-mute text-xs">{item.status === "approved" ? "Executed with" : "Arguments at the end"}</p>
          <div className="max-h-80 overflow-auto rounded-lg border border-line bg-bg p-2.5">
            <JsonTree text={item.argumentsText} label="Requested arguments" />
          </div>
        </section>
      )}
    </>
  );
}

/** Polls in case live events do not arrive. */
const POLL_MS = 5_000;

/** One approval, kept current while it is open. */
function useApproval(executionId: string) {
  const query = useQuery({
    ...trpc.approvals.get.queryOptions({ executionId }),
    refetchInterval: ({ state }) => (state.data?.status === "open" ? POLL_MS : false),
  });
  useLiveRefresh(query.refetch, (event) =>
    event.type === "approvals"
      ? query.data === undefined || query.data.status === "open"
      : event.type === "execution" && event.execution.id === executionId,
  );
  return query;
}
