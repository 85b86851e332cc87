import type pg from "pg";
import type { ExecutionStart } from "../../../../engine/ports";
import { jsonParameter } from "../../../../platform/db/postgres/text-codec";
import { STATE_CONFLICT } from "../../../../platform/db/storage-error";
import { type SqlRow, startRow } from "../execution-statements";
import type { Group, Groups } from "./journal-groups";
import { type FoundRow, JOURNAL, type JournalStatement } from "./journal-statements";

interface WriteOptions {
  instanceId: string;
  /** An earlier try may have been committed. */
  isRepeated: boolean;
  /** Stores a definition once and returns its hash. */
  storeDefinition(start: ExecutionStart): Promise<string | null>;
}

const REFUSED = Object.assign(new Error("the database refused the row"), { code: "23505" });

const alreadyEnded = () => Object.assign(new Error("the call has already ended"), { code: STATE_CONFLICT });

/** Writes the rows of a batch. What was wrong with one that stands apart from the others is its `failure`. */
export async function writeGroups(client: pg.Client, groups: Groups, options: WriteOptions): Promise<void> {
  for (const kind of ["begin", "complete"] as const) {
    await writeAndCheck(client, groups, kind, options, (row, found) => row.queuedAt === found.queuedAt);
  }
  if (groups.approvals !== undefined) {
    const rows = pickWritten(groups.approvals);
    if (rows.length > 0) await execute(client, "approvals", rows);
  }
  if (groups.edit !== undefined) await execute(client, "edit", pickRows(groups.edit));
  await writeAndCheck(client, groups, "proceed", options, (row, found) => row.startedAt === found.startedAt);
  await writeAndCheck(client, groups, "record", options, (row, found) => row.finishedAt === found.finishedAt);
  if (groups.end !== undefined) await writeEnds(client, groups.end, options);
  if (groups.matches !== undefined) await execute(client, "matches", pickWritten(groups.matches));
}

/** @param isSame whether a stored row of this server is the one that an earlier try wrote */
async function writeAndCheck(
  client: pg.Client,
  groups: Groups,
  statement: "begin" | "complete" | "proceed" | "record",
  { isRepeated, instanceId }: WriteOptions,
  isSame: (row: SqlRow, found: FoundRow) => boolean,
): Promise<void> {
  const group = groups[statement];
  if (group === undefined) return;
  const taken = await execute(client, statement, pickRows(group), instanceId);
  const seqs = new Map(taken.map(({ id, seq }) => [id, seq]));
  const left = group.filter(({ entry }) => !seqs.has(entry.start.id));
  for (const { entry } of group) entry.seq = seqs.get(entry.start.id) ?? 0;
  if (left.length === 0) return;
  const known = isRepeated ? await findRows(client, left) : new Map<string, FoundRow>();
  for (const { entry, row } of left) {
    const found = known.get(entry.start.id);
    if (found?.instanceId === instanceId && isSame(row, found)) entry.seq = found.seq;
    else if (statement === "begin" || statement === "record") entry.failure = REFUSED;
  }
}

async function writeEnds(
  client: pg.Client,
  group: Group,
  { instanceId, storeDefinition }: WriteOptions,
): Promise<void> {
  const ended = new Map((await execute(client, "end", pickRows(group), instanceId)).map(({ id, seq }) => [id, seq]));
  for (const { entry } of group) entry.seq = ended.get(entry.start.id) ?? 0;
  const left = group.filter(({ entry }) => entry.seq === 0);
  if (left.length === 0) return;
  const known = await findRows(client, left);
  for (const { entry, row } of left) {
    const { start, end } = entry;
    const found = known.get(start.id);
    if (found === undefined) {
      const begun = startRow(start, await storeDefinition(start), instanceId);
      await execute(client, "record", [{ ...begun, ...row }], instanceId);
    } else if (found.status === "interrupted" && end?.status !== "interrupted") {
      const replaced = await execute(client, "endInterrupted", [row], instanceId);
      if (replaced.length === 0) entry.failure = alreadyEnded();
    } else if (found.status !== end?.status || found.finishedAt !== end.finishedAt) {
      entry.failure = alreadyEnded();
    }
  }
}

const pickWritten = (group: Group): SqlRow[] =>
  group.filter(({ entry }) => entry.failure === null).map(({ row }) => row);
const pickRows = (group: Group): SqlRow[] => group.map(({ row }) => row);

/** @param instanceId the instance that writes, for statements about calls */
export async function execute(
  client: pg.Client,
  statement: Exclude<JournalStatement, "find" | "forget">,
  rows: readonly SqlRow[],
  instanceId?: string,
): Promise<{ id: string; seq: number }[]> {
  const { rows: returned } = await client.query<{ id: string; seq: number }>({
    name: `journal_${statement}`,
    text: JOURNAL[statement],
    values: [jsonParameter(rows), ...(instanceId === undefined ? [] : [instanceId])],
  });
  return returned;
}

async function findRows(client: pg.Client, group: Group): Promise<Map<string, FoundRow>> {
  const ids = group.map(({ entry }) => entry.start.id);
  const { rows } = await client.query<FoundRow>({ name: "journal_find", text: JOURNAL.find, values: [ids] });
  return new Map(rows.map((row) => [row.id, row]));
}
