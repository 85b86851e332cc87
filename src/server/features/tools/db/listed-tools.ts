import { setImmediate as yieldTurn } from "node:timers/promises";
import { parseWithDigits, stringifyWithDigits } from "../../../../lib/json/number-digits";
import { TimeSlice } from "../../../engine/time-slice";
import type { Database } from "../../../platform/db/database";

const READ_SQL = 'SELECT tools FROM "McpServerState" WHERE name = ?';
/** SQLite takes the bytes of a text, which PostgreSQL does not. */
const WRITE_SQL = `INSERT INTO "McpServerState" (name, tools, "listedAt", changes) VALUES (?, CAST(? AS TEXT), ?, ?)
  ON CONFLICT (name) DO UPDATE SET tools = excluded.tools, "listedAt" = excluded."listedAt", changes = excluded.changes`;
const LINE_END = ",\n";
/** From this size on, separate turns move the write-ahead log to the file, not the commit of the list. */
const LARGE_BYTES = 1_048_576;

/** A JSON list with one tool a line: long lists are written and read in pieces, so that neither holds the event loop. */
export async function writeListedTools(
  db: Database,
  name: string,
  { tools, listedAt, changes }: { tools: readonly unknown[]; listedAt: number; changes: string },
): Promise<void> {
  const bytes = await toBytes(tools);
  const moveLog = async (): Promise<void> => {
    if (db.kind !== "sqlite" || bytes.length < LARGE_BYTES) return;
    await yieldTurn();
    await db.write(() => void db.raw.pragma("wal_checkpoint(PASSIVE)"));
    await yieldTurn();
  };
  const text = db.kind === "sqlite" ? bytes : bytes.toString();
  await moveLog();
  await db.change(WRITE_SQL, name, text, listedAt, changes);
  await moveLog();
}

/** Encodes to UTF-8 in parts: a whole string would be encoded at once when it is bound. */
async function toBytes(tools: readonly unknown[]): Promise<Buffer> {
  const lines = [Buffer.from("[\n")];
  const slice = new TimeSlice();
  for (const tool of tools) {
    lines.push(Buffer.from((lines.length === 1 ? "" : LINE_END) + (stringifyWithDigits(tool) ?? "null")));
    await slice.pause();
  }
  lines.push(Buffer.from("\n]"));
  return Buffer.concat(lines);
}

/** Empty for what cannot be read: a list is read again from its server. */
export async function readListedTools(db: Database, name: string): Promise<unknown[]> {
  const text = (await db.row<{ tools: string | null }>(READ_SQL, name))?.tools ?? null;
  if (text === null) return [];
  try {
    return await parseListedTools(text);
  } catch {
    return [];
  }
}

async function parseListedTools(text: string): Promise<unknown[]> {
  if (!text.startsWith("[\n")) {
    const value = parseWithDigits(text);
    return Array.isArray(value) ? value : [];
  }
  const tools: unknown[] = [];
  const slice = new TimeSlice();
  for (let start = 2; start < text.length - 2; ) {
    const found = text.indexOf(LINE_END, start);
    const end = found === -1 ? text.length - 2 : found;
    tools.push(parseWithDigits(text.slice(start, end)));
    start = end + LINE_END.length;
    await slice.pause();
  }
  return tools;
}
