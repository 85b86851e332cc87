import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { isUnknown } from "@/app/_components/executions/is-unknown";
import { QueryBoundary } from "@/app/_components/frame/query-boundary";
import { TranscriptView } from "@/app/_components/transcripts/transcript-view";
import { TranscriptSkeleton } from "@/app/_components/transcripts/transcripts-skeleton";
import { fetchNow, HydrateClient, trpc } from "@/app/_trpc/server";
import type { TranscriptDetail } from "@/lib/contract/transcript";

interface TranscriptPageProps {
  params: Promise<{ id: string }>;
}

/** A refusal is the answer; asking again would only delay it. */
const once = (id: string) => ({ ...trpc.transcripts.get.queryOptions({ id }), retry: false });

export async function generateMetadata({ params }: TranscriptPageProps): Promise<Metadata> {
  const { id } = await params;
  const title = await fetchNow<TranscriptDetail>(once(id)).then(
    (transcript) => transcript.title,
    () => id,
  );
  return { title: `${title} · Transcripts` };
}

export default async function TranscriptPage({ params }: TranscriptPageProps) {
  const { id } = await params;
  try {
    await fetchNow(once(id));
  } catch (error) {
    // Anything else is asked for again by the view below, which says what is wrong and offers to retry.
    if (isUnknown(error)) notFound();
  }
  return (
    <HydrateClient>
      <QueryBoundary title="The transcript could not be read" skeleton={<TranscriptSkeleton />}>
        <TranscriptView key={id} id={id} />
      </QueryBoundary>
    </HydrateClient>
  );
}
