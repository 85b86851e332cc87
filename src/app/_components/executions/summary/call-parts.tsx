import { Fragment } from "react";
import { Link } from "@/app/_ui/link";
import type { CallFigures } from "@/lib/contract/execution";
import { listExcludedCalls } from "./call-classes";
import { type ClassCount, listFailedParts } from "./failed-calls";

interface CallPartsProps {
  figures: CallFigures;
  toPath: (filter: ClassCount["filter"]) => string;
}

/** The parts of the failed calls, and the calls that no failure rate counts; each leads to its calls. */
export function CallParts({ figures, toPath }: CallPartsProps) {
  const lines = [
    { label: "Failed", parts: listFailedParts(figures) },
    { label: "Not counted as failed", parts: listExcludedCalls(figures) },
  ].filter(({ parts }) => parts.length > 0);
  if (lines.length === 0) return null;
  return (
    <p className="flex flex-wrap gap-x-4 text-mute text-xs">
      {lines.map(({ label, parts }) => (
        <span key={label}>
          {label}:{" "}
          {parts.map(({ key, text, filter }, at) => (
            <Fragment key={key}>
              {at > 0 && " · "}
              <Link href={toPath(filter)} className="underline">
                {text}
              </Link>
            </Fragment>
          ))}
        </span>
      ))}
    </p>
  );
}
