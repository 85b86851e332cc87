import { randomInt } from "node:crypto";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import type { Logger } from "../../../engine/ports";
import { AppError, isAppError } from "../../shared/app-error";
import { DamagedRows } from "../damaged-rows";
import type { OpenDatabaseOptions, PostgresDatabase, PostgresRoute } from "../database";
import { DatabaseOpenError } from "../database-file";
import { describePostgresUrl } from "../describe-database";
import type { PrismaClient } from "../generated/client";
import { PrismaClient as PostgresClient } from "../generated-postgres/client";
import { isLostConnection, storageCode } from "../storage-error";
import { untilUnlocked } from "../write-queue";
import { isPooled, toDirectConfig, toPooledConfig } from "./client-config";
import { createJournalConnection } from "./journal-connection";
import { withPlainClient } from "./plain-client";
import { toPostgresRefusal } from "./postgres-refusal";
import { createPostgresSql, LOCK_SPACE } from "./postgres-sql";
import { TextClient } from "./text-client";

/** Low, since a PostgreSQL server usually allows 100 connections. */
const MAX_CONNECTIONS = 8;
/** The pool counts the time until a connection is free, too: a burst of calls must not look like a lost database. */
const MAX_WAIT_MS = 30_000;

/** The beginning of the numbers of locks that compare two addresses; the others are small. */
const COMPARED = 0x1000_0000;

export { migratePostgres } from "./migrate-postgres";
export { claimPostgres } from "./postgres-claim";

/** Watches nothing: for a command that works beside the server. */
const NO_WATCH: PostgresDatabase["watch"] = {
  check: () => undefined,
  problem: () => null,
  onProblem: () => undefined,
};

/** Opens a PostgreSQL database; see `openDatabase`. */
export async function openPostgres({
  url,
  directUrl = null,
  logger,
  maxLockWaitMs,
  claim,
}: OpenDatabaseOptions): Promise<PostgresDatabase> {
  const { route, version } = await findRoute(url, directUrl);
  const toConfig = route.pooled ? toPooledConfig : toDirectConfig;
  const pool = createPool(url, toConfig(url, "pool"), logger);
  // SQLite's types are the narrower ones, so that nothing can be used that one of the two lacks.
  const prisma = new PostgresClient({ adapter: new PrismaPg(pool) }).$extends({
    query: {
      $allOperations: ({ args, query }) =>
        query(args).catch((error: unknown) => {
          throw toPostgresRefusal(toConnectionRefusal(error, url));
        }),
    },
  }) as unknown as PrismaClient;
  const watch = claim?.watch ?? NO_WATCH;
  const writing = new Set<Promise<unknown>>();
  let closing: Promise<void> | null = null;

  const write: PostgresDatabase["write"] = (work) => {
    const problem = watch.problem();
    if (problem !== null) return Promise.reject(new AppError("UNAVAILABLE", problem));
    const result = untilUnlocked(work, maxLockWaitMs).catch((error: unknown) => {
      throw toRefusal(error, url);
    });
    const settled = result.then(forget, forget);
    function forget(): void {
      writing.delete(settled);
    }
    writing.add(settled);
    return result;
  };

  async function connect(purpose = "session"): Promise<TextClient> {
    const config = directUrl === null ? toConfig(url, purpose) : toDirectConfig(directUrl, purpose);
    const client = new TextClient(config);
    await client.connect().catch((error: unknown) => {
      throw toConnectionRefusal(error, directUrl ?? url);
    });
    return client;
  }
  const journal = createJournalConnection(
    () => connect("journal"),
    () => watch.problem(),
    route,
  );

  return {
    kind: "postgres",
    prisma,
    pool,
    journal,
    connect,
    ...createPostgresSql(pool, write),
    // Distributions append their package to the number.
    product: `PostgreSQL ${version.split(" ")[0] ?? ""}`,
    route,
    parts: () => null,
    disk: null,
    findProblem: () => watch.problem(),
    damaged: new DamagedRows(logger),
    async size() {
      try {
        const { rows } = await pool.query<{ size: number }>("SELECT pg_database_size(current_database()) AS size");
        return rows[0]?.size ?? null;
      } catch {
        return null;
      }
    },
    watch,
    write,
    close() {
      closing ??= (async () => {
        await Promise.all(writing);
        await journal.close();
        await prisma.$disconnect();
        await pool.end();
      })();
      return closing;
    },
  };
}

