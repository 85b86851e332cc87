import type { Metadata } from "next";
import { EvalsTabs } from "@/app/_components/evals/evals-tabs";
import { EvalsView } from "@/app/_components/evals/list/evals-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Evals" };

export default async function EvalsPage() {
  await prefetch(trpc.evals.suites.queryOptions());
  return (
    <Page title="Evals" tabs={<EvalsTabs current="/evals" />} loads="evals" skeleton="models">
      <EvalsView />
    </Page>
  );
}
