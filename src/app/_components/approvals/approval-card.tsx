"use client";

import Link from "next/link";
import { type ReactNode, useRef, useState } from "react";
import { JsonTree } from "@/app/_components/json-tree/json-tree";
import { HintBadges } from "@/app/_components/tools/tool-badges";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Skeleton } from "@/app/_ui/skeleton";
import type { ApprovalItem } from "@/lib/contract/approval";
import { ApprovalBadge } from "./approval-badge";
import { ApprovalOutcomeView } from "./approval-outcome";
import { approvalOrigin, decider } from "./approval-words";
import { Expiry } from "./expiry";
import { OpenApproval } from "./open-approval";
import { useApproval } from "./use-approval";
import { type Decision, useDecision } from "./use-decision";

export interface ApprovalCardProps {
  executionId: string;
  /** It stands in the panel of its call: tool, links and the arguments that ran are shown around it already. */
  compact?: boolean;
}

/** A call that asks a person before it runs: what, with which arguments, for whom; and what became of it. Reads by itself. */
export function ApprovalCard({ executionId, compact = false }: ApprovalCardProps) {
  const { data: item, error, refetch } = useApproval(executionId);
  if (item !== undefined) return <KnownApproval key={executionId} item={item} compact={compact} />;
  if (error !== null) {
    return (
      <Alert tone="bad" title="The approval could not be read">
        <p>{error.message}</p>
        <Button onClick={() => void refetch()} className="mt-1.5">
          Try again
        </Button>
      </Alert>
    );
  }
  return (
    <div role="status" className="flex flex-col gap-2 rounded-lg border border-line p-3">
      <span className="sr-only">Reading the approval</span>
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

function KnownApproval({ item, compact }: { item: ApprovalItem; compact: boolean }) {
  const card = useRef<HTMLElement>(null);
  // The pressed button is gone then, and with it the place of the keyboard.
  const decision = useDecision(item.executionId, item.toolName, () => {
    const focused = document.activeElement;
    if (focused === document.body || card.current?.contains(focused)) card.current?.focus();
  });
  const [wasOpen] = useState(item.status === "open");
  const open = item.status === "open";
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
        <Origin item={item} compact={compact} />
        {open ? (
          <OpenApproval item={item} decision={decision} />
        ) : (
          <Decided item={item} compact={compact} news={wasOpen ? newsOf(item, decision) : null} />
        )}
      </div>
    </article>
  );
}

/** What this tab is told when a card that was open here is not any more. */
function newsOf(item: ApprovalItem, { own, late }: Decision): { text: string; foreign: boolean } {
  if (own !== null) return { text: own === "approved" ? "You approved it." : "You rejected it.", foreign: false };
  const { status } = item;
  if (status !== "approved" && status !== "rejected")
    return { text: "It was over before anybody decided.", foreign: true };
  return {
    text: `${decider(item)} decided elsewhere${late ? ", before you did" : " meanwhile"}. What you had not sent does not count.`,
    foreign: true,
  };
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
      <Link
        href={`/tools/${encodeURIComponent(toolName)}`}
        className="min-w-0 rounded-xs font-mono text-xs hover:underline [overflow-wrap:anywhere]"
      >
        {toolName}
      </Link>
      {definition !== null && <HintBadges annotations={definition.annotations ?? {}} />}
      {definition === null && <span className="text-mute text-xs">not in the catalogue any more</span>}
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
        Asked by <span className="text-text">{item.actor.name}</span> from{" "}
        <span className="text-text">{approvalOrigin(item)}</span>
      </span>
      {links}
    </p>
  );
}

interface DecidedProps {
  item: ApprovalItem;
  compact: boolean;
  news: { text: string; foreign: boolean } | null;
}

function Decided({ item, compact, news }: DecidedProps) {
  const shown = !compact && !(item.status === "approved" && item.requestedArgumentsText !== null);
  return (
    <>
      <div role="status" className="empty:hidden">
        {news !== null && <p className={news.foreign ? "text-warn" : "text-mute"}>{news.text}</p>}
      </div>
      <ApprovalOutcomeView facts={item} argumentsText={item.argumentsText} />
      {shown && (
        <section aria-label="Arguments asked for" className="min-w-0">
          <p className="text-mute text-xs">{item.status === "approved" ? "Ran with" : "Would have run with"}</p>
          <div className="max-h-80 overflow-auto rounded-lg border border-line bg-bg p-2.5">
            <JsonTree text={item.argumentsText} label="Arguments asked for" />
          </div>
        </section>
      )}
    </>
  );
}
