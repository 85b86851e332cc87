"use client";

import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { StatusBadge } from "@/app/_ui/status-badge";
import type { ChangeReplay } from "@/lib/contract/change-review";
import type { ReplayClass, ReplayExample, ReplayVerdict } from "@/lib/contract/change-verdict";
import { REPLAY_CLASSES } from "@/lib/contract/change-verdict";
import { formatBytes, formatCount, formatDuration, formatPlural } from "@/lib/format";

const CLASS_WORDS: Record<ReplayClass, string> = {
  same: "same",
  different: "different",
  failed: "failed",
  variesByItself: "vary by themselves",
};

/** The outcomes of replayed calls. */
export function ReplayPart({ replay }: { replay: ChangeReplay }) {
  const { status, verdict, error, by, startedAt, baseline } = replay;
  return (
    <section aria-label="Replay" className="flex min-w-0 flex-col gap-1.5 rounded-md border border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h3 className="font-medium text-xs">Replay</h3>
        <StatusBadge status={status} />
        <span className="text-mute text-xs">
          by {by.name} <RelativeTime at={startedAt} />, against{" "}
          {baseline === "current" ? "the current version" : "recorded results"}
        </span>
      </div>
      {error !== null && <p className={status === "failed" ? "text-bad text-xs" : "text-mute text-xs"}>{error}</p>}
      {verdict !== null && verdict.calls > 0 && <Outcome verdict={verdict} />}
    </section>
  );
}

function Outcome({ verdict }: { verdict: ReplayVerdict }) {
  const { counts, calls, budget, examples } = verdict;
  return (
    <>
      <p>
        {REPLAY_CLASSES.filter((each) => counts[each] > 0)
          .map((each) => `${formatCount(counts[each])} ${CLASS_WORDS[each]}`)
          .join(", ") || "No call ended"}
        <span className="text-mute text-xs">
          {" "}
          · {formatPlural(calls, "call")} made of {formatCount(budget)}
        </span>
      </p>
      {examples.length > 0 && (
        <ScrollRegion label="Calls with another outcome" className="max-h-48">
          <ul className="divide-y divide-line text-xs">
            {examples.map((example) => (
              <li key={example.executionId} className="flex flex-wrap gap-x-3 py-1 [overflow-wrap:anywhere]">
                <Link href={`/executions/${example.executionId}`} className="rounded-xs underline">
                  {CLASS_WORDS[example.class]}
                </Link>
                <span className="min-w-0 flex-1 basis-60">
                  {example.reason ?? <span className="font-mono">{example.differences.join(", ")}</span>}
                </span>
                <span className="text-mute tabular-nums">{formatFigures(example)}</span>
              </li>
            ))}
          </ul>
        </ScrollRegion>
      )}
    </>
  );
}

/** Time and size, before and now. */
function formatFigures({ currentMs, candidateMs, currentBytes, candidateBytes }: ReplayExample): string {
  const toText = <T,>(value: T | null, format: (value: T) => string): string => (value === null ? "–" : format(value));
  const times = `${toText(currentMs, formatDuration)} → ${toText(candidateMs, formatDuration)}`;
  return `${times} · ${toText(currentBytes, formatBytes)} → ${toText(candidateBytes, formatBytes)}`;
}
