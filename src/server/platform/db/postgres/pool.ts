import pg from "pg";
import type { Logger } from "../../../engine/ports";
import { AppError } from "../../shared/app-error";
import { describePostgresUrl } from "../describe-database";
import { isLostConnection } from "../storage-error";
import { TextClient } from "./text-client";

/** One server of PostgreSQL lets in 100 connections as a rule. */
const MAX_CONNECTIONS = 8;
/** The pool counts the time until a connection is free, too: a burst of calls must not look like a lost database. */
const MAX_WAIT_MS = 30_000;

/** A request that found no database: an error with a message for people. Other errors stay as they are. */
export function toConnectionRefusal(error: unknown, url: string): unknown {
  if (!isLostConnection(error)) return error;
  const message = `The database ${describePostgresUrl(url)} cannot be reached at the moment. Try again when its server runs.`;
  return new AppError("UNAVAILABLE", message, [], { cause: error });
}

/** Says clearly that the connection is lost, whoever asks. */
class ReadablePool extends pg.Pool {
  constructor(config: pg.PoolConfig, toRefusal: (error: unknown) => unknown) {
    const connectMs = config.connectionTimeoutMillis;
    super({ ...config, Client: TextClient, ...{ connectMs, connectionTimeoutMillis: MAX_WAIT_MS } });
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    const readable = (...args: unknown[]): unknown => {
      const outcome = query(...args);
      if (!(outcome instanceof Promise)) return outcome;
      return outcome.catch((error: unknown) => {
        throw toRefusal(error);
      });
    };
    this.query = readable as typeof this.query;
  }
}

/** @param config of each connection, for `url` */
export function createPool(url: string, config: pg.ClientConfig, logger: Logger): pg.Pool {
  const pool = new ReadablePool({ ...config, max: MAX_CONNECTIONS }, (error) => toConnectionRefusal(error, url));
  // Without listeners, the end of a connection would end the process: of one that is idle, and of one in use between two statements.
  pool.on("connect", (client) => client.on("error", () => undefined));
  pool.on("error", (error) => logger.warn({ error: error.message }, "A connection to the database was lost"));
  return pool;
}
