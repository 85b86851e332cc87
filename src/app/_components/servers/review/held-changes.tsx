"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { formatCount, formatPlural } from "@/lib/format";
import { HeldChangeCard } from "./held-change-card";
import { useDecideChanges } from "./use-decide-changes";

/** The changed tools of a server that wait for approval. Renders nothing while none does. */
export function HeldChanges({ server }: { server: string }) {
  const trpc = useTRPC();
  const { data, error: unread } = useQuery(trpc.servers.heldChanges.queryOptions({ name: server }));
  const { decide, pending, error } = useDecideChanges(server);
  if (unread !== null && data === undefined) {
    return <Alert tone="bad" title={`Changes to review could not be read: ${unread.message}`} className="mb-4" />;
  }
  if (data === undefined || data.items.length === 0) return null;
  const open = data.items.filter(({ status }) => status === "open");
  return (
    <section aria-label="Changed tools to review" className="mb-4 max-w-4xl rounded-lg border border-warn bg-panel">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-t-lg border-line border-b bg-warn-bg px-3.5 py-2">
        <div className="min-w-0 flex-1">
          <h2 className="font-medium">
            {open.length > 0 ? `${formatPlural(open.length, "changed tool")} to review` : "Blocked changes"}
          </h2>
          <p className="text-mute text-xs">Calls are refused until the change is approved.</p>
        </div>
        {open.length > 1 && (
          <>
            <Button needs="edit" disabled={pending} onClick={() => decide(open, "block")}>
              Keep all blocked
            </Button>
            <Button needs="edit" variant="primary" disabled={pending} onClick={() => decide(open, "approve")}>
              Approve all {formatCount(open.length)}
            </Button>
          </>
        )}
      </header>
      <AccessNotice needs="edit" className="mx-3.5 mt-2" />
      <div role="alert" className="px-3.5 pt-2 text-bad empty:hidden">
        {error}
      </div>
      <ul className="divide-y divide-line">
        {data.items.map((change) => (
          <li key={change.tool} className="px-3.5 py-2.5">
            <HeldChangeCard
              key={change.hash}
              change={change}
              name={
                <Link
                  href={`/tools/${encodeURIComponent(change.catalogName)}`}
                  className="min-w-0 rounded-xs font-medium font-mono text-xs [overflow-wrap:anywhere] hover:underline"
                >
                  {change.tool}
                </Link>
              }
            />
          </li>
        ))}
      </ul>
      {data.total > data.items.length && (
        <p className="border-line border-t px-3.5 py-2 text-mute text-xs">
          The first {formatCount(data.items.length)} of {formatCount(data.total)}.
        </p>
      )}
    </section>
  );
}
