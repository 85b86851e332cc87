import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { listTables } from "../sqlite/applied-migrations";
import type { RawDatabase } from "../sqlite/connection";

/** For tests: a folder that goes with the test run. */
export const makeFolder = (): string => mkdtempSync(path.join(tmpdir(), "toolroom-move-"));

interface Column {
  name: string;
  type: string;
  notnull: number;
  pk: number;
}

/** Texts that the two databases, or the format between them, treat differently. */
const TEXTS = [
  "NUL \0 and its escape \ue000 \ue0000, half a pair \ud800.",
  "tab \t, lines \r\n, \\N \\. \\t \\\\ \b\f\v, \"quotes\" '', \u{1f600} ä",
  '{"a":"\\u0000","b":[1e2]}',
];
const NUMBERS: Readonly<Record<string, readonly unknown[]>> = {
  INTEGER: [0, -2_147_483_648, 2_147_483_647],
  BIGINT: [9_007_199_254_740_993n, -9_223_372_036_854_775_808n, 1_790_000_000_123n],
  REAL: [1e-7, 1.5e300, 0.1],
  BOOLEAN: [1, 0, 1],
  DATETIME: [1_790_000_000_123, 1_790_000_000_120, 253_402_300_799_000],
};

function chooseValue({ name, type, notnull, pk }: Column, row: number): unknown {
  const at = row % 3;
  if (name === "searchable") return 0;
  if (pk > 0 && type === "INTEGER") return row + 1;
  if (notnull === 0 && at === 2 && row > 0) return null;
  if (type === "BLOB") return Buffer.from(Array.from({ length: 256 * at }, (_, byte) => byte % 256));
  const number = NUMBERS[type]?.[at];
  // Unique, and as long as that of a call.
  return number ?? `${row} ${TEXTS[at]}${name === "result" ? "x".repeat(500) : ""}`;
}

/** Rows in every table, whose references fit, and counters that have counted further. */
export function fillEveryTable(raw: RawDatabase, countRows: (table: string) => number): void {
  raw.pragma("foreign_keys = OFF");
  raw.defaultSafeIntegers(false);
  const tables = listTables(raw).filter((name) => !/^(?:_prisma|ExecutionText)/.test(name));
  const fill = raw.transaction((table: string) => {
    const columns = raw.pragma(`table_info("${table}")`) as Column[];
    const references = raw.pragma(`foreign_key_list("${table}")`) as { from: string; table: string; to: string }[];
    const insert = raw.prepare(
      `INSERT INTO "${table}" (${columns.map(({ name }) => `"${name}"`).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    );
    const referred = new Map<string, Column & { rows: number }>();
    for (const reference of references) {
      const others = raw.pragma(`table_info("${reference.table}")`) as Column[];
      const other = others.find(({ name }) => name === reference.to);
      if (other !== undefined) referred.set(reference.from, { ...other, rows: countRows(reference.table) });
    }
    const rows = countRows(table);
    for (let row = 0; row < rows; row += 1) {
      insert.run(
        ...columns.map((column) => {
          const value = chooseValue(column, row);
          const other = referred.get(column.name);
          return value === null || other === undefined
            ? value
            : chooseValue({ ...other, notnull: 1 }, row % other.rows);
        }),
      );
    }
  });
  for (const table of tables) fill(table);
  raw.exec("UPDATE sqlite_sequence SET seq = seq + 1000");
}

/** What is stored, with the type of each value. Whether search text was made is left out. */
export function listRows(raw: RawDatabase, table: string): unknown[] {
  const columns = (raw.pragma(`table_info("${table}")`) as Column[]).map(({ name }) => name);
  const parts = columns.filter((name) => name !== "searchable").map((name) => `"${name}", typeof("${name}")`);
  const places = parts.map((_, index) => 2 * index + 1);
  return raw
    .prepare(`SELECT ${parts.join(", ")} FROM "${table}" ORDER BY ${places.join(", ")}`)
    .raw()
    .safeIntegers()
    .all();
}

/** The migrations of an earlier version: those before a name. */
export function copyMigrations(target: string, before: string): void {
  cpSync("prisma/migrations", target, { recursive: true });
  for (const name of readdirSync(target)) {
    if (name >= before && name !== "migration_lock.toml") rmSync(path.join(target, name), { recursive: true });
  }
}
