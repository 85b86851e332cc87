"use client";

import { createContext, type ReactNode, use } from "react";
import type { RunDifferences, RunPart } from "@/lib/run/compare-runs";

/** Null where a run is not compared. */
export const RunDifferencesContext = createContext<RunDifferences | null>(null);

/** Marks a part of a compared run that differs, and draws a line above the first one. */
export function Differing({ part, children }: { part: RunPart | null; children: ReactNode }) {
  const differences = use(RunDifferencesContext);
  if (part === null || differences === null || !differences.parts.has(part)) return children;
  return (
    <>
      {differences.first === part && (
        <p
          data-parting=""
          className="flex scroll-mt-4 items-center gap-3 text-warn text-xs before:h-px before:flex-1 before:bg-warn after:h-px after:flex-1 after:bg-warn"
        >
          The runs differ from here
        </p>
      )}
      <div data-differs="" className="flex min-w-0 flex-col border-warn border-l-2 pl-3">
        <span className="sr-only">Differs: </span>
        {children}
      </div>
    </>
  );
}
