import type { Metadata } from "next";
import { TestRunView } from "@/app/_components/suites/run/test-run-view";
import { Page } from "@/app/_kit/page";
import { fetchOrNotFound, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Run · Tests" };

export default async function TestRunPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  await fetchOrNotFound(trpc.tests.getRun.queryOptions({ id }));
  return (
    <Page loads="the run" skeleton="suite">
      <TestRunView key={id} id={id} />
    </Page>
  );
}
