import { DatabaseOpenError } from "../database-file";
import type { MoveSource, MoveTarget, TableProgress } from "./move-side";
import { refuseMove } from "./move-table";
import { Checksum, type MovedTable } from "./row-lines";

export interface MovedRows extends TableProgress {
  name: string;
}

export interface MoveOptions {
  source: MoveSource;
  target: MoveTarget;
  tables: readonly MovedTable[];
  /** The location of the target, for users. */
  location: string;
  /** Ends the move after the rows that are being copied; the next one continues there. */
  signal: AbortSignal;
  onProgress(step: MoveStep): void;
}

/** The state of a running move for users. */
export interface MoveStep {
  /** `check`: rows of an earlier move are compared; `verify`: the rows of the target are read again. */
  kind: "copy" | "check" | "verify";
  table: string;
  rows: number;
  total: number;
}

const NOTHING: TableProgress = { rows: 0, checksum: "" };
const EMPTY = `Name an empty database: createdb makes one of PostgreSQL, and a file is made where there is none.`;

/**
 * Moves all rows, or those that an earlier move left, and compares both databases row by row.
 * @throws DatabaseOpenError where the target holds anything else, and where the databases differ
 */
export async function moveTables(options: MoveOptions): Promise<MovedRows[]> {
  const { source, target, tables } = options;
  const progress = await beginMove(options);
  const moved: MovedRows[] = [];
  for (const table of tables) {
    const sum = await copyTable(options, table, progress.get(table.name) ?? NOTHING);
    moved.push({ name: table.name, rows: sum.rows, checksum: sum.toString() });
  }
  for (const table of tables) {
    if (hasCounter(table)) await target.raiseCounter(table, await source.readCounter(table));
  }
  for (const [index, table] of tables.entries()) {
    const wanted = moved[index];
    if (wanted !== undefined) await verifyTable(options, table, wanted);
  }
  return moved;
}

const hasCounter = (table: MovedTable): table is MovedTable & { counter: string } => table.counter !== null;

async function beginMove({ target, tables, location }: MoveOptions): Promise<ReadonlyMap<string, TableProgress>> {
  const progress = await target.readProgress();
  if (progress !== null) return progress;
  for (const table of tables) {
    if ((await target.countRows(table)) === 0) continue;
    throw refuseMove(
      `The database ${location} is not empty (${table.name} has rows), and it is not what an unfinished move left. ${EMPTY}`,
    );
  }
  await target.begin();
  return new Map();
}

/** The rows of an earlier move are read too: their checksum shows whether they are those of this source. */
async function copyTable(options: MoveOptions, table: MovedTable, known: TableProgress): Promise<Checksum> {
  const { source, target, signal, onProgress } = options;
  const total = await source.countRows(table);
  const sum = new Checksum();
  let writing: Promise<void> = Promise.resolve();
  for await (const lines of source.read(table)) {
    const skipped = Math.min(lines.length, Math.max(0, known.rows - sum.rows));
    for (const line of lines.slice(0, skipped)) sum.add(line);
    if (skipped > 0 && sum.rows === known.rows) demandSame(options, table, sum, known);
    const fresh = lines.slice(skipped);
    for (const line of fresh) sum.add(line);
    // While the target stores rows, the next ones are read.
    await writing;
    signal.throwIfAborted();
    if (fresh.length > 0) {
      writing = target.append(table, fresh, { rows: sum.rows, checksum: sum.toString() });
      writing.catch(() => undefined);
    }
    onProgress({ kind: fresh.length > 0 ? "copy" : "check", table: table.name, rows: sum.rows, total });
  }
  await writing;
  if (sum.rows < known.rows) demandSame(options, table, sum, known);
  return sum;
}

function demandSame({ location }: MoveOptions, table: MovedTable, sum: Checksum, known: TableProgress): void {
  if (sum.rows === known.rows && sum.toString() === known.checksum) return;
  throw refuseMove(
    `The database ${location} holds a part of another database, or the source has changed since that move began (${table.name} differs). ${EMPTY}`,
  );
}

async function verifyTable(
  { target, signal, location, onProgress }: MoveOptions,
  table: MovedTable,
  wanted: MovedRows,
) {
  const found = new Checksum();
  for await (const lines of target.read(table)) {
    for (const line of lines) found.add(line);
    signal.throwIfAborted();
    onProgress({ kind: "verify", table: table.name, rows: found.rows, total: wanted.rows });
  }
  if (found.rows === wanted.rows && found.toString() === wanted.checksum) return;
  throw new DatabaseOpenError(
    `The rows of ${table.name} in ${location} are not those of the source: ${wanted.rows} were read and ${found.rows} are there` +
      `${found.rows === wanted.rows ? ", with other values" : ""}. The source is unchanged. ${EMPTY}`,
  );
}
