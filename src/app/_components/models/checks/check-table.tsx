import Link from "next/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ModelCheckSummary } from "@/lib/contract/model";
import { formatRate } from "@/lib/format";
import { checkPath } from "../model-words";
import { CheckBadge } from "./check-badge";

/** The checks so far, newest first. */
export function CheckTable({ checks }: { checks: readonly ModelCheckSummary[] }) {
  return (
    <table className="w-full text-left">
      <thead className="text-mute text-xs">
        <tr className="border-line border-b">
          <th scope="col" className="py-1.5 pr-3 pl-3.5 font-normal">
            Model
          </th>
          <th scope="col" className="py-1.5 pr-3 font-normal">
            Outcome
          </th>
          <th scope="col" className="py-1.5 pr-3 text-right font-normal">
            Passed
          </th>
          <th scope="col" className="py-1.5 pr-3 text-right font-normal max-sm:hidden">
            Rounds
          </th>
          <th scope="col" className="py-1.5 pr-3.5 text-right font-normal max-sm:hidden">
            Started
          </th>
        </tr>
      </thead>
      <tbody>
        {checks.map((check) => (
          <tr key={check.id} className="border-line border-b last:border-b-0 hover:bg-rail">
            <td className="w-full max-w-0 truncate py-1.5 pr-3 pl-3.5 font-mono text-xs">
              <Link href={checkPath(check.id)} className="rounded-xs hover:underline" title={nameOf(check)}>
                {nameOf(check)}
              </Link>
            </td>
            <td className="py-1.5 pr-3">
              <CheckBadge check={check} />
            </td>
            <td className="whitespace-nowrap py-1.5 pr-3 text-right font-mono text-xs tabular-nums">
              {check.passed} / {check.total}
              <span className="text-mute max-sm:hidden">
                {" "}
                {check.status === "running" ? `(${check.done} done)` : `(${formatRate(check.passed, check.total)})`}
              </span>
            </td>
            <td className="py-1.5 pr-3 text-right font-mono text-xs tabular-nums max-sm:hidden">{check.rounds}</td>
            <td className="whitespace-nowrap py-1.5 pr-3.5 text-right text-mute text-xs max-sm:hidden">
              <RelativeTime at={check.startedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function nameOf({ provider, model }: ModelCheckSummary): string {
  return provider === model ? model : `${provider} / ${model}`;
}
