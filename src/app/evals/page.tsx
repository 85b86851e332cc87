import type { Metadata } from "next";
import { EvalsView } from "@/app/_components/suites/list/evals-view";
import { TestsTabs } from "@/app/_components/suites/summary/suite-tabs";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Evals" };

export default async function EvalsPage() {
  await prefetch(trpc.evals.suites.queryOptions());
  return (
    <Page title="Suites" tabs={<TestsTabs current="/evals" />} loads="evals" skeleton="models">
      <EvalsView />
    </Page>
  );
}
