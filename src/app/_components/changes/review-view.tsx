"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  CHANGED_TOOLS_HINTS,
  CHANGED_TOOLS_LABELS,
  toServerPath,
} from "@/app/_components/servers/summary/server-words";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { NativeSelect } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import type { ChangeReview, ReviewedChange } from "@/lib/contract/change-review";
import { formatCount, formatPlural } from "@/lib/format";
import { ChangeCard } from "./change-card";
import { ReplaySection } from "./replay-section";
import { useDecideChanges } from "./use-decide-changes";

/** The review of a server's changed tools: verdicts, the calls that break, and the decisions. */
export function ReviewView({ server }: { server: string }) {
  const trpc = useTRPC();
  const { data: review, refetch } = useSuspenseQuery(trpc.changes.review.queryOptions({ server }));
  useLiveRefresh(refetch, (event) => event.type === "servers" && event.server === server, { onMount: true });
  const { items, total } = review;
  if (items.length === 0) {
    return (
      <EmptyState
        heading="h2"
        title="No changes to review"
        next={{ href: `${toServerPath(server)}?tab=changes`, text: "Earlier changes" }}
      >
        {review.policy === "off"
          ? "Changed tools of this server are used at once. A policy for changed tools in its settings lets them wait for a review."
          : "A tool that this server changes appears here, with the recorded calls that the change would break."}
      </EmptyState>
    );
  }
  return (
    <div className="flex max-w-6xl flex-col gap-4 p-4">
      <Summary review={review} />
      <ul aria-label="Changed tools" className="flex flex-col gap-3">
        {items.map((change) => (
          <li key={change.tool} className="rounded-lg border border-line bg-panel px-3.5 py-3">
            <ChangeCard key={change.hash} change={change} name={<ToolLink change={change} />} />
          </li>
        ))}
      </ul>
      {total > items.length && (
        <p className="text-mute text-xs">
          The first {formatCount(items.length)} of {formatCount(total)}.
        </p>
      )}
      <ReplaySection review={review} />
    </div>
  );
}

function ToolLink({ change: { catalogName, tool } }: { change: ReviewedChange }) {
  return (
    <h2 className="min-w-0">
      <Link
        href={`/tools/${encodeURIComponent(catalogName)}`}
        className="rounded-xs font-medium font-mono text-sm [overflow-wrap:anywhere] hover:underline"
      >
        {tool}
      </Link>
    </h2>
  );
}

function Summary({ review }: { review: ChangeReview }) {
  const { items, server, policy } = review;
  const open = items.filter(({ status }) => status === "open");
  const judged = items.flatMap(({ traffic, status }) => (traffic === null || status !== "open" ? [] : traffic));
  const broken = judged.reduce((sum, each) => sum + each.broken, 0);
  const total = judged.reduce((sum, each) => sum + each.total, 0);
  const { decide, pending, error } = useDecideChanges(server);
  return (
    <Alert
      tone={broken > 0 ? "bad" : "warn"}
      title={
        open.length === 0
          ? "Every change is decided"
          : broken > 0
            ? `${formatCount(broken)} of ${formatPlural(total, "recent call")} would break`
            : `${formatPlural(open.length, "changed tool")} to review`
      }
    >
      <p className="text-mute" title={CHANGED_TOOLS_HINTS[policy]}>
        {open.length > 0 && "Calls of these tools are refused until you decide. "}Policy: {CHANGED_TOOLS_LABELS[policy]}
        .
      </p>
      <AccessNotice needs="edit" className="mt-1" />
      <div className="mt-2 flex flex-wrap items-center gap-2">
        {open.length > 1 && (
          <>
            <Button needs="edit" disabled={pending} onClick={() => decide(open, "approve")}>
              Approve all {formatCount(open.length)}
            </Button>
            <Button needs="edit" disabled={pending} onClick={() => decide(open, "block")}>
              Keep all blocked
            </Button>
          </>
        )}
        <JudgeAgain server={server} />
      </div>
      <div role="alert" className="text-bad text-xs empty:hidden">
        {error}
      </div>
    </Alert>
  );
}

const WINDOWS = {
  "1000": { text: "1,000 calls each, 30 days", window: { calls: 1_000, days: 30 } },
  "10000": { text: "10,000 calls each, 30 days", window: { calls: 10_000, days: 30 } },
  "100000": { text: "100,000 calls each, all time", window: { calls: 100_000, days: null } },
} as const;

/** Judges recorded calls again, of a window of choice. */
function JudgeAgain({ server }: { server: string }) {
  const trpc = useTRPC();
  const [chosen, setChosen] = useState<keyof typeof WINDOWS>("10000");
  const judging = useAction(trpc.changes.judge.mutationOptions(), {
    stale: [trpc.changes.pathKey()],
    done: () => "Recorded calls judged",
    failed: () => "Couldn't judge recorded calls",
  });
  return (
    <span className="flex flex-wrap items-center gap-2">
      <NativeSelect
        aria-label="Recorded calls to judge"
        className="w-auto!"
        value={chosen}
        onChange={({ target }) => setChosen(target.value as keyof typeof WINDOWS)}
        options={Object.entries(WINDOWS).map(([value, { text }]) => [value, text] as const)}
      />
      <Button disabled={judging.isPending} onClick={() => judging.mutate({ server, window: WINDOWS[chosen].window })}>
        {judging.isPending ? "Judging…" : "Judge again"}
      </Button>
      {judging.problem !== null && <span className="text-bad text-xs">{judging.problem}</span>}
    </span>
  );
}
