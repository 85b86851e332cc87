"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  CHANGED_TOOLS_HINTS,
  CHANGED_TOOLS_LABELS,
  toServerPath,
} from "@/app/_components/servers/summary/server-words";
import { SERVER_QUERIES } from "@/app/_components/servers/summary/use-live-servers";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { NativeSelect } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { PageBody } from "@/app/_ui/page-body";
import type { ChangeReview, ReviewedChange } from "@/lib/contract/change-review";
import { formatCount, formatPlural } from "@/lib/format";
import { ChangeCard } from "./change-card";
import { formatHeld } from "./format-held";
import { ReplaySection } from "./replay-section";
import { SkillChangeCard } from "./skill-change-card";
import { useDecideChanges } from "./use-decide-changes";

/** The review of a server's changed tools: verdicts, the calls that break, and the decisions. */
export function ReviewView({ server }: { server: string }) {
  const { data: review, refetch } = useSuspenseQuery(trpc.changes.review.queryOptions({ name: server }));
  useLiveRefresh(refetch, (event) => event.type === "servers" && event.server === server, { onMount: true });
  const { items, total, skills } = review;
  if (items.length + skills.length === 0) {
    return (
      <EmptyState
        heading="h2"
        title="No changes to review"
        next={{ href: `${toServerPath(server)}?tab=changes`, text: "Earlier changes" }}
      >
        {review.policy === "off"
          ? "Changed tools and skills of this server are used at once. A change that breaks calls appears here."
          : "A tool or skill that this server changes appears here, with the recorded calls that the change would break."}
      </EmptyState>
    );
  }
  return (
    <PageBody>
      <Summary review={review} />
      <ul aria-label="Changed tools" className="flex flex-col gap-3 empty:hidden">
        {items.map((change) => (
          <li key={change.tool} className="rounded-lg border border-line bg-panel px-3.5 py-3">
            <ChangeCard key={change.hash} change={change} policy={review.policy} name={<ToolLink change={change} />} />
          </li>
        ))}
      </ul>
      {total > items.length && (
        <p className="text-mute text-xs">
          The first {formatCount(items.length)} of {formatCount(total)}.
        </p>
      )}
      <ul aria-label="Changed skills" className="flex flex-col gap-3 empty:hidden">
        {skills.map((change) => (
          <li key={change.uri} className="rounded-lg border border-line bg-panel px-3.5 py-3">
            <SkillChangeCard key={change.hash} change={change} />
          </li>
        ))}
      </ul>
      {items.length > 0 && <ReplaySection review={review} />}
    </PageBody>
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
  const skills = review.skills.filter(({ status }) => status === "open");
  const withheld = review.skills.filter(({ status }) => status === "withheld").length;
  const open = items.filter(({ status }) => status === "open");
  const applied = items.filter(({ status }) => status === "applied");
  const { broken, total } = sumCalls([...open, ...applied]);
  const { decide, pending, error } = useDecideChanges(server);
  return (
    <Alert
      tone={broken > 0 ? "bad" : "warn"}
      title={formatTitle({ open, applied, skills: skills.length, withheld }, broken, total)}
    >
      <p className="text-mute" title={CHANGED_TOOLS_HINTS[policy]}>
        {open.length > 0 && "Calls of these tools are refused until you decide. "}
        {skills.length > 0 && "Clients keep the approved versions of these skills until you decide. "}
        {withheld > 0 && "Clients do not get skills that can't be verified. "}
        {applied.length > 0 && "Breaking changes are in use without a review. "}Policy: {CHANGED_TOOLS_LABELS[policy]}.
      </p>
      <AccessNotice needs="edit" className="mt-1" />
      <div className="mt-2 flex flex-wrap items-center gap-2 empty:hidden">
        {policy === "off" && <HoldChanges server={server} />}
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
        {applied.length > 1 && (
          <Button needs="edit" disabled={pending} onClick={() => decide(applied, "approve")}>
            Accept all {formatCount(applied.length)}
          </Button>
        )}
        {items.length > 0 && <CheckAgain server={server} />}
      </div>
      <div role="alert" className="text-bad text-xs empty:hidden">
        {error}
      </div>
    </Alert>
  );
}

function sumCalls(changes: readonly ReviewedChange[]): { broken: number; total: number } {
  const checked = changes.flatMap(({ traffic }) => traffic ?? []);
  return {
    broken: checked.reduce((sum, each) => sum + each.broken, 0),
    total: checked.reduce((sum, each) => sum + each.total, 0),
  };
}

interface Undecided {
  open: readonly ReviewedChange[];
  applied: readonly ReviewedChange[];
  /** The number of versions of skills that wait, and of those that are withheld. */
  skills: number;
  withheld: number;
}

function formatTitle({ open, applied, skills, withheld }: Undecided, broken: number, total: number): string {
  if (open.length + applied.length + skills === 0) {
    return withheld > 0 ? `${formatPlural(withheld, "skill")} withheld` : "Every change is decided";
  }
  if (broken > 0) return `${formatCount(broken)} of ${formatPlural(total, "recent call")} would break`;
  return open.length + skills > 0
    ? `${formatHeld(open.length, skills)} to review`
    : `${formatPlural(applied.length, "breaking change")} in use`;
}

/** Offers to block changes of a server whose changes apply at once. */
function HoldChanges({ server }: { server: string }) {
  const holding = useAction(trpc.servers.setChangedTools, {
    stale: [trpc.changes, ...SERVER_QUERIES],
    done: "Changes that break something wait for a review from now on",
    failed: "Couldn't change the policy",
  });
  return (
    <>
      <Button
        needs="edit"
        variant="primary"
        title={CHANGED_TOOLS_HINTS.auto}
        disabled={holding.isPending}
        onClick={() => holding.mutate({ name: server, policy: "auto" })}
      >
        Hold changes of this server from now on
      </Button>
      {holding.problem !== null && <span className="text-bad text-xs">{holding.problem}</span>}
    </>
  );
}

const WINDOWS = {
  "1000": { text: "1,000 calls each, 30 days", window: { calls: 1_000, days: 30 } },
  "10000": { text: "10,000 calls each, 30 days", window: { calls: 10_000, days: 30 } },
  "100000": { text: "100,000 calls each, all time", window: { calls: 100_000, days: null } },
} as const;

/** Checks recorded calls again, of a window of choice. */
function CheckAgain({ server }: { server: string }) {
  const [chosen, setChosen] = useState<keyof typeof WINDOWS>("10000");
  const checking = useAction(trpc.changes.recheck, {
    stale: [trpc.changes],
    done: "Recorded calls checked",
    failed: "Couldn't check recorded calls",
  });
  return (
    <span className="flex flex-wrap items-center gap-2">
      <NativeSelect
        aria-label="Recorded calls to check"
        className="w-auto!"
        value={chosen}
        onChange={({ target }) => setChosen(target.value as keyof typeof WINDOWS)}
        options={Object.entries(WINDOWS).map(([value, { text }]) => [value, text] as const)}
      />
      <Button
        disabled={checking.isPending}
        onClick={() => checking.mutate({ name: server, window: WINDOWS[chosen].window })}
      >
        {checking.isPending ? "Checking…" : "Check again"}
      </Button>
      {checking.problem !== null && <span className="text-bad text-xs">{checking.problem}</span>}
    </span>
  );
}
