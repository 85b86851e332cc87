"use client";

import { useState } from "react";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ToolChange, ToolChangeSet } from "@/lib/contract/server";
import { formatAbsoluteTime, formatCount } from "@/lib/format";

const TONE: Record<ToolChange["kind"], BadgeTone> = {
  breaking: "bad",
  removed: "bad",
  added: "ok",
  additive: "accent",
  wording: "neutral",
};
const MEANS: Record<ToolChange["kind"], string> = {
  breaking: "Calls that worked before may be refused now",
  removed: "The tool is no longer there",
  added: "A new tool",
  additive: "More is possible than before; old calls still work",
  wording: "Only names and descriptions for people and models",
};
const STEP = 20;

/** How the server's tools changed from one reading to the next, newest first. */
export function ChangesTab({ changes }: { changes: readonly ToolChangeSet[] }) {
  const [limit, setLimit] = useState(STEP);
  if (changes.length === 0) {
    return (
      <EmptyState heading="h2" title="Nothing has changed so far">
        Each time the tools are read they are compared with the time before; what was added, removed or changed is kept
        here.
      </EmptyState>
    );
  }
  const rest = changes.length - limit;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-4">
      <ol className="flex max-w-4xl flex-col gap-3">
        {changes.slice(0, limit).map((set) => (
          <li key={set.at}>
            <ChangeSet set={set} />
          </li>
        ))}
      </ol>
      {rest > 0 && (
        <Button className="mt-3" onClick={() => setLimit(limit + STEP)}>
          Show more ({formatCount(rest)} left)
        </Button>
      )}
    </div>
  );
}

function ChangeSet({ set }: { set: ToolChangeSet }) {
  return (
    <section aria-label={`Changes of ${formatAbsoluteTime(set.at)}`} className="rounded-lg border border-line bg-panel">
      <header className="flex flex-wrap items-center gap-x-2 border-line border-b px-3.5 py-2">
        <h2 className="font-medium">
          <RelativeTime at={set.at} />
        </h2>
        <span className="font-mono text-mute text-xs">{formatAbsoluteTime(set.at)}</span>
      </header>
      <ul className="divide-y divide-line">
        {set.changes.map((change) => (
          <li key={`${change.kind} ${change.tool}`} className="flex gap-3 px-3.5 py-1.5 max-sm:flex-col max-sm:gap-1">
            <span className="w-20 shrink-0">
              <Badge tone={TONE[change.kind]} title={MEANS[change.kind]}>
                {change.kind}
              </Badge>
            </span>
            <div className="min-w-0 [overflow-wrap:anywhere]">
              <p className="font-mono text-xs leading-5">{change.tool}</p>
              {change.details.length > 0 && (
                <ul className="text-mute">
                  {change.details.map((detail) => (
                    <li key={detail}>{detail}</li>
                  ))}
                </ul>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
