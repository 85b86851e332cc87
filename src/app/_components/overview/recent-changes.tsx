import { useQuery } from "@tanstack/react-query";
import { toReviewPath } from "@/app/_components/changes/review-path";
import { toServerPath } from "@/app/_components/servers/summary/server-words";
import { trpc } from "@/app/_trpc/client";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ServerOverview } from "@/lib/contract/server-list";
import type { CatalogOverview } from "@/lib/contract/tool-list";
import { formatPlural } from "@/lib/format";

const SHOWN = 5;

interface RecentChange {
  name: string;
  text: string;
  /** Null for what waits since a time that is not shown. */
  at: number | null;
  isOpen: boolean;
  href: string;
}
type ChangedServer = ServerOverview["changed"][number];

interface RecentChangesProps {
  /** The tools that were edited last. */
  tools: CatalogOverview["edited"];
  since: number;
  days: number;
}

/** Tools that users edited and servers whose tools or skills changed: undecided changes first, then the newest. */
export function RecentChanges({ tools, since, days }: RecentChangesProps) {
  const servers = useQuery(trpc.servers.overview.queryOptions());
  const changes: RecentChange[] = [
    ...tools.map(({ name, lastEdit }) => {
      const text = `${lastEdit.revision === 1 ? "created" : "edited"}${lastEdit.by === null ? "" : ` by ${lastEdit.by}`}`;
      return { name, text, at: lastEdit.at, isOpen: false, href: `/tools/${encodeURIComponent(name)}?tab=versions` };
    }),
    ...(servers.data?.changed ?? []).map(describeServer),
  ].filter(({ at, isOpen }) => isOpen || (at ?? 0) >= since);
  const newest = changes
    .sort((one, other) => Number(other.isOpen) - Number(one.isOpen) || (other.at ?? 0) - (one.at ?? 0))
    .slice(0, SHOWN);
  return (
    <Card title={`Changed, ${days} days`}>
      {changes.length === 0 && <p className="px-3.5 py-3 text-mute">No tool has changed.</p>}
      <ul className="divide-y divide-line">
        {newest.map(({ name, text, at, href }) => (
          <li key={href}>
            <Link
              href={href}
              className="-outline-offset-2 flex flex-wrap items-baseline gap-x-2.5 px-3.5 py-1.5 max-sm:py-2.75 text-mute text-xs hover:bg-rail"
            >
              <span className="min-w-0 truncate font-mono text-text">{name}</span>
              <span className="min-w-0 flex-1 truncate">{text}</span>
              {at !== null && <RelativeTime at={at} />}
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** A server without a change of its tools has skills that wait. */
function describeServer({ name, lastChange, heldCount, appliedCount }: ChangedServer): RecentChange {
  const isOpen = heldCount + appliedCount > 0;
  const href = isOpen ? toReviewPath(name) : `${toServerPath(name)}?tab=changes`;
  if (lastChange === null)
    return { name, text: `${formatPlural(heldCount, "skill")} to approve`, at: null, isOpen, href };
  const held = heldCount > 0 ? `, ${heldCount} to approve` : "";
  const applied = appliedCount > 0 ? `, ${appliedCount} in use without a review` : "";
  const breaking = lastChange.breaking > 0 ? ` (${lastChange.breaking} breaking)` : "";
  const text = `${formatPlural(lastChange.breaking + lastChange.other, "tool change")}${breaking}${held}${applied}`;
  return { name, text, at: lastChange.at, isOpen, href };
}
