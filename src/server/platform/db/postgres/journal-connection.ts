import type pg from "pg";
import { AppError } from "../../shared/app-error";
import { isLostConnection } from "../storage-error";

/**
 * Plans of the journal are made while the table may be empty and are kept: without this, a batch would later read the
 * whole table to find its rows.
 */
const BY_INDEX =
  "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET plan_cache_mode = force_generic_plan";

/** A server that went away without a word: its connection would be waited for until the system gives up, for minutes or hours. */
const MAX_WORK_MS = 30_000;

/** The one connection that executions are recorded on, outside the pool. */
export interface JournalConnection {
  /** Works take turns. After a lost connection the next work connects again. */
  run<T>(work: (client: pg.Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * @param findProblem why nothing may be written at the moment; null where it may
 * @param sessions see `PostgresRoute`; without them each statement is planned again, by the size that the table has
 * then
 */
export function createJournalConnection(
  connect: () => Promise<pg.Client>,
  findProblem: () => string | null,
  { maxWorkMs = MAX_WORK_MS, sessions = true } = {},
): JournalConnection {
  let opening: Promise<pg.Client> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  function open(): Promise<pg.Client> {
    const opened = connect().then(async (client) => {
      const forget = (): void => {
        if (opening === opened) opening = null;
      };
      // Without a listener, an error would end the process.
      client.on("error", forget);
      client.on("end", forget);
      if (sessions) await client.query(BY_INDEX);
      return client;
    });
    opening = opened;
    opened.catch(() => {
      if (opening === opened) opening = null;
    });
    return opened;
  }

  return {
    run<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
      const result = last.then(async () => {
        const problem = findProblem();
        if (problem !== null) throw new AppError("UNAVAILABLE", problem);
        const client = await (opening ?? open());
        const silent = setTimeout(() => cutConnection(client), maxWorkMs);
        try {
          return await work(client);
        } catch (error) {
          if (isLostConnection(error)) {
            opening = null;
            cutConnection(client);
          }
          throw error;
        } finally {
          clearTimeout(silent);
        }
      });
      last = result.catch(() => undefined);
      return result;
    },
    async close() {
      await last;
      const client = await opening?.catch(() => null);
      opening = null;
      await client?.end().catch(() => undefined);
    },
  };
}

/** Statements that wait fail at once. The types of `pg` leave the connection out. */
function cutConnection(client: pg.Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
