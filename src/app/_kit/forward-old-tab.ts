import { redirect } from "next/navigation";
import type { SearchParams } from "nuqs/server";

/** Maps a tab of an earlier version to the search parameters that show its content now, or to the path of another page. */
type OldTabs = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Sends the address of an earlier tab to where its content is now; what else it says is kept. */
export function forwardOldTab(path: string, { tab, ...others }: SearchParams, oldTabs: OldTabs): void {
  const now = typeof tab === "string" && Object.hasOwn(oldTabs, tab) ? oldTabs[tab] : undefined;
  if (now === undefined) return;
  const kept = new URLSearchParams(
    Object.entries(others).flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : [])),
  );
  for (const [key, value] of Object.entries(now)) if (!kept.has(key)) kept.set(key, value);
  redirect(`${path}?${kept}`);
}
