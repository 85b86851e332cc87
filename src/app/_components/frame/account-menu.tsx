"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useTRPC } from "@/app/_trpc/client";
import { usePrincipal } from "@/app/_ui/access";

// Only where there are accounts.
const SignedInMenu = dynamic(() => import("./signed-in-menu").then((module) => module.SignedInMenu));

/** The menu of the signed-in person; only a name while accounts are off. */
export function AccountMenu() {
  const trpc = useTRPC();
  const { name } = usePrincipal();
  const info = useQuery(trpc.system.info.queryOptions());
  if (info.data?.accountMode.accounts === true) return <SignedInMenu />;
  return (
    <span title="Your calls are recorded under this name" className="shrink-0 text-mute text-xs max-xl:sr-only">
      {name}
    </span>
  );
}
