import type pg from "pg";
import type { TextClientConfig } from "./text-client";

const CONNECT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;

/** Limits of a connection, in milliseconds. */
interface Limits {
  statement: number;
  /** The timeout for a lock that another connection holds. */
  lock: number;
  /** A process that stands still inside a transaction must not keep its locks. */
  idleInTransaction: number;
}

/** A statement of the console takes milliseconds. */
const USUAL: Limits = { statement: 60_000, lock: 10_000, idleInTransaction: 5_000 };
/** The limit of a batch; one that waits longer is written again, see `batch-commit.ts`. */
const JOURNAL: Limits = { statement: 30_000, lock: 5_000, idleInTransaction: 3_000 };

const NAME = "toolroom";

/**
 * A connection that works behind any pooler: with settings that it passes on, and without state that has to last.
 * @param purpose names it in the server's list of connections
 */
export function toPlainConfig(url: string, purpose: string): TextClientConfig {
  const { address } = splitUrl(url);
  return {
    connectionString: address,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: `${NAME} ${purpose}`,
  };
}

/** A connection to the server itself: its limits come with the start of the session. */
export function toDirectConfig(url: string, purpose: string): TextClientConfig {
  const { options } = splitUrl(url);
  const settings = toSettings(findLimits(purpose)).map(([name, value]) => `-c ${name}=${value}`);
  // The settings of the address come last, so that an operator may choose others.
  return {
    ...toPlainConfig(url, purpose),
    options: [...settings, ...TCP_SETTINGS.map((setting) => `-c ${setting}`), options].join(" ").trim(),
  };
}

/**
 * A connection through a pooler, which lends a connection of the server for a transaction: limits are set in each
 * transaction, statements have no names, and this process aborts statements itself.
 */
export function toPooledConfig(url: string, purpose: string): TextClientConfig {
  const limits = findLimits(purpose);
  return {
    ...toPlainConfig(url, purpose),
    query_timeout: limits.statement,
    transactionSettings: toSettings(limits).map(([name, value]) => `SET LOCAL ${name} = ${value}`),
  };
}

/** Lets the server notice within half a minute that a host vanished, and release its locks. */
export const TCP_SETTINGS = ["tcp_keepalives_idle=10", "tcp_keepalives_interval=5", "tcp_keepalives_count=3"] as const;

const findLimits = (purpose: string): Limits => (purpose === "journal" ? JOURNAL : USUAL);

const toSettings = ({ statement, lock, idleInTransaction }: Limits): [name: string, value: string | number][] => [
  ["statement_timeout", statement],
  ["lock_timeout", lock],
  ["idle_in_transaction_session_timeout", idleInTransaction],
  // Compiling a statement over a million rows takes longer than reading the few that a page shows.
  ["jit", "off"],
];

/** Splits the address: `pg` prefers options in an address over those beside it. */
function splitUrl(url: string): { address: string; options: string } {
  const parsed = new URL(url);
  const options = parsed.searchParams.get("options") ?? "";
  if (!parsed.searchParams.has("options") && !parsed.searchParams.has("application_name")) {
    return { address: url, options };
  }
  parsed.searchParams.delete("options");
  parsed.searchParams.delete("application_name");
  return { address: parsed.href, options };
}

/** Whether a pooler is between: it gives its own number to a connection. */
export async function isPooled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  // The types of `pg` leave the number out that the server names at the start.
  return rows[0]?.pid !== Reflect.get(client, "processID");
}
