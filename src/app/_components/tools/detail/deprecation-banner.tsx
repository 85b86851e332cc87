"use client";

import { Alert } from "@/app/_ui/alert";
import { Link } from "@/app/_ui/link";
import type { Deprecation } from "@/lib/contract/deprecation";

/** That a tool should not be used any more, and which one to use instead. */
export function DeprecationBanner({ deprecation, className }: { deprecation: Deprecation; className?: string }) {
  const { successor, note } = deprecation;
  return (
    <Alert
      tone="warn"
      className={className}
      title={
        successor === null ? (
          "This tool is deprecated"
        ) : (
          <>
            This tool is deprecated: use{" "}
            <Link href={`/tools/${encodeURIComponent(successor)}`} className="font-mono underline">
              {successor}
            </Link>{" "}
            instead
          </>
        )
      }
    >
      {note !== null && (
        <p dir="auto" className="whitespace-pre-line text-mute">
          {note}
        </p>
      )}
    </Alert>
  );
}
