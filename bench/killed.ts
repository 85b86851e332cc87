/**
 * `npm run bench:killed [-- 200]`: kills a starting server at so many moments, spread over the whole upgrade of a database with
 * 40,000 rows and 15 pending migrations, starts it again, and compares every row with an upgrade that ran undisturbed. The same
 * for half as many restores. Needs a build.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "../scripts/sqlite.mjs";
import { migrateSqlite } from "../src/server/platform/db/migrate";
import { median } from "./median";

const ROUNDS = Number(process.argv[2] ?? 200);
const LANES = 2;
const MIGRATIONS = path.resolve("prisma/migrations");
/** The first migration that the older program does not have. */
const FIRST_PENDING = "20261213000000_token_toolsets";
/** Filled or emptied by each start. */
const NOT_COMPARED =
  /^(?:_prisma_migrations|_toolroom_restored|sqlite_.*|ExecutionText.*|Instance|Change|Command|Lease|Job)$/;
const ROWS: Readonly<Record<string, number>> = {
  Definition: 50,
  User: 50,
  OauthClient: 20,
  Execution: 12_000,
  RunEvent: 12_000,
  TranscriptSegment: 8_000,
  Run: 2_000,
  Approval: 2_000,
  SamplingRequest: 1_000,
  ToolVersion: 1_000,
};
const OTHER_ROWS = 100;
/** Without these a start has nothing to settle and nothing to connect. */
const LEFT_EMPTY = /^(?:McpServer|AuditEntry|Setting|Interaction|GatewaySession)$/;
const STATUS: Readonly<Record<string, string>> = {
  Execution: "succeeded",
  Approval: "approved",
  Run: "completed",
  EvalRun: "finished",
  Transcript: "failed",
};

const quiet = (): void => undefined;
const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };

interface Column {
  name: string;
  type: string;
  pk: number;
  notnull: number;
}

function listTables(raw: Database): string[] {
  const sql = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
  return (raw.prepare(sql).pluck().all() as string[]).filter((name) => !NOT_COMPARED.test(name));
}

/** Rows whose values differ from each other, as an expression of `n`. */
function toValue(table: string, { name, type, pk, notnull }: Column, parents: ReadonlyMap<string, string>): string {
  const parent = parents.get(name);
  if (parent !== undefined) return `'${parent}_' || (n % ${ROWS[parent] ?? OTHER_ROWS})`;
  if (name === "status") return `'${STATUS[table] ?? "done"}'`;
  if (notnull === 0 && /^(?:deletedAt|disabledAt|revokedAt)$/.test(name)) return "NULL";
  if (type === "BOOLEAN") return "0";
  if (type === "TEXT")
    return pk > 0 || /^(?:id|hash|identifier|clientId|token)$/.test(name) ? `'${table}_' || n` : TEXT;
  return type === "REAL" ? "n * 0.5" : "1790000000000 + n";
}
const TEXT = `'{"n":' || n || ',"text":"' || hex(zeroblob(20)) || '"}'`;

/** A database as the program before `FIRST_PENDING` left it. */
async function buildTemplate(folder: string): Promise<string> {
  const older = path.join(folder, "older-migrations");
  for (const name of readdirSync(MIGRATIONS).filter((each) => each < FIRST_PENDING || !/^\d/.test(each))) {
    cpSync(path.join(MIGRATIONS, name), path.join(older, name), { recursive: true });
  }
  const file = path.join(folder, "template.db");
  await migrateSqlite({ url: `file:${file}`, logger, folder: older });
  const raw = new Database(file);
  raw.pragma("journal_mode = WAL");
  raw.pragma("foreign_keys = OFF");
  for (const table of listTables(raw).filter((name) => !LEFT_EMPTY.test(name))) {
    const columns = raw.pragma(`table_info("${table}")`) as Column[];
    const keys = raw.pragma(`foreign_key_list("${table}")`) as { from: string; table: string }[];
    const parents = new Map(keys.map((key) => [key.from, key.table]));
    const filled = columns.filter(({ name }) => name !== "seq");
    raw.exec(`WITH RECURSIVE row(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM row WHERE n + 1 < ${ROWS[table] ?? OTHER_ROWS})
      INSERT INTO "${table}" (${filled.map(({ name }) => `"${name}"`).join(", ")})
      SELECT ${filled.map((column) => toValue(table, column, parents)).join(", ")} FROM row`);
  }
  raw.pragma("wal_checkpoint(TRUNCATE)");
  const dangling = raw.pragma("foreign_key_check") as unknown[];
  if (dangling.length > 0) throw new Error(`Rows refer to nothing: ${JSON.stringify(dangling[0])}`);
  raw.close();
  return file;
}

