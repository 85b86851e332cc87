import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { SuiteView } from "@/app/_components/suites/suite-view";
import { Page } from "@/app/_kit/page";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { decodeSegment } from "@/app/_trpc/decode-segment";
import { fetchNow, fetchOrNotFound, prefetch, trpc } from "@/app/_trpc/server";
import type { Suite } from "@/lib/contract/suite";

interface SuitePageProps {
  params: Promise<{ name: string }>;
}

export async function generateMetadata({ params }: SuitePageProps): Promise<Metadata> {
  return { title: `${decodeSegment((await params).name) ?? "Not found"} · Suites` };
}

export default async function SuitePage({ params }: SuitePageProps) {
  const name = decodeSegment((await params).name);
  if (name === null) notFound();
  await fetchOrNotFound(trpc.suites.get.queryOptions({ name }));
  const { kind } = await fetchNow<Suite>(trpc.suites.get.queryOptions({ name }));
  if (kind === "tests") await prefetch(trpc.suites.runs.queryOptions({ suite: name }));
  else {
    await prefetch(
      trpc.suites.evals.queryOptions({ suite: name }),
      trpc.suites.runs.infiniteQueryOptions({ suite: name, kind: ["evals"] }, BY_CURSOR),
    );
  }
  return (
    <Page loads={`the suite ${name}`} skeleton="suite">
      <SuiteView key={name} name={name} />
    </Page>
  );
}
