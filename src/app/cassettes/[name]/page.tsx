import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { CassetteView } from "@/app/_components/cassettes/cassette-view";
import { Page } from "@/app/_kit/page";
import { decodeSegment } from "@/app/_trpc/decode-segment";
import { fetchOrNotFound, prefetch, trpc } from "@/app/_trpc/server";

interface CassettePageProps {
  params: Promise<{ name: string }>;
}

export async function generateMetadata({ params }: CassettePageProps): Promise<Metadata> {
  return { title: `${decodeSegment((await params).name) ?? "Not found"} · Cassettes` };
}

export default async function CassettePage({ params }: CassettePageProps) {
  const name = decodeSegment((await params).name);
  if (name === null) notFound();
  await fetchOrNotFound(trpc.cassettes.get.queryOptions({ name }));
  await prefetch(trpc.cassettes.sessions.queryOptions({ name }));
  return (
    <Page loads={`the cassette ${name}`} skeleton="webhooks">
      <CassetteView key={name} name={name} />
    </Page>
  );
}
