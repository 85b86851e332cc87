import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { RulesPage } from "@/app/_components/rules/rules-page";
import { RULE_PARAMS } from "@/app/_components/rules/summary/rule-paths";
import { Page } from "@/app/_kit/page";
import { prefetch, trpc } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Rules · Approvals" };

const readParams = createLoader(RULE_PARAMS);

export default async function RulesRoute({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { rule, from } = await readParams(searchParams);
  await prefetch(
    trpc.rules.list.queryOptions(),
    trpc.tools.approvalGroups.queryOptions(),
    trpc.toolsets.list.queryOptions(),
    from !== null && trpc.executions.get.queryOptions({ id: from }),
  );
  return (
    <Page loads="rules" skeleton={rule === null ? "tools" : "toolEditor"}>
      <RulesPage />
    </Page>
  );
}
