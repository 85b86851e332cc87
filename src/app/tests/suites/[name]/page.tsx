import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { SuiteView } from "@/app/_components/suites/test-suite/test-suite-view";
import { Page } from "@/app/_kit/page";
import { decodeSegment } from "@/app/_trpc/decode-segment";
import { fetchOrNotFound, prefetch, trpc } from "@/app/_trpc/server";

interface SuitePageProps {
  params: Promise<{ name: string }>;
}

export async function generateMetadata({ params }: SuitePageProps): Promise<Metadata> {
  return { title: `${decodeSegment((await params).name) ?? "Not found"} · Tests` };
}

export default async function SuitePage({ params }: SuitePageProps) {
  const name = decodeSegment((await params).name);
  if (name === null) notFound();
  await fetchOrNotFound(trpc.tests.get.queryOptions({ name }));
  await prefetch(trpc.tests.runs.queryOptions({ suite: name }));
  return (
    <Page loads={`the suite ${name}`} skeleton="suite">
      <SuiteView key={name} name={name} />
    </Page>
  );
}