/** The messages of a database that refuses every write: the cause and the fix. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ["53100", "The disk of the database server is full, so nothing was saved. Free some space there, then try again."],
  ["25006", "The database is read-only, so nothing was saved. Name the primary server in DATABASE_URL and restart."],
  ["42501", "The database does not allow this write. Give the user of DATABASE_URL the rights of the tables' owner."],
]);

function toRefusal(error: unknown, url: string): unknown {
  const known = isAppError(error) ? undefined : REFUSALS.get(storageCode(error));
  return known === undefined
    ? toPostgresRefusal(toConnectionRefusal(error, url))
    : new AppError("UNAVAILABLE", known, [], { cause: error });
}

/**
 * Asks the server how its connections behave.
 * @param directUrl of DATABASE_DIRECT_URL; null for none
 * @throws DatabaseOpenError where the direct address leads elsewhere, or through a pooler that keeps no sessions
 */
async function findRoute(url: string, directUrl: string | null): Promise<{ route: PostgresRoute; version: string }> {
  return await withPlainClient(url, "start", async (client) => {
    const { rows } = await client.query<{ version: string }>("SELECT current_setting('server_version') AS version");
    const pooled = await isPooled(client);
    if (directUrl !== null) await demandDirect(client, directUrl);
    const route = { pooled, direct: directUrl !== null, sessions: !pooled || directUrl !== null };
    return { route, version: rows[0]?.version ?? "" };
  });
}

async function demandDirect(client: TextClient, directUrl: string): Promise<void> {
  const location = describePostgresUrl(directUrl);
  await withPlainClient(directUrl, "start", async (direct) => {
    if ((await isPooled(direct)) && (await isLentToOthers(direct, directUrl))) {
      throw new DatabaseOpenError(
        `DATABASE_DIRECT_URL leads to ${location} through a pooler in transaction mode. Name the PostgreSQL server itself there, or leave the variable out.`,
      );
    }
    const lock = `${LOCK_SPACE}, ${COMPARED + randomInt(COMPARED)}`;
    await direct.query(`SELECT pg_advisory_lock(${lock})`);
    const { rows } = await client.query<{ free: number }>(`SELECT pg_try_advisory_xact_lock(${lock}) AS free`);
    if (rows[0]?.free === 0) return;
    throw new DatabaseOpenError(
      `DATABASE_URL and DATABASE_DIRECT_URL (${location}) lead to different databases. Name the same database in both, on the primary server.`,
    );
  });
}

/** Whether a pooler lends the server connection of this client, which is open, to another client. */
async function isLentToOthers(client: TextClient, url: string): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return await withPlainClient(url, "start", async (other) => {
    const { rows: found } = await other.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    return found[0]?.pid === rows[0]?.pid;
  });
}

/** An error with a message for users, for a request that reached no database. Other errors stay unchanged. */
function toConnectionRefusal(error: unknown, url: string): unknown {
  if (!isLostConnection(error)) return error;
  const message = `The database ${describePostgresUrl(url)} cannot be reached at the moment. Try again when its server runs.`;
  return new AppError("UNAVAILABLE", message, [], { cause: error });
}

const isFromPrisma = (query: unknown): boolean => (query as { rowMode?: unknown } | null)?.rowMode === "array";

/** A pool whose errors say that the connection is lost or the database is busy, for every caller. */
class ReadablePool extends pg.Pool {
  constructor(config: pg.PoolConfig, toRefusal: (error: unknown) => unknown) {
    // `connectMs` is TextClient's own: the pool gives its configuration to each client.
    const shared: pg.PoolConfig & { connectMs: number | undefined } = {
      ...config,
      Client: TextClient,
      connectMs: config.connectionTimeoutMillis,
      connectionTimeoutMillis: MAX_WAIT_MS,
    };
    super(shared);
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    const readable = (...args: unknown[]): unknown => {
      const outcome = query(...args);
      // Prisma reads the codes of the database itself.
      if (!(outcome instanceof Promise) || isFromPrisma(args[0])) return outcome;
      return outcome.catch((error: unknown) => {
        throw toRefusal(error);
      });
    };
    this.query = readable as typeof this.query;
  }
}

/** @param config of each connection, for `url` */
function createPool(url: string, config: pg.ClientConfig, logger: Logger): pg.Pool {
  const pool = new ReadablePool({ ...config, max: MAX_CONNECTIONS }, (error) =>
    toPostgresRefusal(toConnectionRefusal(error, url)),
  );
  // Without listeners, a lost connection would end the process: an idle one, or one in use between two statements.
  pool.on("connect", (client) => client.on("error", () => undefined));
  pool.on("error", (error) => logger.warn({ error: error.message }, "A connection to the database was lost"));
  return pool;
}
