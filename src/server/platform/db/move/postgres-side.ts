import { getMessage } from "../../../../lib/get-message";
import { DatabaseOpenError } from "../database-file";
import { Prisma } from "../generated-postgres/client";
import { toPlainConfig } from "../postgres/client-config";
import { describePostgresError } from "../postgres/open-error";
import { TextClient } from "../postgres/text-client";
import { isRowError } from "../storage-error";
import { copyIn, copyOut } from "./copy-lines";
import { listColumns, listNames, type MoveSource, type MoveTarget, quote, type TableProgress } from "./move-side";
import { MOVE_TABLE } from "./move-table";
import { type ColumnKind, createLineFormat, type MovedTable } from "./row-lines";

/** The texts of values do not depend on the settings of a server or a user. */
const SETTINGS = `SET LOCAL DateStyle = ISO; SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = hex;
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`;

const KINDS: ReadonlyMap<string, ColumnKind> = new Map([
  ["text", "text"],
  ["integer", "integer"],
  ["bigint", "integer"],
  ["double precision", "float"],
  ["boolean", "boolean"],
  ["timestamp without time zone", "timestamp"],
  ["bytea", "bytes"],
]);

/**
 * Tables and columns that only one of the databases has are not part of the schema. Search text is indexed again, so no
 * row counts as indexed.
 */
function isMoved(table: string, column: string): boolean {
  const isModel = Object.hasOwn(Prisma.ModelName, table);
  const columns: object = isModel ? (Reflect.get(Prisma, `${table}ScalarFieldEnum`) ?? {}) : {};
  return Object.hasOwn(columns, column) && !(table === "Execution" && column === "searchable");
}

async function connect(url: string): Promise<TextClient> {
  const client = new TextClient(toPlainConfig(url, "move"));
  // An error that ends the connection also fails the running statement.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** The tables to move, each after those that it refers to. PostgreSQL knows the types of all columns. */
export async function listMovedTables(url: string): Promise<MovedTable[]> {
  return await readable(url, async () => {
    const client = await connect(url);
    try {
      const { rows } = await client.query<{
        table: string;
        column: string;
        type: string;
        counts: number;
        key: number | null;
      }>(
        `SELECT c.table_name AS table, c.column_name AS column, c.data_type AS type,
           (pg_get_serial_sequence(quote_ident(c.table_name), c.column_name) IS NOT NULL)::int AS counts,
           array_position(i.indkey::int[], a.attnum::int) AS key
         FROM information_schema.columns c
         JOIN pg_class r ON r.relname = c.table_name AND r.relkind = 'r' AND r.relnamespace = current_schema()::regnamespace
         JOIN pg_attribute a ON a.attrelid = r.oid AND a.attname = c.column_name
         LEFT JOIN pg_index i ON i.indrelid = r.oid AND i.indisprimary
         WHERE c.table_schema = current_schema() ORDER BY 1, c.ordinal_position`,
      );
      const { rows: references } = await client.query<{ from: string; to: string }>(
        `SELECT f.relname AS from, t.relname AS to FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid JOIN pg_class t ON t.oid = c.confrelid
         WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace ORDER BY 1, 2`,
      );
      const byTable = new Map<string, typeof rows>();
      for (const row of rows) {
        if (isMoved(row.table, row.column)) byTable.set(row.table, [...(byTable.get(row.table) ?? []), row]);
      }
      const tables = [...byTable].map(([name, columns]) => ({
        name,
        columns: columns.map(({ column, type }) => ({ name: column, kind: toKind(type) })),
        key: columns
          .flatMap(({ column, key }) => (key === null ? [] : [{ column, key }]))
          .sort((one, other) => one.key - other.key)
          .map(({ column }) => column),
        counter: columns.find(({ counts }) => counts === 1)?.column ?? null,
      }));
      return sortByReferences(tables, references);
    } finally {
      await client.end();
    }
  });
}

function toKind(type: string): ColumnKind {
  const kind = KINDS.get(type);
  if (kind === undefined) throw new Error(`Columns of the type ${type} cannot be moved`);
  return kind;
}

function sortByReferences(
  tables: readonly MovedTable[],
  references: readonly { from: string; to: string }[],
): MovedTable[] {
  const sorted = new Map<string, MovedTable>();
  const add = (table: MovedTable): void => {
    for (const { from, to } of references) {
      const other = tables.find(({ name }) => name === to);
      if (from === table.name && to !== from && other !== undefined && !sorted.has(to)) add(other);
    }
    sorted.set(table.name, table);
  };
  for (const table of tables) add(table);
  return [...sorted.values()];
}

/** @throws DatabaseOpenError in place of the server's own errors */
async function readable<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw describePostgresError(error, url);
  }
}

