"use client";

import { useQuery } from "@tanstack/react-query";
import { ChangeCard } from "@/app/_components/changes/change-card";
import { toReviewPath } from "@/app/_components/changes/review-path";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Link } from "@/app/_ui/link";
import type { HeldChange, HeldStatus } from "@/lib/contract/held-change";

const TITLES: Partial<Record<HeldChange["kind"], string>> = {
  added: "This tool is new on its server",
  removed: "The server removed this tool",
};

const WHAT: Record<HeldStatus, string> = {
  open: ", waiting for approval",
  blocked: "; the change is blocked",
  ignored: "; the change is ignored",
  applied: ": the change is in use and may break calls",
};

/** Shown on the page of a tool with a change: why its calls are refused, the verdict and the decision. */
export function HeldBanner({ change }: { change: HeldChange }) {
  const { server, tool, status, kind } = change;
  const trpc = useTRPC();
  const { data, refetch } = useQuery(trpc.changes.review.queryOptions({ server }));
  useLiveRefresh(refetch, (event) => event.type === "servers" && event.server === server);
  const reviewed = data?.items.find((each) => each.tool === tool && each.hash === change.hash);
  const isApplied = status === "applied";
  const isRefused = !isApplied && (status !== "ignored" || kind === "added");
  return (
    <Alert tone="warn" title={`${TITLES[kind] ?? "The server changed this tool"}${WHAT[status]}`}>
      <p className="mb-1.5 text-mute">
        {isRefused && "Calls are refused. "}
        {status === "ignored" && kind !== "added" && "Calls run with the approved definition. "}
        {kind === "added"
          ? "Models and clients do not see it."
          : !isApplied && "Models and clients still see the approved definition, which this page shows."}{" "}
        <Link href={toReviewPath(server)} className="underline">
          Changes of {server}
        </Link>
      </p>
      {data !== undefined && reviewed !== undefined && (
        <ChangeCard key={change.hash} change={reviewed} policy={data.policy} />
      )}
    </Alert>
  );
}
