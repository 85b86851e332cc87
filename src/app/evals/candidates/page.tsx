import type { Metadata } from "next";
import { CandidatesView } from "@/app/_components/evals/candidates/candidates-view";
import { EvalsTabs } from "@/app/_components/evals/evals-tabs";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Candidates · Evals" };

export default async function CandidatesPage() {
  await prefetch(trpc.evals.candidates.queryOptions());
  return (
    <Page title="Evals" tabs={<EvalsTabs current="/evals/candidates" />} loads="candidates" skeleton="models">
      <CandidatesView />
    </Page>
  );
}
