import type { Metadata } from "next";
import { AccountView } from "@/app/_components/accounts/account/account-view";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { HydrateClient, prefetch, trpc } from "@/app/_trpc/server";
import { PageHeader } from "@/app/_ui/page-header";
import { readSignOnProblem } from "@/lib/contract/sign-on-problem";
import { SettingsTabs } from "../settings-tabs";

export const metadata: Metadata = { title: "Account · Settings" };

export default async function AccountPage({ searchParams }: { searchParams: Promise<Record<string, unknown>> }) {
  const { problem } = await searchParams;
  await prefetch(
    trpc.system.info.queryOptions(),
    trpc.account.me.queryOptions(),
    trpc.account.sessions.queryOptions(),
    trpc.account.clients.queryOptions(),
    trpc.tokens.list.queryOptions(),
    trpc.credentials.list.queryOptions(),
  );
  return (
    <HydrateClient>
      <PageHeader title="Settings">
        <SettingsTabs current="/settings/account" />
      </PageHeader>
      <QueryBoundary title="Couldn't load your account" skeleton={<PageSkeleton of="account" />}>
        <AccountView signOnProblem={readSignOnProblem(problem)} />
      </QueryBoundary>
    </HydrateClient>
  );
}
