import type { Metadata } from "next";
import { JobsView } from "@/app/_components/jobs/jobs-view";
import { fetchActor, prefetch, trpc } from "@/app/_trpc/server";
import { explainDenial } from "@/lib/contract/access";
import { SettingsPage } from "../settings-page";

export const metadata: Metadata = { title: "Jobs · Settings" };

export default async function JobsPage() {
  const actor = await fetchActor();
  const administers = actor !== null && explainDenial(actor, "administer") === null;
  await prefetch(administers && trpc.jobs.list.queryOptions());
  return (
    <SettingsPage current="/settings/jobs" loads="jobs" skeleton="jobs">
      <JobsView />
    </SettingsPage>
  );
}
