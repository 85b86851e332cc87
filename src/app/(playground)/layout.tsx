import type { ReactNode } from "react";
import { ConversationsFrame } from "@/app/_components/runs/list/conversation-list";
import { RUN_PAGE_ROWS } from "@/app/_components/runs/list/run-filters";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { HydrateClient, prefetch, trpc } from "@/app/_trpc/server";

/** The list of conversations stays where it is while its pages change beside it. */
export default async function PlaygroundLayout({ children }: { children: ReactNode }) {
  await prefetch(trpc.runs.list.infiniteQueryOptions({ filter: {}, limit: RUN_PAGE_ROWS }, BY_CURSOR));
  return (
    <HydrateClient>
      <ConversationsFrame>{children}</ConversationsFrame>
    </HydrateClient>
  );
}
