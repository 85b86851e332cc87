import type { Metadata } from "next";
import { CassettesView, ImportCassette } from "@/app/_components/cassettes/cassettes-view";
import { SuiteTabs } from "@/app/_components/suites/summary/suite-tabs";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";
import { ButtonLink } from "@/app/_ui/button";

export const metadata: Metadata = { title: "Cassettes" };

export default async function CassettesPage() {
  await prefetch(trpc.cassettes.list.queryOptions());
  return (
    <Page
      title="Suites"
      tabs={<SuiteTabs current="/cassettes" />}
      actions={
        <>
          <ImportCassette />
          <ButtonLink href="/executions" variant="primary">
            Record from Executions
          </ButtonLink>
        </>
      }
      loads="cassettes"
      skeleton="toolsets"
    >
      <CassettesView />
    </Page>
  );
}
