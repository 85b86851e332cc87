"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useTRPC } from "@/app/_trpc/client";

const DeprecationBanner = dynamic(() =>
  import("@/app/_components/tools/detail/deprecation-banner").then((module) => module.DeprecationBanner),
);

/** That the tool of a call is deprecated now, before the call is copied or replayed. */
export function DeprecatedTool({ name }: { name: string }) {
  const trpc = useTRPC();
  // The tool may be gone, which the rest of the page says.
  const { data: tool } = useQuery({ ...trpc.tools.get.queryOptions({ name }), retry: false });
  return tool?.deprecation ? <DeprecationBanner deprecation={tool.deprecation} /> : null;
}
