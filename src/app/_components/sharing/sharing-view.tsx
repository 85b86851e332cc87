"use client";

import { useQuery } from "@tanstack/react-query";
import { QueryState } from "@/app/_kit/query-state";
import { trpc } from "@/app/_trpc/client";
import { ExportSection } from "./export-section";
import { ImportSection } from "./import-section";

/** Export and import of tools, servers, toolsets, skills and rules. */
export function SharingView() {
  // Requested only when the list opens: a catalog may have thousands of names.
  const choices = useQuery(trpc.sharing.choices.queryOptions());
  return (
    <>
      <QueryState query={choices} what="what can be exported" bars={["h-64"]}>
        {(data) => <ExportSection {...data} />}
      </QueryState>
      <ImportSection />
    </>
  );
}
