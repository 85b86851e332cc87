import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import { AUDIT_FILTERS, AUDIT_PAGE_ROWS } from "@/app/_components/audit/audit-filters";
import { AuditView } from "@/app/_components/audit/audit-view";
import { BY_CURSOR } from "@/app/_trpc/by-cursor";
import { fetchActor, prefetch, trpc } from "@/app/_trpc/server";
import { explainDenial } from "@/lib/contract/access";
import { SettingsPage } from "../settings-page";

export const metadata: Metadata = { title: "Audit log · Settings" };

const readFilters = createLoader(AUDIT_FILTERS.parsers);

export default async function AuditPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const filter = AUDIT_FILTERS.toFilter(await readFilters(searchParams));
  const actor = await fetchActor();
  const administers = actor !== null && explainDenial(actor, "administer") === null;
  await prefetch(
    administers && trpc.audit.list.infiniteQueryOptions({ filter, limit: AUDIT_PAGE_ROWS }, BY_CURSOR),
    administers && trpc.audit.facets.queryOptions(),
  );
  return (
    <SettingsPage current="/settings/audit" loads="the audit log" skeleton="audit" fill>
      <AuditView />
    </SettingsPage>
  );
}
