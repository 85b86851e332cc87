import type { Metadata } from "next";
import { EvalRunView } from "@/app/_components/suites/run/eval-run-view";
import { Page } from "@/app/_kit/page";
import { fetchNow, fetchOrNotFound, trpc } from "@/app/_trpc/server";
import type { EvalRunDetail } from "@/lib/contract/eval";

interface EvalRunPageProps {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: EvalRunPageProps): Promise<Metadata> {
  const { id } = await params;
  const name = await fetchNow<EvalRunDetail>(trpc.evals.run.queryOptions({ id })).then(
    ({ suite, model }) => `${suite} with ${model}`,
    () => id,
  );
  return { title: `${name} · Evals` };
}

export default async function EvalRunPage({ params }: EvalRunPageProps) {
  const { id } = await params;
  await fetchOrNotFound(trpc.evals.run.queryOptions({ id }));
  return (
    <Page loads="the run" skeleton="models">
      <EvalRunView key={id} id={id} />
    </Page>
  );
}