function createReads(client: TextClient, url: string) {
  const readNumber = async (sql: string, ...values: unknown[]): Promise<number> =>
    await readable(url, async () => (await client.query<{ number: number }>(sql, values)).rows[0]?.number ?? 0);
  return {
    async *read(table: MovedTable) {
      const { fromPostgres } = createLineFormat(table);
      const select = `SELECT ${listColumns(table)} FROM ${quote(table.name)} ORDER BY ${listNames(table.key)}`;
      try {
        for await (const lines of copyOut(client, `COPY (${select}) TO STDOUT`)) yield lines.map(fromPostgres);
      } catch (error) {
        throw describePostgresError(error, url);
      }
    },
    countRows: ({ name }: MovedTable) => readNumber(`SELECT count(*) AS number FROM ${quote(name)}`),
    readCounter: async ({ name, counter }: MovedTable & { counter: string }) => {
      const sql = "SELECT pg_get_serial_sequence(quote_ident($1), $2) AS name";
      const { rows } = await readable(url, () => client.query<{ name: string }>(sql, [name, counter]));
      return await readNumber(`SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS number FROM ${rows[0]?.name}`);
    },
    close: async () => {
      await client.end().catch(() => undefined);
    },
  };
}

/** Opens a database of this version's schema for reading. */
export async function openPostgresSource(url: string): Promise<MoveSource> {
  return await readable(url, async () => {
    const client = await connect(url);
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${SETTINGS}`);
    return {
      ...createReads(client, url),
      selectTexts: async (sql) => (await client.query<{ text: string }>(sql)).rows.map(({ text }) => text),
    };
  });
}

/** Opens a migrated database that this process owns. */
export async function openPostgresTarget(url: string): Promise<MoveTarget> {
  const client = await readable(url, () => connect(url));
  const reads = createReads(client, url);

  async function transact(work: () => Promise<void>): Promise<void> {
    await readable(url, async () => {
      await client.query(`BEGIN; ${SETTINGS}`);
      try {
        await work();
        await client.query("COMMIT");
      } catch (error) {
        await client.query("ROLLBACK").catch(() => undefined);
        throw error;
      }
    });
  }

  return {
    ...reads,
    async *read(table) {
      await client.query(`BEGIN READ ONLY; ${SETTINGS}`);
      yield* reads.read(table);
      await client.query("COMMIT");
    },
    async readProgress() {
      const { rows: found } = await client.query("SELECT to_regclass($1) AS name", [MOVE_TABLE]);
      if (found[0]?.name === null) return null;
      const { rows } = await client.query<TableProgress & { name: string }>(
        `SELECT name, rows, checksum FROM ${MOVE_TABLE}`,
      );
      return new Map(rows.map(({ name, ...progress }) => [name, progress]));
    },
    begin: () =>
      transact(async () => {
        await client.query(`CREATE TABLE ${MOVE_TABLE} (name TEXT PRIMARY KEY, rows BIGINT, checksum TEXT)`);
      }),
    append: (table, lines, { rows, checksum }) =>
      transact(async () => {
        const copy = `COPY ${quote(table.name)} (${listColumns(table)}) FROM STDIN`;
        await copyIn(client, copy, lines).catch((error: unknown) => {
          if (!isRowError(error)) throw error;
          throw new DatabaseOpenError(`PostgreSQL refuses a row of ${table.name}: ${getMessage(error)}`, {
            cause: error,
          });
        });
        await client.query(
          `INSERT INTO ${MOVE_TABLE} (name, rows, checksum) VALUES ($1, $2, $3)
           ON CONFLICT (name) DO UPDATE SET rows = excluded.rows, checksum = excluded.checksum`,
          [table.name, rows, checksum],
        );
      }),
    raiseCounter: (table, number) =>
      transact(async () => {
        const highest = Math.max(number, await reads.readCounter(table));
        const sql = "SELECT setval(pg_get_serial_sequence(quote_ident($1), $2), $3)";
        if (highest > 0) await client.query(sql, [table.name, table.counter, highest]);
      }),
    // Without ANALYZE, the server would plan the first lists badly.
    finish: async () => {
      await readable(url, () => client.query("ANALYZE"));
      await transact(async () => {
        await client.query(`DROP TABLE ${MOVE_TABLE}`);
      });
    },
  };
}
