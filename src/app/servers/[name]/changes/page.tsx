import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ReviewView } from "@/app/_components/changes/review-view";
import { Page } from "@/app/_kit/page";
import { decodeSegment } from "@/app/_trpc/decode-segment";
import { fetchOrNotFound, trpc } from "@/app/_trpc/server";

interface ReviewPageProps {
  params: Promise<{ name: string }>;
}

export async function generateMetadata({ params }: ReviewPageProps): Promise<Metadata> {
  return { title: `Changes of ${decodeSegment((await params).name) ?? "server"} · Servers` };
}

export default async function ReviewPage({ params }: ReviewPageProps) {
  const name = decodeSegment((await params).name);
  if (name === null) notFound();
  await fetchOrNotFound(trpc.changes.review.queryOptions({ name }));
  return (
    <Page title={`Changes of ${name}`} loads="the changes" skeleton="settings">
      <ReviewView server={name} />
    </Page>
  );
}
