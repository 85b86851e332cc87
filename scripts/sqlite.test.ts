import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import BetterSqlite3 from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { nameCode } from "./node-sqlite.mjs";
import Database, { describeSqlite, listDrivers } from "./sqlite.mjs";

type Raw = BetterSqlite3.Database;
type Open = (file: string, options?: BetterSqlite3.Options) => Raw;

/** Every driver that this Node has: a case below holds for each of them. */
const DRIVERS = new Map(
  listDrivers().map(({ name, options: own }): [string, Open] => [
    name,
    (file, options) => new BetterSqlite3(file, { ...options, ...own }),
  ]),
);

/** Makes a call. @returns its result, or its error with the code, as the product reads errors */
function tryCall(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    const { name, code, message } = error as Error & { code?: string };
    return code === undefined ? `${name}: ${message}` : `${code}: ${message}`;
  }
}

function makeFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-driver-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, "a.db");
}

/** One table with one row: of each kind of value one. */
function fill(raw: Raw): Raw {
  raw.exec(
    "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT UNIQUE, real REAL NOT NULL, blob BLOB, none, big INTEGER CHECK (big <> 13))",
  );
  raw
    .prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)")
    .run(1, "a\0ü😀", 1.5, Buffer.from([0, 255]), undefined, 2n ** 53n + 1n);
  return raw;
}

const ROW = { id: 1, text: "a\0ü😀", real: 1.5, blob: Buffer.from([0, 255]), none: null };
const INSERT = "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)";

