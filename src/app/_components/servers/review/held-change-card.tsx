"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ChangeBadge, ChangeDetails } from "@/app/_components/tools/summary/change-badge";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { JsonText } from "@/app/_ui/json-text";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import { Skeleton } from "@/app/_ui/skeleton";
import type { HeldChange } from "@/lib/contract/held-change";
import { useDecideChanges } from "./use-decide-changes";

const DiffView = onDemand(
  () => import("@/app/_components/executions/diff/diff-view").then((module) => module.DiffView),
  { onServer: true },
);

interface HeldChangeCardProps {
  change: HeldChange;
  /** The tool's name, where the card is not on its own page. */
  name?: ReactNode;
}

/** A change of a server's tool that waits: what changed, and the two ways to decide. */
export function HeldChangeCard({ change, name }: HeldChangeCardProps) {
  const [compared, setCompared] = useState(false);
  const { decide, pending, error } = useDecideChanges(change.server);
  const { tool, kind, details, status } = change;
  return (
    <section
      aria-label={`Change of ${tool}`}
      data-status={status === "open" ? "waiting" : "cancelled"}
      className="flex min-w-0 flex-col gap-2"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {name}
        <ChangeBadge kind={kind} />
        {status === "blocked" && <Badge tone="warn">blocked</Badge>}
        <span className="text-mute text-xs">
          listed <RelativeTime at={change.heldAt} />
          {change.decidedBy !== null && `, blocked by ${change.decidedBy.name}`}
        </span>
      </div>
      <ChangeDetails details={details} />
      <div className="flex flex-wrap gap-2">
        <Button needs="edit" variant="primary" disabled={pending} onClick={() => decide([change], "approve")}>
          Approve
          <span className="sr-only"> the change of {tool}</span>
        </Button>
        {status === "open" && (
          <Button needs="edit" disabled={pending} onClick={() => decide([change], "block")}>
            Keep blocked
            <span className="sr-only">: {tool}</span>
          </Button>
        )}
        <Button aria-expanded={compared} onClick={() => setCompared(!compared)}>
          {compared ? "Hide definition" : kind === "added" ? "Show definition" : "Compare definitions"}
          <span className="sr-only"> of {tool}</span>
        </Button>
      </div>
      <div role="alert" className="text-bad text-xs empty:hidden">
        {error}
      </div>
      {compared && <Entries change={change} />}
    </section>
  );
}

function Entries({ change }: { change: HeldChange }) {
  const trpc = useTRPC();
  const { server, tool, hash } = change;
  const { data, error } = useQuery(trpc.servers.heldEntries.queryOptions({ name: server, tool, hash }));
  if (error !== null) return <p className="text-bad text-xs">{error.message}</p>;
  if (data === undefined) return <Skeleton className="h-24" />;
  if (data.before !== null) return <DiffView label="Definition" left={data.before} right={data.after} />;
  return (
    <div className="rounded-lg border border-line bg-panel p-2.5">
      <JsonText text={data.after} label="Definition" />
    </div>
  );
}
