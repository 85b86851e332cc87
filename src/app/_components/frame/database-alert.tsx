"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";

/** On every page while the server refuses calls because its database file is gone. */
export function DatabaseAlert() {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.system.info.queryOptions());
  const problem = data?.databaseProblem;
  if (!problem) return null;
  return (
    <Alert tone="bad" live title="Database unavailable" className="m-3 shrink-0">
      <p>{problem}</p>
    </Alert>
  );
}
