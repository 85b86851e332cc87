import type { Metadata } from "next";
import { AccountView } from "@/app/_components/accounts/account/account-view";
import { PageSkeleton } from "@/app/_kit/page-skeleton";
import { QueryBoundary } from "@/app/_kit/query-boundary";
import { HydrateClient, prefetch, trpc } from "@/app/_trpc/server";
import { PageHeader } from "@/app/_ui/page-header";
import { SettingsTabs } from "../settings-tabs";

export const metadata: Metadata = { title: "Account · Settings" };

export default async function AccountPage() {
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
        <AccountView />
      </QueryBoundary>
    </HydrateClient>
  );
}
