import type { Metadata } from "next";
import { SuiteView } from "@/app/_components/suites/eval-suite/eval-suite-view";
import { Page } from "@/app/_kit/page";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { decodeSegment } from "@/app/_trpc/decode-segment";
import { prefetch, trpc } from "@/app/_trpc/server";

interface SuitePageProps {
  params: Promise<{ name: string }>;
}

export async function generateMetadata({ params }: SuitePageProps): Promise<Metadata> {
  const { name } = await params;
  return { title: `${decodeSegment(name) ?? name} · Evals` };
}

export default async function SuitePage({ params }: SuitePageProps) {
  const segment = (await params).name;
  const suite = decodeSegment(segment) ?? segment;
  await prefetch(
    trpc.evals.suites.queryOptions(),
    trpc.evals.list.queryOptions({ suite }),
    trpc.evals.runs.infiniteQueryOptions({ suite }, BY_CURSOR),
  );
  return (
    <Page loads="the suite" skeleton="models">
      <SuiteView key={suite} name={suite} />
    </Page>
  );
}
