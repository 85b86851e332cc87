"use client";

import { useMemo } from "react";
import { buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { diffJsonText } from "@/lib/json-diff/diff-json";
import { compareDurations } from "./time-ratio";

/** In a line: how a call came out beside the one that it repeats. */
export function OriginalStrip({ execution, original }: { execution: ExecutionDetail; original: ExecutionDetail }) {
  const difference = useMemo(() => describeDifference(original, execution), [original, execution]);
  const time = compareDurations(original.executionTimeMs, execution.executionTimeMs);
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-line border-b bg-rail px-3.5 py-1.5 text-xs">
      <span className="text-mute">vs.</span>
      <Link href={`/executions/${original.id}`} className="font-mono underline">
        {original.id}
      </Link>
      <span className="text-mute">{[difference, time].filter((part) => part !== null).join(" · ")}</span>
      <Link href={`/compare?left=${original.id}&right=${execution.id}`} className={`${buttonClass()} ml-auto`}>
        Compare
      </Link>
    </div>
  );
}

function describeDifference(original: ExecutionDetail, execution: ExecutionDetail): string | null {
  if ([execution, original].some(({ status }) => status === "running" || status === "waiting")) return null;
  if (execution.status !== original.status) return `${original.status} then, ${execution.status} now`;
  const before = original.resultText ?? original.error ?? "";
  const after = execution.resultText ?? execution.error ?? "";
  if (before === after || diffJsonText(before, after).identical) return "same result";
  return execution.resultText === null ? "another error" : "another result";
}
