"use client";

import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTRPC } from "@/app/_trpc/client";
import { usePrincipal } from "@/app/_ui/access";

const SignedInMenu = lazy(() => import("./signed-in-menu").then((module) => ({ default: module.SignedInMenu })));

/** Who uses the console. A name while accounts are off; then nobody can sign out. */
export function AccountMenu() {
  const trpc = useTRPC();
  const { name } = usePrincipal();
  const info = useQuery(trpc.system.info.queryOptions());
  const plain = (
    <span title="Your calls are recorded under this name" className="shrink-0 text-mute text-xs max-xl:sr-only">
      {name}
    </span>
  );
  if (info.data?.accountMode.accounts !== true) return plain;
  return (
    <Suspense fallback={plain}>
      <SignedInMenu />
    </Suspense>
  );
}