/** The hash of all rows of each table. */
function readRows(file: string): Map<string, string> {
  const raw = new Database(file, { readonly: true });
  const hashes = new Map<string, string>();
  for (const table of listTables(raw)) {
    const hash = createHash("sha256");
    for (const row of raw.prepare(`SELECT * FROM "${table}" ORDER BY 1, 2`).raw().iterate())
      hash.update(JSON.stringify(row));
    hashes.set(table, hash.digest("hex"));
  }
  const state = raw.pragma("integrity_check", { simple: true });
  raw.close();
  if (state !== "ok") throw new Error(`${file}: ${state}`);
  return hashes;
}

function findDifference(wanted: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): string[] {
  return [...wanted].filter(([table, hash]) => found.get(table) !== hash).map(([table]) => table);
}

interface Running {
  child: ChildProcess;
  output: () => string;
  closed: Promise<unknown>;
}

function run(script: string, args: string[], data: string): Running {
  const env = { ...process.env, TOOLROOM_DATA: data, DATABASE_URL: "", PORT: "0", TOOLROOM_LOG_LEVEL: "warn" };
  const child = spawn(process.execPath, [path.resolve("scripts", script), ...args], { env });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  return { child, output: () => text, closed: once(child, "close") };
}

const hasEnded = ({ child }: Running): boolean => child.exitCode !== null || child.signalCode !== null;

