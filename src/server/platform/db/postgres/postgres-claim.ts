import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../../engine/ports";
import type { DatabaseClaim } from "../database";
import { DatabaseOpenError } from "../database-file";
import { describePostgresUrl } from "../describe-database";
import { isPooled, TCP_SETTINGS, toPlainConfig } from "./client-config";
import { describePostgresError } from "./open-error";
import { LOCK_SPACE } from "./postgres-sql";
import { TextClient } from "./text-client";

/** The object of the advisory lock. */
const OWNER = 1;
const COMMAND = "toolroom command";
const SERVER = "toolroom at ";
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
/** A probe without an answer for this long shows that the other end of the connection is gone. */
const PROBE_MS = 10_000;
const PROBE_LIMIT_MS = 5_000;

/** The name of its connection, which the server shows to others; it keeps 63 bytes. */
const toName = (address: string | null): string => (address === null ? COMMAND : `${SERVER}${address}`.slice(0, 63));

/**
 * A lock that the database takes back with the connection. Servers share it, a command has it alone. A lost connection is
 * opened again; until then writes are refused, since a command may have the lock by now.
 * @param address where this process serves; null for a command
 * @throws DatabaseOpenError that names the processes that use the database, where they exclude this one
 */
export async function claimPostgres(url: string, address: string | null, logger: Logger): Promise<DatabaseClaim> {
  const claim = new PostgresClaim(url, address, logger);
  try {
    await claim.open();
    return claim;
  } catch (error) {
    throw describePostgresError(error, url);
  }
}

class PostgresClaim implements DatabaseClaim {
  readonly watch = this;
  readonly isShared: boolean;
  readonly #url: string;
  readonly #name: string;
  readonly #logger: Logger;
  readonly #listeners = new Set<() => void>();
  #client: TextClient | null = null;
  #problem: string | null = null;
  #isReleased = false;
  #isPooled = false;
  #probe: NodeJS.Timeout | undefined;

  constructor(url: string, address: string | null, logger: Logger) {
    this.#url = url;
    this.#name = toName(address);
    this.isShared = address !== null;
    this.#logger = logger;
  }

  /** @throws DatabaseOpenError where another process has the lock */
  async open(): Promise<void> {
    const client = new TextClient({ ...toPlainConfig(this.#url, ""), application_name: this.#name });
    let isLost = false;
    // Both events come where the server ends; without a listener, the first would end the process.
    for (const event of ["error", "end"] as const) {
      client.on(event, () => {
        if (isLost) return;
        isLost = true;
        if (this.#client === client) this.#lose();
      });
    }
    try {
      await client.connect();
      this.#isPooled = await isPooled(client);
      const lock = { isShared: this.isShared, isPooled: this.#isPooled };
      if (!(await takeLock(client, lock))) throw toOwnedError(this.#url, await listOwners(client));
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    if (this.#isReleased || isLost) {
      await client.end().catch(() => undefined);
      if (isLost) throw new Error("Connection terminated");
      return;
    }
    this.#client = client;
    this.#probe = setInterval(() => void this.#check(client), PROBE_MS).unref();
  }

  check(): void {
    if (this.#client !== null) void this.#check(this.#client);
  }

  problem(): string | null {
    return this.#problem;
  }

  onProblem(listener: () => void): void {
    this.#listeners.add(listener);
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    clearInterval(this.#probe);
    const client = this.#client;
    this.#client = null;
    // Behind a pooler, the end of the connection would reach the server a little later.
    if (this.#isPooled) await client?.query("ROLLBACK").catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  async #check(client: TextClient): Promise<void> {
    const limit = new AbortController();
    const late = sleep(PROBE_LIMIT_MS, "late", { signal: limit.signal, ref: false }).catch(() => "done");
    const asked = client.query("SELECT 1").then(
      () => "done",
      () => "done",
    );
    const outcome = await Promise.race([asked, late]);
    limit.abort();
    // Ends like a connection that the server ended.
    if (outcome === "late") Reflect.get(client, "connection")?.stream?.destroy();
  }

  #lose(): void {
    clearInterval(this.#probe);
    this.#client = null;
    if (this.#isReleased) return;
    const location = describePostgresUrl(this.#url);
    this.#report(`The database ${location} cannot be reached. Calls are refused until its server answers again.`);
    this.#logger.error({ database: location }, "The connection to the database was lost. Calls are refused");
    void this.#reopen();
  }

  async #reopen(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !this.#isReleased; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await sleep(pauseMs, undefined, { ref: false });
      if (this.#isReleased) return;
      try {
        await this.open();
        break;
      } catch (error) {
        if (error instanceof DatabaseOpenError) this.#report(`${error.message} Calls are refused here until then.`);
      }
    }
    if (this.#isReleased) return;
    this.#report(null);
    this.#logger.info({ database: describePostgresUrl(this.#url) }, "The connection to the database is back");
  }

  #report(problem: string | null): void {
    if (this.#problem === problem) return;
    this.#problem = problem;
    for (const listener of this.#listeners) listener();
  }
}

/**
 * A pooler in transaction mode lends the server's connection for a transaction, so behind one the lock is that of a
 * transaction which stays open. It reads nothing, so it keeps no rows from being cleaned up.
 */
async function takeLock(
  client: TextClient,
  { isShared, isPooled }: { isShared: boolean; isPooled: boolean },
): Promise<boolean> {
  if (isPooled) await client.query(`BEGIN; ${UNLIMITED}`);
  else await client.query(TCP_SETTINGS.map((setting) => `SET ${setting}`).join("; "));
  const take = `pg_try_advisory${isPooled ? "_xact" : ""}_lock${isShared ? "_shared" : ""}`;
  const { rows } = await client.query<{ held: number }>(`SELECT ${take}(${LOCK_SPACE}, ${OWNER}) AS held`);
  return rows[0]?.held === 1;
}

/** Newer servers limit the time of a transaction too. */
const UNLIMITED = `SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** The names of the connections that hold the lock; one is empty where the database does not say. */
async function listOwners(client: TextClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string | null }>(
    `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND l.classid = ${LOCK_SPACE} AND l.objid = ${OWNER}
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
     ORDER BY a.application_name`,
  );
  return rows.map(({ name }) => name ?? "");
}

function toOwnedError(url: string, owners: readonly string[]): DatabaseOpenError {
  const used = `The database ${describePostgresUrl(url)} is in use by`;
  const addresses = owners.filter((name) => name.startsWith(SERVER)).map((name) => name.slice(SERVER.length));
  if (addresses.length > 0) {
    return new DatabaseOpenError(
      `${used} the Toolroom at ${addresses.join(", ")}, and this command needs it alone. Stop every copy first, or name another database in DATABASE_URL.`,
    );
  }
  return new DatabaseOpenError(
    owners.includes(COMMAND)
      ? `${used} another Toolroom command. Wait until it has ended, or name another database in DATABASE_URL.`
      : `${used} another Toolroom. Stop that one first, or name another database in DATABASE_URL.`,
  );
}
