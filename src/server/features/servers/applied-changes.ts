import type { ChangeWeight } from "../../../lib/contract/change-weight";
import { equalJson } from "../../../lib/json/equal-json";
import { compareEntries } from "../../../lib/schema/compare/compare-tool";
import type { ListedTool } from "../../engine/mcp-ports";
import { TimeSlice } from "../../engine/time-slice";
import type { AppliedChange, AppliedUpdate, ToolPin } from "./server-store";
import { hashChanged, hashEntry } from "./tool-entries";

/** The limit for one server; the newest are kept. */
const MAX_APPLIED = 200;
/** After this time, clients have adapted to the change. */
const KEPT_MS = 30 * 86_400_000;

interface UsedList {
  applied: ReadonlyMap<string, AppliedChange>;
  pins: ReadonlyMap<string, ToolPin>;
  /** By the server's name of a tool: the list before (null for the first one known), and the list in use. */
  before: ReadonlyMap<string, ListedTool> | null;
  present: ReadonlyMap<string, ListedTool>;
  /** Whether the server's changes are used at once. */
  usesAtOnce: boolean;
  now: number;
}

interface AppliedChanges {
  update: AppliedUpdate;
  /** Changes that only recorded calls may question. */
  doubtful: AppliedChange[];
}

/**
 * The breaking changes that came into use with a list. A tool that changes again is compared with the entry before the
 * first change; where nothing breaks, or a policy blocks the change, the record is deleted.
 */
export async function findAppliedChanges(list: UsedList): Promise<AppliedChanges> {
  const { applied, before, present, now, usesAtOnce } = list;
  const slice = new TimeSlice();
  const update: AppliedUpdate = { put: [], delete: [] };
  const doubtful: AppliedChange[] = [];
  const kept: AppliedChange[] = [];
  for (const change of applied.values()) {
    await slice.pause();
    const entry = present.get(change.tool);
    const hash = hashChanged(entry, change.before.hash);
    const isCurrent = hash === change.hash && change.at > now - KEPT_MS;
    if (isCurrent) kept.push(change);
    else if (usesAtOnce && hash !== change.hash && findKind(change.before.entry, entry) === "breaking") {
      update.put.push({ ...change, hash, at: now });
    } else update.delete.push(change.tool);
  }
  for (const [tool, entry] of usesAtOnce ? listFormer(list, before) : []) {
    await slice.pause();
    if (applied.has(tool)) continue;
    const listed = present.get(tool);
    const kind = findKind(entry, listed);
    if (kind !== "breaking" && kind !== "additive") continue;
    const former = { hash: hashEntry(entry), entry };
    const change = { tool, hash: hashChanged(listed, former.hash), before: former, at: now };
    if (kind === "breaking") update.put.push(change);
    else doubtful.push(change);
  }
  const room = Math.max(MAX_APPLIED - kept.length, 0);
  update.put = update.put.slice(0, room);
  return { update, doubtful: doubtful.slice(0, room - update.put.length) };
}

/** The entries that callers knew: the list before, with the approved entry of a change that waited. */
function listFormer({ pins }: UsedList, before: UsedList["before"]): ReadonlyMap<string, ListedTool> {
  const former = new Map(before);
  for (const { tool, approved, held } of pins.values()) {
    if (held !== null && approved !== null) former.set(tool, approved.entry);
  }
  return former;
}

function findKind(before: ListedTool, entry: ListedTool | undefined): ChangeWeight | null {
  if (entry === undefined) return "breaking";
  // The hash of an entry that an earlier version stored without its largest numbers is the same.
  if (equalJson(before, entry) || hashEntry(before) === hashEntry(entry)) return null;
  return compareEntries(before, entry)?.kind ?? null;
}
