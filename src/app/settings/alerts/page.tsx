import { redirect } from "next/navigation";
import type { SearchParams } from "nuqs/server";

/** The earlier address of the alert rules, which notifications and bookmarks may hold. */
export default async function OldAlertsPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { tool } = await searchParams;
  redirect(typeof tool === "string" ? `/alerts?${new URLSearchParams({ tool })}` : "/alerts");
}
