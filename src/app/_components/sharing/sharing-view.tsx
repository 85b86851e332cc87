"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";
import { ExportSection } from "./export-section";
import { ImportSection } from "./import-section";

/** Export and import of tools, servers, toolsets and rules. */
export function SharingView() {
  const { data: tools } = useSuspenseQuery(trpc.tools.list.queryOptions());
  const { data: servers } = useSuspenseQuery(trpc.servers.list.queryOptions());
  const { data: toolsets } = useSuspenseQuery(trpc.toolsets.list.queryOptions());
  const { data: rules } = useSuspenseQuery(trpc.rules.list.queryOptions());
  return (
    <>
      <ExportSection tools={tools.items} servers={servers.items} toolsets={toolsets} rules={rules} />
      <ImportSection />
    </>
  );
}
