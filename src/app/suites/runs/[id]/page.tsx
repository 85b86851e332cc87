import type { Metadata } from "next";
import { RunView } from "@/app/_components/suites/run/run-view";
import { Page } from "@/app/_kit/page";
import { fetchNow, fetchOrNotFound, trpc } from "@/app/_trpc/server";
import type { SuiteRunDetail } from "@/lib/contract/suite";

interface SuiteRunPageProps {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: SuiteRunPageProps): Promise<Metadata> {
  const { id } = await params;
  const name = await fetchNow<SuiteRunDetail>(trpc.suites.getRun.queryOptions({ id })).then(
    (run) => (run.kind === "evals" ? `${run.name} with ${run.model}` : `Run of ${run.name}`),
    () => id,
  );
  return { title: `${name} · Suites` };
}

export default async function SuiteRunPage({ params }: SuiteRunPageProps) {
  const { id } = await params;
  await fetchOrNotFound(trpc.suites.getRun.queryOptions({ id }));
  return (
    <Page loads="the run" skeleton="suite">
      <RunView key={id} id={id} />
    </Page>
  );
}
