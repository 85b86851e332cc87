import { toReviewPath } from "@/app/_components/changes/review-path";
import { Badge } from "@/app/_ui/badge";
import { Link } from "@/app/_ui/link";
import type { WaitingChanges } from "@/lib/contract/change-review";
import type { ServerSummary } from "@/lib/contract/server";
import { formatCount, formatPlural } from "@/lib/format";
import { formatWaiting } from "@/lib/format/change-verdict";

interface ReviewLinkProps {
  server: ServerSummary;
  changes: WaitingChanges | undefined;
}

/** A sentence on the verdict of the pending changes; their number where there is no verdict yet. */
export function ReviewLink({ server, changes }: ReviewLinkProps) {
  const { heldCount, appliedCount } = server;
  const broken = changes?.broken ?? 0;
  const count = heldCount > 0 ? `${formatCount(heldCount)} to review` : `${formatCount(appliedCount)} breaking in use`;
  return (
    <Link
      href={toReviewPath(server.name)}
      className="rounded-sm max-sm:py-2.75"
      title={changes === undefined ? "Changes to review" : formatWaiting(changes)}
    >
      <Badge tone={broken > 0 ? "bad" : "warn"}>
        {broken > 0 ? `${formatPlural(broken, "call")} would break` : count}
        <span className="sr-only">: changes of {server.name}</span>
      </Badge>
    </Link>
  );
}
