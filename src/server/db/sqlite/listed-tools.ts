import { TimeSlice } from "../../engine/time-slice";
import type { RawDatabase } from "./connection";

const READ_SQL = 'SELECT tools FROM "McpServerState" WHERE name = ?';
const WRITE_SQL = `INSERT INTO "McpServerState" (name, tools, "listedAt", changes) VALUES (?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET tools = excluded.tools, "listedAt" = excluded."listedAt", changes = excluded.changes`;
const LINE_END = ",\n";

/** A JSON list with one tool a line: long lists are written and read in pieces, so that neither holds the event loop. */
export async function listedToolsText(tools: readonly unknown[]): Promise<string> {
  const lines: string[] = [];
  const slice = new TimeSlice();
  for (const tool of tools) {
    lines.push(JSON.stringify(tool) ?? "null");
    await slice.pause();
  }
  return `[\n${lines.join(LINE_END)}\n]`;
}

export function writeListedTools(
  raw: RawDatabase,
  name: string,
  { text, listedAt, changes }: { text: string; listedAt: number; changes: string },
): void {
  raw.prepare(WRITE_SQL).run(name, text, listedAt, changes);
}

/** Empty for what cannot be read: a list is read again from its server. */
export async function readListedTools(raw: RawDatabase, name: string): Promise<unknown[]> {
  const row = raw.prepare(READ_SQL).get(name) as { tools: string | null } | undefined;
  const text = row?.tools ?? null;
  if (text === null) return [];
  try {
    return await parseListedTools(text);
  } catch {
    return [];
  }
}

async function parseListedTools(text: string): Promise<unknown[]> {
  if (!text.startsWith("[\n")) {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  }
  const tools: unknown[] = [];
  const slice = new TimeSlice();
  for (let start = 2; start < text.length - 2; ) {
    const found = text.indexOf(LINE_END, start);
    const end = found === -1 ? text.length - 2 : found;
    tools.push(JSON.parse(text.slice(start, end)));
    start = end + LINE_END.length;
    await slice.pause();
  }
  return tools;
}
