import type { Metadata } from "next";
import { SuitesView } from "@/app/_components/suites/list/suites-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Suites" };

export default async function SuitesPage() {
  await prefetch(trpc.suites.list.queryOptions({}), trpc.suites.runs.queryOptions({}));
  return (
    <Page loads="suites" skeleton="suites">
      <SuitesView />
    </Page>
  );
}
