import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { ChangeBadge, ChangeDetails } from "@/app/_components/tools/summary/change-badge";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { EmptyState } from "@/app/_ui/empty-state";
import { PageBody } from "@/app/_ui/page-body";
import { RelativeTime } from "@/app/_ui/relative-time";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { ServerDetail } from "@/lib/contract/server";
import type { ToolChange, ToolChangeSet } from "@/lib/contract/server-tool";
import { formatAbsoluteTime } from "@/lib/format";

/** How the server's tools changed from one reading to the next, newest first. */
export function ChangesTab({ server }: { server: ServerDetail }) {
  const query = useSuspenseInfiniteQuery(trpc.servers.changes.infiniteQueryOptions({ name: server.name }, BY_CURSOR));
  const sets = mergeSets(query.data.pages.flatMap(({ items }) => items));
  if (sets.length === 0) {
    return (
      <EmptyState heading="h2" title="No changes yet">
        Tools that the server adds, removes or changes appear here.
      </EmptyState>
    );
  }
  return (
    <PageBody scrolls>
      <ol className="flex flex-col gap-3">
        {sets.map((set) => (
          <li key={set.at}>
            <ChangeSet set={set} />
          </li>
        ))}
      </ol>
      {query.hasNextPage && (
        <Button className="self-start" onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
          {query.isFetchingNextPage ? "Loading…" : "Show more"}
        </Button>
      )}
    </PageBody>
  );
}

/** A large set arrives in parts, which are merged here. */
function mergeSets(parts: readonly ToolChangeSet[]): ToolChangeSet[] {
  const sets = new Map<number, ToolChange[]>();
  for (const { at, changes } of parts) sets.set(at, [...(sets.get(at) ?? []), ...changes]);
  return Array.from(sets, ([at, changes]) => ({ at, changes }));
}

function ChangeSet({ set }: { set: ToolChangeSet }) {
  const zone = useTimeZone();
  return (
    <Card label={`Changes of ${formatAbsoluteTime(set.at, zone)}`} title={<RelativeTime at={set.at} />}>
      <ul className="divide-y divide-line">
        {set.changes.map((change) => (
          <li key={`${change.kind} ${change.tool}`} className="flex gap-3 px-3.5 py-1.5 max-sm:flex-col max-sm:gap-1">
            <span className="w-20 shrink-0">
              <ChangeBadge kind={change.kind} />
            </span>
            <div className="min-w-0 [overflow-wrap:anywhere]">
              <p className="font-mono text-xs leading-5">{change.tool}</p>
              <ChangeDetails details={change.details} />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
