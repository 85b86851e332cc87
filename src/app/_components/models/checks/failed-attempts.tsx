import { buttonClass } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import type { ModelCheckDetail } from "@/lib/contract/model";
import { formatDuration } from "@/lib/format";

/** Each attempt that failed, why, and the way to what was said. */
export function FailedAttempts({ check }: { check: ModelCheckDetail }) {
  const failed = check.attempts.filter(({ passed }) => !passed);
  if (failed.length === 0) return null;
  const titles = new Map(check.scenarios.map(({ id, title }) => [id, title]));
  return (
    <Card title="What went wrong">
      <ul className="divide-y divide-line">
        {failed.map(({ scenario, round, reason, runId, runStatus, durationMs }) => (
          <li key={`${round} ${scenario}`} data-status="failed" className="flex items-start gap-3 px-3.5 py-2">
            <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              <p className="flex flex-wrap gap-x-2">
                <span className="font-medium">{titles.get(scenario) ?? scenario}</span>
                <span className="text-mute">
                  round {round} · {formatDuration(durationMs)}
                  {runStatus !== null && runStatus !== "succeeded" && ` · run ${runStatus}`}
                </span>
              </p>
              <p className="line-clamp-4">{reason ?? "No reason was recorded."}</p>
            </div>
            {runId !== null && (
              <Link href={`/runs/${encodeURIComponent(runId)}`} className={buttonClass()}>
                Transcript
                <span className="sr-only">
                  {" "}
                  of {titles.get(scenario) ?? scenario}, round {round}
                </span>
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
