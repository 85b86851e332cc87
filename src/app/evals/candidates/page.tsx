import type { Metadata } from "next";
import { CandidatesView } from "@/app/_components/suites/candidates/candidates-view";
import { TestsTabs } from "@/app/_components/suites/summary/suite-tabs";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Candidates · Evals" };

export default async function CandidatesPage() {
  await prefetch(trpc.evals.candidates.queryOptions());
  return (
    <Page title="Suites" tabs={<TestsTabs current="/evals/candidates" />} loads="candidates" skeleton="models">
      <CandidatesView />
    </Page>
  );
}
