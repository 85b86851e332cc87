import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Dialog } from "@/app/_ui/dialog";
import { useToast } from "@/app/_ui/toast";
import type { LocalRecords } from "@/lib/contract/account";
import { formatCount, formatPlural } from "@/lib/format";

/** What was recorded before accounts were switched on, for the person with the first account; nothing once it is claimed. */
export function LocalRecordsCard() {
  const trpc = useTRPC();
  const [asking, setAsking] = useState(false);
  const { data: records } = useQuery(trpc.account.localRecords.queryOptions());
  if (!records || records.calls + records.runs === 0) return null;
  return (
    <Card title="Calls from before accounts">
      <div className="flex flex-col items-start gap-3 px-3.5 py-3">
        <p>
          {describeRecords(records)} from before accounts were switched on are recorded under “Local owner”. If these
          are yours, they can be shown under your name.
        </p>
        <Button needs="administer" onClick={() => setAsking(true)}>
          Claim
        </Button>
      </div>
      {asking && <ClaimDialog onClose={() => setAsking(false)} />}
    </Card>
  );
}

function describeRecords({ calls, runs, limit }: LocalRecords): string {
  const count = (number: number, one: string): string =>
    number < limit ? formatPlural(number, one) : `${formatCount(number)} or more ${one}s`;
  return [calls > 0 && count(calls, "call"), runs > 0 && count(runs, "run")].filter(Boolean).join(" and ");
}

/** Asks first: nobody can tell the calls apart afterwards. */
function ClaimDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const toast = useToast();
  const queries = useQueryClient();
  const claim = useMutation(
    trpc.account.claimLocalRecords.mutationOptions({
      onSuccess: async ({ calls }) => {
        await queries.invalidateQueries();
        toast({ title: `${formatPlural(calls, "call")} claimed`, tone: "ok" });
        onClose();
      },
    }),
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !claim.isPending && onClose()}
      title="Claim the calls of the local owner?"
      description="The calls and runs are shown under your name, and the tools and favorites of “Local owner” become yours. This cannot be undone. The audit log keeps an entry."
    >
      {claim.error !== null && (
        <Alert live tone="bad" title="Couldn't claim all calls" className="mb-3">
          {claim.error.message}
        </Alert>
      )}
      <div className="flex justify-end gap-2">
        <Button disabled={claim.isPending} onClick={onClose}>
          Cancel
        </Button>
        <Button variant="primary" disabled={claim.isPending} onClick={() => claim.mutate()}>
          {claim.isPending ? "Claiming…" : "Claim"}
        </Button>
      </div>
    </Dialog>
  );
}
