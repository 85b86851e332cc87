import type { ClientList, ListChanges, ListComparison, ServedTool } from "../../../lib/contract/client";
import { compareEntries } from "../../../lib/schema/compare/compare-tool";
import { TimeSlice } from "../../engine/time-slice";

/** The difference between two lists, with that of each entry. */
export async function compareServedEntries(
  before: ClientList,
  after: ClientList,
): Promise<Omit<ListComparison, "from" | "to">> {
  const { added, removed, changed: names } = compareLists(before.tools, after.tools);
  const was = new Map(before.tools.map((tool) => [tool.name, tool.entry]));
  const is = new Map(after.tools.map((tool) => [tool.name, tool.entry]));
  const slice = new TimeSlice();
  const changed: ListComparison["changed"] = [];
  for (const name of names) {
    await slice.pause();
    const former = was.get(name) ?? null;
    const present = is.get(name) ?? null;
    const found = former === null || present === null ? null : compareEntries(former, present);
    changed.push({ name, kind: found?.kind ?? null, details: found?.details ?? [], before: former, after: present });
  }
  return { added, removed, changed };
}

/** The names of two lists that differ. */
export function compareLists(given: readonly ServedTool[], now: readonly ServedTool[]): ListChanges {
  const before = new Map(given.map((tool) => [tool.name, tool.hash]));
  const after = new Map(now.map((tool) => [tool.name, tool.hash]));
  return {
    added: now.flatMap(({ name }) => (before.has(name) ? [] : [name])),
    removed: given.flatMap(({ name }) => (after.has(name) ? [] : [name])),
    changed: now.flatMap(({ name, hash }) => (before.has(name) && before.get(name) !== hash ? [name] : [])),
  };
}
