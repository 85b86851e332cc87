import { Plus } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { RunsTabs } from "@/app/_components/runs/runs-tabs";
import { TranscriptsSkeleton } from "@/app/_components/transcripts/transcripts-skeleton";
import { TranscriptsView } from "@/app/_components/transcripts/transcripts-view";
import { HydrateClient, prefetch, trpc } from "@/app/_trpc/server";
import { buttonClass } from "@/app/_ui/button";
import { PageHeader } from "@/app/_ui/page-header";

export const metadata: Metadata = { title: "Transcripts" };

export default function TranscriptsPage() {
  prefetch(trpc.transcripts.list.queryOptions());
  return (
    <HydrateClient>
      <PageHeader
        title="Transcripts"
        actions={
          <Link href="/runs/transcripts?new=1" scroll={false} className={buttonClass({ variant: "primary" })}>
            <Plus aria-hidden size={15} strokeWidth={1.6} />
            New transcript
          </Link>
        }
      >
        <RunsTabs current="transcripts" />
      </PageHeader>
      <QueryBoundary title="The transcripts could not be read" skeleton={<TranscriptsSkeleton />}>
        <TranscriptsView />
      </QueryBoundary>
    </HydrateClient>
  );
}