/** A call of better-sqlite3's interface, and what it gives. */
const CASES: [title: string, work: (raw: Raw, file: string, open: Open) => unknown, expected: unknown][] = [
  ["a row", (raw) => raw.prepare("SELECT * FROM t").get(), { ...ROW, big: 2 ** 53 }],
  ["all rows", (raw) => raw.prepare("SELECT * FROM t").all(), [{ ...ROW, big: 2 ** 53 }]],
  ["no row", (raw) => [raw.prepare("SELECT 1 WHERE 0").get(), raw.prepare("SELECT 1 WHERE 0").all()], [undefined, []]],
  ["rows one by one", (raw) => [...raw.prepare("SELECT * FROM t").iterate()], [{ ...ROW, big: 2 ** 53 }]],
  ["arrays", (raw) => raw.prepare("SELECT id, blob FROM t").raw().all(), [[1, Buffer.from([0, 255])]]],
  ["one column", (raw) => raw.prepare("SELECT text, id FROM t").pluck().all(), ["a\0ü😀"]],
  ["tables apart", (raw) => raw.prepare("SELECT id, 2 AS two FROM t").expand().get(), { t: { id: 1 }, $: { two: 2 } }],
  ["a column named twice", (raw) => raw.prepare("SELECT 1 AS a, 2 AS a").get(), { a: 2 }],
  ["64 bits", (raw) => raw.prepare("SELECT id, big FROM t").safeIntegers().get(), { id: 1n, big: 2n ** 53n + 1n }],
  [
    "64 bits by default, and not",
    (raw) => [
      raw.defaultSafeIntegers().prepare("SELECT id FROM t").pluck().get(),
      raw.prepare("SELECT id FROM t").safeIntegers(false).pluck().get(),
    ],
    [1n, 1],
  ],
  [
    "numbers are bound as reals",
    (raw) => raw.prepare("SELECT typeof(?), typeof(?)").raw().get(1, 1n),
    ["real", "integer"],
  ],
  [
    "named parameters",
    (raw) => raw.prepare("SELECT @a, :b, $c, ?, ?").raw().get({ a: 1, b: 2, c: 3, d: 4 }, 5, [6]),
    [1, 2, 3, 5, 6],
  ],
  [
    "a question mark in a text or comment",
    (raw) => raw.prepare(`SELECT '?', "?" FROM (SELECT 1 AS "?") -- ?\n WHERE ? /* ? */`).raw().get(1),
    ["?", 1],
  ],
  ["bound parameters", (raw) => raw.prepare("SELECT ?").bind(7).raw().all(), [[7]]],
  [
    "too few parameters",
    (raw) => tryCall(() => raw.prepare("SELECT ?, ?").get(1)),
    "RangeError: Too few parameter values were provided",
  ],
  [
    "too many parameters",
    (raw) => tryCall(() => raw.prepare("SELECT ?").get(1, 2)),
    "RangeError: Too many parameter values were provided",
  ],
  [
    "a missing name",
    (raw) => tryCall(() => raw.prepare("SELECT @a").get({})),
    'RangeError: Missing named parameter "a"',
  ],
  [
    "a boolean",
    (raw) => tryCall(() => raw.prepare("SELECT ?").get(true)),
    "TypeError: SQLite3 can only bind numbers, strings, bigints, buffers, and null",
  ],
  [
    "two statements",
    (raw) => tryCall(() => raw.prepare("SELECT 1; SELECT 2")),
    "RangeError: The supplied SQL string contains more than one statement",
  ],
  ["one statement and its end", (raw) => raw.prepare("SELECT ';' ; -- end\n /* ; */ ").pluck().get(), ";"],
  [
    "a trigger",
    (raw) => raw.prepare("CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; SELECT 2; END").run().changes,
    0,
  ],
  [
    "no statement",
    (raw) => tryCall(() => raw.prepare("-- nothing")),
    "RangeError: The supplied SQL string contains no statements",
  ],
  [
    "changes",
    (raw) => [raw.prepare("UPDATE t SET real = 2").run(), raw.prepare("DROP TABLE t").run().changes],
    [{ changes: 1, lastInsertRowid: 1 }, 0],
  ],
  [
    "RETURNING",
    (raw) => raw.prepare("UPDATE t SET real = 2 RETURNING id, big, blob").all(),
    [{ id: 1, big: 2 ** 53, blob: Buffer.from([0, 255]) }],
  ],
  [
    "WITH",
    (raw) => [
      raw.prepare("WITH a AS (SELECT 3 AS x) SELECT x FROM a").get(),
      raw.prepare("WITH a AS (SELECT 3 AS x) DELETE FROM t WHERE id < (SELECT x FROM a)").run().changes,
    ],
    [{ x: 3 }, 1],
  ],
  [
    "get of a write",
    (raw) => tryCall(() => raw.prepare("DELETE FROM t").get()),
    "TypeError: This statement does not return data. Use run() instead",
  ],
  [
    "readers",
    (raw) =>
      [
        "SELECT 1",
        "DELETE FROM t",
        "DELETE FROM t RETURNING id",
        "PRAGMA user_version",
        "PRAGMA user_version = 3",
        "VALUES (1)",
        "EXPLAIN SELECT 1",
        "WITH a AS (SELECT 1) SELECT * FROM a",
      ].map((sql) => raw.prepare(sql).reader),
    [true, false, true, true, false, true, true, true],
  ],
  [
    "columns",
    (raw) => raw.prepare("SELECT id AS x, 1 FROM t").columns(),
    [
      { name: "x", column: "id", table: "t", database: "main", type: "INTEGER" },
      { name: "1", column: null, table: null, database: null, type: null },
    ],
  ],
  [
    "pragmas",
    (raw) => [
      raw.pragma("user_version = 5"),
      raw.pragma("user_version"),
      raw.pragma("user_version", { simple: true }),
      raw.pragma("foreign_keys", { simple: true }),
    ],
    [[], [{ user_version: 5 }], 5, 1],
  ],
  [
    "a transaction",
    (raw) => {
      const add = raw.transaction((id: number) => raw.prepare(INSERT).run(id, `n${id}`, 1, null, null, 1).changes);
      return [add.immediate(2), raw.inTransaction, raw.prepare("SELECT count(*) FROM t").pluck().get()];
    },
    [1, false, 2],
  ],
  [
    "a transaction within another that fails",
    (raw) => {
      const fail = raw.transaction(() => {
        raw.exec("DELETE FROM t");
        throw new Error("no");
      });
      raw.transaction(() => tryCall(() => fail()))();
      return raw.prepare("SELECT count(*) FROM t").pluck().get();
    },
    1,
  ],
  [
    "a function",
    (raw) =>
      raw
        .function("twice", { deterministic: true }, (value: unknown) => `${value}${value}`)
        .prepare("SELECT twice(text) AS x, twice(none) AS y FROM t")
        .get(),
    { x: "a\0ü😀a\0ü😀", y: "nullnull" },
  ],
  [
    "a function of a blob",
    (raw) =>
      raw
        .function("size", (value: unknown) => (Buffer.isBuffer(value) ? value.length : -1))
        .prepare("SELECT size(blob) FROM t")
        .pluck()
        .get(),
    2,
  ],
  [
    "a function that throws",
    (raw) =>
      tryCall(() =>
        raw
          .function("fail", () => {
            throw new TypeError("own");
          })
          .prepare("SELECT fail()")
          .get(),
      ),
    "TypeError: own",
  ],
  [
    "an aggregate",
    (raw) =>
      raw
        .aggregate("longest", {
          start: "",
          step: (best: string, next: string) => (next.length > best.length ? next : best),
          result: (best: string) => `${best}!`,
        })
        .prepare("SELECT longest(value) FROM json_each(?)")
        .pluck()
        .get('["a","bbb","cc"]'),
    "bbb!",
  ],
  [
    "a window",
    (raw) =>
      raw
        .aggregate("total", {
          start: 0,
          step: (sum: number, next: number) => sum + next,
          inverse: (sum: number, gone: number) => sum - gone,
        })
        .prepare("SELECT total(value) OVER (ORDER BY value ROWS 1 PRECEDING) FROM json_each('[1,2,3]')")
        .pluck()
        .all(),
    [1, 3, 5],
  ],
  [
    "full-text search",
    (raw) => {
      raw.exec("CREATE VIRTUAL TABLE f USING fts5(x, tokenize = 'trigram'); INSERT INTO f VALUES ('toolroom')");
      return raw.prepare("SELECT x FROM f WHERE f MATCH ?").pluck().all("lroo");
    },
    ["toolroom"],
  ],
  [
    "a change after a full-text index gave a number that JavaScript's lack",
    (raw) => {
      raw.exec("CREATE VIRTUAL TABLE f USING fts5(x, content = '', contentless_delete = 1)");
      for (let row = 1; row <= 40; row += 1) raw.prepare("INSERT INTO f (rowid, x) VALUES (?, 'a')").run(BigInt(row));
      raw.exec("CREATE TABLE big (id INTEGER PRIMARY KEY)");
      const { lastInsertRowid } = raw.prepare("INSERT INTO big VALUES (9007336693694464)").run();
      return [lastInsertRowid, raw.prepare("DELETE FROM f WHERE rowid = 7").run().changes];
    },
    [9007336693694464, 1],
  ],
  [
    "a unique column",
    (raw) => tryCall(() => raw.prepare(INSERT).run(2, "a\0ü😀", 1, null, null, 1)),
    "SQLITE_CONSTRAINT_UNIQUE: UNIQUE constraint failed: t.text",
  ],
  [
    "a key",
    (raw) => tryCall(() => raw.prepare(INSERT).run(1, "b", 1, null, null, 1)),
    "SQLITE_CONSTRAINT_PRIMARYKEY: UNIQUE constraint failed: t.id",
  ],
  [
    "NOT NULL",
    (raw) => tryCall(() => raw.prepare(INSERT).run(2, "b", null, null, null, 1)),
    "SQLITE_CONSTRAINT_NOTNULL: NOT NULL constraint failed: t.real",
  ],
  [
    "CHECK",
    (raw) => tryCall(() => raw.prepare(INSERT).run(2, "b", 1, null, null, 13)),
    "SQLITE_CONSTRAINT_CHECK: CHECK constraint failed: big <> 13",
  ],
  [
    "a foreign key",
    (raw) => tryCall(() => raw.exec("CREATE TABLE k (t REFERENCES t (id)); INSERT INTO k VALUES (9)")),
    "SQLITE_CONSTRAINT_FOREIGNKEY: FOREIGN KEY constraint failed",
  ],
  [
    "RAISE in a trigger",
    (raw) =>
      tryCall(() =>
        raw.exec("CREATE TRIGGER x BEFORE DELETE ON t BEGIN SELECT RAISE(ABORT, 'kept'); END; DELETE FROM t"),
      ),
    "SQLITE_CONSTRAINT_TRIGGER: kept",
  ],
  [
    "a table that is not there",
    (raw) => tryCall(() => raw.prepare("SELECT * FROM absent")),
    "SQLITE_ERROR: no such table: absent",
  ],
  [
    "a text in double quotes",
    (raw) => tryCall(() => raw.prepare('SELECT "nothing"')),
    'SQLITE_ERROR: no such column: "nothing" - should this be a string literal in single-quotes?',
  ],
  [
    "a full disk",
    (raw) =>
      tryCall(() => {
        raw.pragma("max_page_count = 1");
        raw.exec("CREATE TABLE u (x)");
      }),
    "SQLITE_FULL: database or disk is full",
  ],
  [
    "a lock",
    (raw, file, open) => {
      raw.exec("BEGIN IMMEDIATE");
      const other = open(file, { timeout: 0 });
      const said = tryCall(() => other.exec("DELETE FROM t"));
      other.close();
      return said;
    },
    "SQLITE_BUSY: database is locked",
  ],
  [
    "an old snapshot",
    (raw, file, open) => {
      raw.pragma("journal_mode = WAL");
      const other = open(file, { timeout: 0 });
      other.exec("BEGIN");
      other.prepare("SELECT * FROM t").get();
      raw.exec("UPDATE t SET real = 3");
      const said = tryCall(() => other.exec("DELETE FROM t"));
      other.close();
      return said;
    },
    "SQLITE_BUSY_SNAPSHOT: database is locked",
  ],
  [
    "a file for reading",
    (_raw, file, open) => {
      const other = open(file, { readonly: true });
      const said = [
        other.readonly,
        other.prepare("SELECT id FROM t").pluck().get(),
        tryCall(() => other.exec("DELETE FROM t")),
      ];
      other.close();
      return said;
    },
    [true, 1, "SQLITE_READONLY: attempt to write a readonly database"],
  ],
  [
    "a file that must be there",
    (_raw, file, open) => tryCall(() => open(`${file}.not`, { fileMustExist: true })),
    "SQLITE_CANTOPEN: unable to open database file",
  ],
  [
    "a folder that is not there",
    (_raw, file, open) => tryCall(() => open(`${file}.not/b.db`)),
    "TypeError: Cannot open database because the directory does not exist",
  ],
  [
    "a closed database",
    (raw) => {
      raw.close();
      return [
        raw.open,
        raw.inTransaction,
        tryCall(() => raw.exec("SELECT 1")),
        tryCall(() => raw.prepare("SELECT 1")),
        raw.close().open,
      ];
    },
    [
      false,
      false,
      "TypeError: The database connection is not open",
      "TypeError: The database connection is not open",
      false,
    ],
  ],
  [
    "an extension that is not there",
    (raw) => /^SQLITE_ERROR: /.test(String(tryCall(() => raw.loadExtension("/nothing/at/all")))),
    true,
  ],
  [
    "load_extension() in SQL",
    (raw) => tryCall(() => raw.prepare("SELECT load_extension('x')").get()),
    "SQLITE_ERROR: not authorized",
  ],
  [
    "its properties",
    (raw, file) => [raw.name === file, raw.memory, raw.readonly, raw.prepare("SELECT 1").source],
    [true, false, false, "SELECT 1"],
  ],
];

