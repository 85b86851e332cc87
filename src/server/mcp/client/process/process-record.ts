import { z } from "zod";
import type { ListedProcess } from "./process-listing";

const seenProcessSchema = z.object({
  pid: z.int().positive(),
  startedAt: z.number(),
});

/** What is noted down of the processes of one server, so that a later Toolroom finds those that outlive this one. */
export const processRecordSchema = z.object({
  marker: z.string().min(1),
  /** The Toolroom that started them. */
  owner: seenProcessSchema,
  /** The process that Toolroom started, with the time by Toolroom's clock. */
  leader: seenProcessSchema,
  /** All processes that a listing showed, with its times. */
  seen: z.array(seenProcessSchema),
});

export type SeenProcess = z.infer<typeof seenProcessSchema>;
export type ProcessRecord = z.infer<typeof processRecordSchema>;

/** `ps` rounds to a second, and not always to the same one. */
const LISTED_TOLERANCE_MS = 1_500;
/** The tolerated difference between Toolroom's clock and the system's record of a start. */
const CLOCK_TOLERANCE_MS = 2_500;
/** The tolerance for a Toolroom is larger: a mistake would end its servers. */
const OWNER_TOLERANCE_MS = 10_000;

const isNear = (one: SeenProcess, other: SeenProcess, toleranceMs: number): boolean =>
  one.pid === other.pid && Math.abs(one.startedAt - other.startedAt) <= toleranceMs;

/**
 * Finds the living processes of a record. An id alone proves nothing, since the system uses it again: the start has to fit too, or the
 * marker is in the environment. What such a process started is a server's as well, and so is its group.
 */
export function findRecorded(record: ProcessRecord, listed: readonly ListedProcess[]): ListedProcess[] {
  const others = listed.filter(({ pid }) => pid > 1 && pid !== process.pid);
  const found = new Set(others.filter((each) => isRecorded(record, each)));
  // An id of a group is not used again while one of its members lives.
  if ([...found].some(({ group }) => group === record.leader.pid)) {
    for (const each of others) if (each.group === record.leader.pid) found.add(each);
  }
  // A set's loop also visits what is added on the way.
  for (const parent of found) {
    for (const each of others) {
      if (each.parent === parent.pid && each.startedAt >= parent.startedAt - LISTED_TOLERANCE_MS) found.add(each);
    }
  }
  return [...found];
}

function isRecorded({ marker, owner, leader, seen }: ProcessRecord, each: ListedProcess): boolean {
  if (each.text.includes(marker)) return true;
  if (seen.some((one) => isNear(one, each, LISTED_TOLERANCE_MS))) return true;
  // Before the first listing, a leader leads its group, and on Windows its parent stays recorded.
  const isLeading = each.group === null ? each.parent === owner.pid : each.group === each.pid;
  return isLeading && isNear(leader, each, CLOCK_TOLERANCE_MS);
}

/** Whether the Toolroom that wrote the record still runs. */
export const isOwned = ({ owner }: ProcessRecord, listed: readonly ListedProcess[]): boolean =>
  listed.some((each) => isNear(owner, each, OWNER_TOLERANCE_MS));
