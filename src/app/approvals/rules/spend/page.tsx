import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { SPEND_PARAMS, toSpendInput } from "@/app/_components/rules/spend/spend-params";
import { SpendView } from "@/app/_components/rules/spend/spend-view";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Spend · Approvals" };

const readParams = createLoader(SPEND_PARAMS);

export default async function SpendRoute({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const askedAt = Date.now();
  await prefetch(trpc.spend.read.queryOptions(toSpendInput(await readParams(searchParams), askedAt)));
  return (
    <Page loads="the spend" skeleton="tools">
      <SpendView askedAt={askedAt} />
    </Page>
  );
}
