"use client";

import { ConfirmDialog } from "@/app/_kit/confirm-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { formatPlural } from "@/lib/format";

/** Asks before calls get another name: they cannot be told apart afterwards. */
export function ClaimDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const claim = useAction(trpc.account.claimLocalRecords.mutationOptions(), {
    // Every list names the owners of calls and runs.
    stale: [[]],
    done: ({ calls, runs }) => `${formatPlural(calls, "call")} and ${formatPlural(runs, "run")} claimed`,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title="Claim the calls of the local owner?"
      description="The calls and runs are shown under your name, and the tools and favorites of “Local owner” become yours. This cannot be undone. The audit log keeps an entry."
      action="Claim"
      running="Claiming…"
      variant="primary"
      needs="administer"
      isPending={claim.isPending}
      failure="Couldn't claim all calls"
      error={claim.error}
      onConfirm={() => claim.mutate()}
      onClose={onClose}
    />
  );
}
