import type { Metadata } from "next";
import { AccountView } from "@/app/_components/accounts/account/account-view";
import { prefetch, trpc } from "@/app/_trpc/server";
import { readSignOnProblem } from "@/lib/contract/sign-on-problem";
import { SettingsPage } from "../settings-page";

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
    <SettingsPage current="/settings/account" loads="your account" skeleton="account">
      <AccountView signOnProblem={readSignOnProblem(problem)} />
    </SettingsPage>
  );
}
