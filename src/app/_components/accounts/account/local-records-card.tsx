import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import type { LocalRecords } from "@/lib/contract/account";
import { formatCount, formatPlural } from "@/lib/format";

const ClaimDialog = dynamic(() => import("./claim-dialog").then((module) => module.ClaimDialog), { ssr: false });

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
