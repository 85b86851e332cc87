import type { Metadata } from "next";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { TranscriptView } from "@/app/_components/transcripts/transcript-view";
import { TranscriptSkeleton } from "@/app/_components/transcripts/transcripts-skeleton";
import { fetchNow, fetchOrNotFound, HydrateClient, trpc } from "@/app/_trpc/server";
import type { TranscriptDetail } from "@/lib/contract/transcript";

interface TranscriptPageProps {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: TranscriptPageProps): Promise<Metadata> {
  const { id } = await params;
  const title = await fetchNow<TranscriptDetail>(trpc.transcripts.get.queryOptions({ id })).then(
    (transcript) => transcript.title,
    () => id,
  );
  return { title: `${title} · Transcripts` };
}

export default async function TranscriptPage({ params }: TranscriptPageProps) {
  const { id } = await params;
  await fetchOrNotFound(trpc.transcripts.get.queryOptions({ id }));
  return (
    <HydrateClient>
      <QueryBoundary title="The transcript could not be read" skeleton={<TranscriptSkeleton />}>
        <TranscriptView key={id} id={id} />
      </QueryBoundary>
    </HydrateClient>
  );
}
