import path from "node:path";
import type { Command } from "commander";
import { formatCount, formatPlural } from "../../lib/format/count";
import { formatDuration } from "../../lib/format/duration";
import { getMessage } from "../../lib/get-message";
import type { Moved } from "../main/move-database";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { defineCommand } from "./define-command";
import { readDatabaseUrl } from "./find-address";
import { write, writeJson } from "./output";
import { chooseExample } from "./shell-examples";

interface MigrateOptions {
  to: string;
  data?: string;
  json?: boolean;
}

export function addMigrateCommand(program: Command, io: CommandIo): void {
  const migrate = defineCommand(program, {
    syntax: "migrate",
    summary: "Move all data from SQLite to PostgreSQL, or back",
    details:
      "Copies the database of DATABASE_URL into an empty one and compares every row; the source stays as it is. Stop Toolroom first. Ended at any " +
      "moment, the same command continues. TOOLROOM_SECRET_KEY must be the key of the source. Put the password of PostgreSQL into PGPASSWORD: others can read command lines.",
    examples: [
      [
        "toolroom migrate --to postgresql://toolroom@db.example.com/toolroom",
        "from the file of the data folder to PostgreSQL",
      ],
      [
        chooseExample(
          "DATABASE_URL=postgresql://toolroom@db.example.com/toolroom toolroom migrate --to ./toolroom.db",
          "$env:DATABASE_URL = 'postgresql://toolroom@db.example.com/toolroom'; toolroom migrate --to ./toolroom.db",
        ),
        "back into a file",
      ],
    ],
  });
  migrate
    .requiredOption("--to <database>", "an address of PostgreSQL, or a file")
    .option("--data <folder>", "the folder of the database to move")
    .option("--json", "print { from, to, tables, anchorFile, hasAnchor }")
    .action((options: MigrateOptions) => migrateDatabase(options, io));
}

async function migrateDatabase(options: MigrateOptions, io: CommandIo): Promise<void> {
  const { moveDatabase } = await import("../main/move-database");
  const { env, rootDir, signal } = io;
  const progress = createProgress(io);
  const begun = performance.now();
  const moving = moveDatabase({
    from: readDatabaseUrl(options, io),
    to: readTarget(options.to, io),
    rootDir,
    signal,
    home: path.resolve(env.TOOLROOM_HOME ?? process.cwd()),
    dataFolder: options.data === undefined ? env.TOOLROOM_DATA : path.resolve(io.cwd, options.data),
    secretKey: env.TOOLROOM_SECRET_KEY,
    onProgress: progress.show,
  });
  io.holdExit(moving.catch(() => undefined));
  const moved = await moving.catch((error: unknown) => failMove(error, io)).finally(progress.end);
  if (options.json) return await writeJson(io, JSON.stringify(moved));
  await write(io.stdout, describeMove(moved, performance.now() - begun));
}

/** Paths begin where the command was called. @throws CommandError that does not repeat an address, which may hold a password */
function readTarget(to: string, { cwd }: CommandIo): string {
  if (/^postgres(?:ql)?:/i.test(to)) {
    if (URL.canParse(to) && new URL(to).pathname.length > 1) return to;
    throw usageError("--to is not the address of a database: postgresql://user@host:5432/database.");
  }
  const file = to.replace(/^file:(?:\/\/(?=\/))?/, "");
  if (file !== "" && !/^[a-z][a-z+]+:/i.test(file)) return `file:${path.resolve(cwd, file)}`;
  throw usageError("--to names a database of PostgreSQL (postgresql://user@host:5432/database) or a file.");
}

function failMove(error: unknown, { signal, stderr }: CommandIo): never {
  if (signal.aborted) {
    stderr.write("Stopped. The same command continues; the source is unchanged.\n");
    throw error;
  }
  const isRefused = error instanceof Error && Reflect.get(error, "code") === "MOVE_REFUSED";
  throw new CommandError(isRefused ? EXIT.refused : EXIT.failed, getMessage(error));
}

const SHOW_EVERY_MS = { terminal: 200, log: 10_000 };
const VERBS = { copy: "Copying", check: "Checking what is there of", verify: "Comparing" };

/** Shows progress: on a terminal as one line that changes, elsewhere as a line every few seconds. */
function createProgress({ stderr }: CommandIo) {
  const isTerminal = stderr.isTTY === true;
  const everyMs = isTerminal ? SHOW_EVERY_MS.terminal : SHOW_EVERY_MS.log;
  let shownAt = Number.NEGATIVE_INFINITY;
  let begunAt = 0;
  let name = "";
  let begunRows = 0;
  return {
    show({ kind, table, rows, total }: { kind: keyof typeof VERBS; table: string; rows: number; total: number }): void {
      const now = performance.now();
      if (name !== kind + table) [name, begunAt, begunRows] = [kind + table, now, rows];
      if (now - shownAt < everyMs) return;
      shownAt = now;
      const rate = Math.round(((rows - begunRows) * 1000) / Math.max(1, now - begunAt));
      const pace = rate > 0 ? `, ${formatCount(rate)} rows/s` : "";
      const line = `${VERBS[kind]} ${table}: ${formatCount(rows)} of ${formatCount(total)} rows${pace}`;
      stderr.write(isTerminal ? `\r\u{1b}[2K${line}` : `${line}\n`);
    },
    end(): void {
      if (isTerminal && name !== "") stderr.write("\r\u{1b}[2K");
    },
  };
}

function describeMove({ from, to, tables, anchorFile, hasAnchor }: Moved, tookMs: number): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const largest = tables.filter((table) => table.rows > 0).sort((one, other) => other.rows - one.rows);
  const lines = [
    `Moved ${formatPlural(rows, "row")} of ${formatPlural(largest.length, "table")} from ${from} to ${to} in ${formatDuration(tookMs)}. Every row was compared.`,
    ...largest.slice(0, 5).map((table) => `  ${table.name}: ${formatCount(table.rows)}`),
    ...(largest.length > 5 ? [`  and ${formatPlural(largest.length - 5, "smaller table")}`] : []),
    `Start Toolroom with DATABASE_URL naming ${to} and the same TOOLROOM_SECRET_KEY. It fills the search index in the background; until then searches take longer.`,
  ];
  const hasLog = tables.some(({ name, rows }) => name === "AuditEntry" && rows > 0);
  if (hasAnchor) lines.push(`On another machine, its data folder needs ${anchorFile}, the end of the audit log.`);
  else if (hasLog) {
    lines.push(
      `No file with the end of the audit log is beside ${from} on this machine. Put it to ${anchorFile} before the start, else the log notes that it is missing.`,
    );
  }
  return `${lines.join("\n")}\n`;
}
