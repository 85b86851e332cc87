"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useLiveEvents } from "@/app/_live/live-provider";
import { openSignIn } from "@/app/_trpc/query-client";
import { useHasAccounts, usePrincipal } from "@/app/_ui/access";

/** Reads the person's rights again when they change, and opens the sign-in page when the session ends. */
export function FollowAccess() {
  const router = useRouter();
  const queryClient = useQueryClient();
  const { id } = usePrincipal();
  const hasAccounts = useHasAccounts();
  useLiveEvents((event) => {
    if (event.type === "signed_out") return openSignIn();
    const isOwn = event.type === "account" && (event.personId === null || event.personId === id);
    if (isOwn) void queryClient.invalidateQueries();
    // The layout tells the page who uses it. A reset may stand for a change of rights that was missed.
    if (isOwn || (hasAccounts && event.type === "reset")) router.refresh();
  });
  return null;
}