it.each([...DRIVERS.keys()])("%s gives what better-sqlite3 gives, values and errors", (driver) => {
  const open = DRIVERS.get(driver) as Open;
  const found = CASES.map(([title, work]) => {
    const file = makeFile();
    const raw = fill(open(file));
    const result = tryCall(() => work(raw, file, open));
    raw.close();
    return [title, result];
  });
  expect(found).toEqual(CASES.map(([title, , expected]) => [title, expected]));
});

it.each([...DRIVERS.keys()])("%s copies a database that is in use, whole", async (driver) => {
  const open = DRIVERS.get(driver) as Open;
  const file = makeFile();
  const raw = fill(open(file));
  raw.pragma("journal_mode = WAL");
  raw.exec(
    "INSERT INTO t SELECT value, value, 1, randomblob(500), NULL, 1 FROM generate_series(2, 4000)".replace(
      "generate_series(2, 4000)",
      "json_each((SELECT json_group_array(x) FROM (WITH RECURSIVE n(x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM n WHERE x < 4000) SELECT x FROM n)))",
    ),
  );
  const { totalPages, remainingPages } = await raw.backup(`${file}.copy`, {
    progress: ({ totalPages: pages }) => pages + 1,
  });
  expect(totalPages).toBe(raw.pragma("page_count", { simple: true }));
  expect(remainingPages).toBe(0);
  const copy = open(`${file}.copy`, { readonly: true });
  expect([copy.pragma("quick_check", { simple: true }), copy.prepare("SELECT count(*) FROM t").pluck().get()]).toEqual([
    "ok",
    4000,
  ]);
  copy.close();
  await expect(raw.backup(`${file}.not/copy`)).rejects.toThrow(
    "Cannot save backup because the directory does not exist",
  );
  raw.close();
});

