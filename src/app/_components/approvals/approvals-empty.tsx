"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTRPC } from "@/app/_trpc/client";
import { buttonClass } from "@/app/_ui/button";
import { EmptyState } from "@/app/_ui/empty-state";
import { formatPlural } from "@/lib/format";
import type { ApprovalTab } from "./approval-params";

/** Says which tools ask, and how to have more or fewer of them do so. */
export function ApprovalsEmpty({ tab }: { tab: ApprovalTab }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.tools.list.queryOptions());
  const asking = data?.items.filter(({ approval }) => approval.required).length;
  return (
    <EmptyState
      heading="h2"
      title={tab === "open" ? "No call waits for you" : "Nothing has been decided yet"}
      action={
        <Link href="/tools?approval=asks" className={buttonClass()}>
          Tools that ask
        </Link>
      }
    >
      <p>
        {asking === undefined
          ? "Some tools ask a person before they run."
          : asking === 0
            ? "No tool asks a person before it runs."
            : `${formatPlural(asking, "tool asks", "tools ask")} a person before ${asking === 1 ? "it runs" : "they run"}.`}{" "}
        Calls of them from the console, from agents and through the gateway wait here.
      </p>
      <p className="mt-2">
        A tool's page has the choice, next to its definition. Where nobody chose, the definition's{" "}
        <code className="font-mono text-xs">approval</code> decides, then its destructive hint and the server's policy.
      </p>
    </EmptyState>
  );
}
