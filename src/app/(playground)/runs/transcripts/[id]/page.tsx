import type { Metadata } from "next";
import { TranscriptView } from "@/app/_components/transcripts/detail/transcript-view";
import { Page } from "@/app/_kit/page";
import { fetchNow, fetchOrNotFound, trpc } from "@/app/_trpc/server";
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
    <Page loads="the transcript" skeleton="transcript">
      <TranscriptView key={id} id={id} />
    </Page>
  );
}
