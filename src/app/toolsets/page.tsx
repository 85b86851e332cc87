import { Plus } from "lucide-react";
import type { Metadata } from "next";
import { ToolsetsView } from "@/app/_components/toolsets/list/toolsets-view";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { HydrateClient, prefetch, trpc } from "@/app/_trpc/server";
import { buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { PageHeader } from "@/app/_ui/page-header";

export const metadata: Metadata = { title: "Toolsets" };

export default async function ToolsetsPage() {
  await prefetch(trpc.toolsets.list.queryOptions());
  return (
    <HydrateClient>
      <PageHeader
        title="Toolsets"
        actions={
          <Link needs="edit" href="/toolsets/new" className={buttonClass({ variant: "primary" })}>
            <Plus aria-hidden size={15} strokeWidth={1.6} />
            New toolset
          </Link>
        }
      />
      <QueryBoundary title="Couldn't load toolsets" skeleton={<PageSkeleton of="transcripts" />}>
        <ToolsetsView />
      </QueryBoundary>
    </HydrateClient>
  );
}