it("names each code of SQLite as better-sqlite3 does", () => {
  expect([0, 1, 5, 6, 8, 11, 13, 14, 19, 26].map(nameCode)).toEqual([
    ..."OK ERROR BUSY LOCKED READONLY CORRUPT FULL CANTOPEN CONSTRAINT NOTADB"
      .split(" ")
      .map((name) => `SQLITE_${name}`),
  ]);
  expect([517, 522, 787, 1555, 2067, 5386, 99_999].map(nameCode)).toEqual([
    "SQLITE_BUSY_SNAPSHOT",
    "SQLITE_IOERR_SHORT_READ",
    "SQLITE_CONSTRAINT_FOREIGNKEY",
    "SQLITE_CONSTRAINT_PRIMARYKEY",
    "SQLITE_CONSTRAINT_UNIQUE",
    "SQLITE_IOERR_SHMMAP",
    "UNKNOWN_SQLITE_ERROR_99999",
  ]);
});

/** Chooses a driver in a thread of its own, which has its own modules. */
async function choose(variable: string | undefined): Promise<{ said: string; warnings: string[] }> {
  const module = new URL("sqlite.mjs", import.meta.url).href;
  const code = `import(${JSON.stringify(module)}).then(({ describeSqlite }) => describeSqlite()).catch((error) => error.message)
    .then((said) => require("node:worker_threads").parentPort.postMessage(said));`;
  const { TOOLROOM_SQLITE: _dropped, ...env } = process.env;
  const worker = new Worker(code, {
    eval: true,
    stderr: true,
    env: { ...env, ...(variable && { TOOLROOM_SQLITE: variable }) },
  });
  const warnings: string[] = [];
  worker.stderr.on("data", (chunk: Buffer) => warnings.push(chunk.toString()));
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  const said = await new Promise<string>((resolve, reject) => worker.once("message", resolve).once("error", reject));
  await ended;
  return { said, warnings };
}

it("takes the first driver that loads, says which, and warns of nothing", async () => {
  const { said, warnings } = await choose(undefined);
  expect(said).toMatch(new RegExp(`^SQLite \\d+\\.\\d+\\.\\d+ \\(${[...DRIVERS.keys()][0]}\\)$`));
  expect(warnings).toEqual([]);
  expect(describeSqlite()).toMatch(/^SQLite \S+ \(\S+\)$/);
  new Database(":memory:").close();
});

it.each(["better-sqlite3", "better-sqlite3-napi", "node"])(
  "takes %s where TOOLROOM_SQLITE names it, or says why it cannot",
  async (name) => {
    const { said, warnings } = await choose(name);
    expect(said).toMatch(
      DRIVERS.has(name)
        ? `(${name})`
        : /^TOOLROOM_SQLITE is ".*", which Node .* cannot load \(.+\)\. Unset TOOLROOM_SQLITE\.$/,
    );
    expect(warnings).toEqual([]);
  },
);

it("names the drivers where TOOLROOM_SQLITE names none of them", async () => {
  const { said } = await choose("oracle");
  expect(said).toBe('TOOLROOM_SQLITE is "oracle". Set it to better-sqlite3, node, better-sqlite3-napi, or unset it.');
});