async function waitWhile(condition: () => boolean): Promise<void> {
  while (condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** From here on it works with the database. */
const isOwned = (data: string): boolean => existsSync(path.join(data, "toolroom.db.owner"));

/** Starts a server to its end. @returns after how many milliseconds it was ready */
async function startToEnd(data: string): Promise<number> {
  const startedAt = performance.now();
  const server = run("start.mjs", [], data);
  await waitWhile(() => !/Toolroom is ready/.test(server.output()) && !hasEnded(server));
  const ms = performance.now() - startedAt;
  if (hasEnded(server)) throw new Error(`It did not start again:\n${server.output()}`);
  server.child.kill("SIGTERM");
  await server.closed;
  return ms;
}

/** How far it had come when it was killed. */
function describeState(file: string): string {
  const names = readdirSync(path.dirname(file));
  if (names.some((name) => name.endsWith(".tmp"))) return "copying";
  const raw = new Database(file, { readonly: true });
  const count = raw
    .prepare("SELECT count(*) FROM _prisma_migrations WHERE migration_name >= ?")
    .pluck()
    .get(FIRST_PENDING);
  raw.close();
  if (count !== 0) return "upgraded";
  return names.some((name) => name.endsWith(".bak")) ? "migrating" : "before";
}

async function killAfter({ child, closed }: Running, ms: number): Promise<void> {
  const timer = setTimeout(() => child.kill("SIGKILL"), ms);
  await closed;
  clearTimeout(timer);
}

const folder = mkdtempSync(path.join(tmpdir(), "toolroom-killed-"));
const counts: Record<string, number> = {};
const faults: string[] = [];

function openCase(name: string, source: string): { data: string; file: string } {
  const data = path.join(folder, name);
  mkdirSync(data);
  const file = path.join(data, "toolroom.db");
  cpSync(source, file);
  return { data, file };
}

async function inLanes(rounds: number, round: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < rounds; index = next++) {
      await round(index).catch((error: unknown) =>
        faults.push(`round ${index}: ${error instanceof Error ? error.message : error}`),
      );
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

try {
  const template = await buildTemplate(folder);
  const older = readRows(template);
  const times: number[] = [];
  let wanted = new Map<string, string>();
  let upgraded = "";
  for (let index = 0; index < 3; index += 1) {
    const { data, file } = openCase(`whole-${index}`, template);
    times.push(await startToEnd(data));
    const rows = readRows(file);
    // What a start writes anew each time is not compared.
    wanted = index === 0 ? rows : new Map([...wanted].filter(([table, hash]) => rows.get(table) === hash));
    upgraded = file;
  }
  const readyMs = median(times);
  const startedAt = performance.now();
  await migrateSqlite({ url: `file:${openCase("measured", template).file}`, logger });
  const upgradeMs = performance.now() - startedAt;
  const size = Math.round(statSync(template).size / 1_000_000);
  console.log(
    `${size} MB, ${older.size} tables: upgraded in ${Math.round(upgradeMs)} ms, ready in ${Math.round(readyMs)} ms`,
  );

  await inLanes(ROUNDS, async (index) => {
    const { data, file } = openCase(`round-${index}`, template);
    const server = run("start.mjs", [], data);
    const share = (index + Math.random()) / ROUNDS;
    // One in eight at any moment of the start, the others during the upgrade; two starts at a time take longer than one.
    if (index % 8 === 0) await killAfter(server, share * readyMs);
    else {
      await waitWhile(() => !isOwned(data) && !hasEnded(server));
      await killAfter(server, share * upgradeMs * 2);
    }
    const state = describeState(file);
    counts[state] = (counts[state] ?? 0) + 1;
    await startToEnd(data);
    const names = readdirSync(data);
    const copies = names.filter((name) => name.endsWith(".bak"));
    const problems = [
      ...findDifference(wanted, readRows(file)).map((table) => `rows of ${table}`),
      ...names.filter((name) => name.endsWith(".tmp")).map((name) => `left over: ${name}`),
      ...(copies.length === 1
        ? findDifference(older, readRows(path.join(data, copies[0] ?? "")))
        : [`${copies.length} copies`]),
    ];
    if (problems.length > 0) faults.push(`upgrade ${index} (${state}): ${problems.join(", ")}`);
    rmSync(data, { recursive: true });
  });
  console.log(`${ROUNDS} upgrades killed: ${JSON.stringify(counts)}; ${faults.length} faults`);

  const copy = readdirSync(path.dirname(upgraded)).find((name) => name.endsWith(".bak")) ?? "";
  const source = path.join(folder, "copy.bak");
  cpSync(path.join(path.dirname(upgraded), copy), source);
  const whole = openCase("restored", upgraded);
  const restoredAt = performance.now();
  await run("toolroom.mjs", ["restore", source], whole.data).closed;
  const restoreMs = performance.now() - restoredAt;
  if (findDifference(older, readRows(whole.file)).length > 0) faults.push("an undisturbed restore");
  const restores = Math.ceil(ROUNDS / 2);
  const ended: Record<string, number> = {};
  await inLanes(restores, async (index) => {
    const { data, file } = openCase(`restore-${index}`, upgraded);
    await killAfter(
      run("toolroom.mjs", ["restore", source], data),
      restoreMs * (0.4 + (1.2 * (index + Math.random())) / restores),
    );
    const rows = readRows(file);
    const isOld = findDifference(older, rows).length === 0;
    const isNew = findDifference(wanted, rows).length === 0;
    const state = isOld ? "restored" : isNew ? "as it was" : "neither";
    ended[state] = (ended[state] ?? 0) + 1;
    if (state === "neither") faults.push(`restore ${index}: neither of the two`);
    const again = run("toolroom.mjs", ["restore", source], data);
    await again.closed;
    if (again.child.exitCode !== 0) faults.push(`restore ${index} again: ${again.output()}`);
    const left = readdirSync(data).filter((name) => /\.tmp$|\.restore$/.test(name));
    if (left.length > 0) faults.push(`restore ${index} left ${left.join(", ")}`);
    if (findDifference(older, readRows(file)).length > 0) faults.push(`restore ${index} again: other rows`);
    rmSync(data, { recursive: true });
  });
  console.log(`${restores} restores killed: ${JSON.stringify(ended)}; ${faults.length} faults in all`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
