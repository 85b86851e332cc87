import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../../engine/ports";
import { createMutex } from "../../shared/mutex";

/** A connection to the database, outside its pool. */
export interface Connection {
  query(query: { text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
  on(event: "notification" | "error" | "end", listener: () => void): unknown;
  end(): Promise<void>;
}

export interface LinkOptions {
  connect(): Promise<Connection>;
  logger: Logger;
  /** Called after each opening, before other statements. */
  onOpen?(run: Link["rows"]): Promise<void>;
  onNotification?(): void;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** A statement without an answer for this long shows that the other end of the connection is gone. */
const STATEMENT_MS = 5_000;

/** One connection for this purpose alone, which reopens automatically. Statements run one after the other. */
export class Link {
  readonly #options: LinkOptions;
  readonly #takeTurn = createMutex();
  #connection: Connection | null = null;
  #isClosed = false;
  #opening: Promise<void> | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#connection !== null;
  }

  /** Waits until it is open, or closed for good. The first time, it rejects where the database does not answer. */
  async open({ retry }: { retry: boolean }): Promise<void> {
    this.#opening ??= this.#connect(retry).finally(() => {
      this.#opening = null;
    });
    await this.#opening;
  }

  /** Rejects while the connection is lost. */
  rows = <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
    this.#takeTurn(async () => {
      if (this.#connection === null) throw new Error("The connection to the database is lost");
      return await run<Row>(this.#connection, text, values);
    });

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#takeTurn(async () => {
      const connection = this.#connection;
      this.#connection = null;
      await connection?.end().catch(() => undefined);
    });
  }

  async #connect(retry: boolean): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !this.#isClosed && this.#connection === null; ) {
      try {
        await this.#attempt();
      } catch (error) {
        if (!retry) throw error;
        await sleep(pauseMs, undefined, { ref: false });
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      }
    }
  }

  async #attempt(): Promise<void> {
    const { connect, onOpen, onNotification, logger } = this.#options;
    const connection = await connect();
    let isLost = false;
    // Both events come where the server ends; without a listener, the first would end the process.
    for (const event of ["error", "end"] as const) {
      connection.on(event, () => {
        if (isLost) return;
        isLost = true;
        if (this.#connection !== connection) return;
        this.#connection = null;
        if (this.#isClosed) return;
        logger.warn({}, "The connection to the other copies was lost");
        void this.open({ retry: true });
      });
    }
    try {
      if (onNotification) connection.on("notification", onNotification);
      await onOpen?.((text, ...values) => run(connection, text, values));
      if (isLost) throw new Error("Connection terminated");
    } catch (error) {
      await connection.end().catch(() => undefined);
      throw error;
    }
    if (this.#isClosed) await connection.end().catch(() => undefined);
    else this.#connection = connection;
  }
}

async function run<Row>(connection: Connection, text: string, values: unknown[]): Promise<Row[]> {
  // The types of `pg` leave the connection out.
  const stream = (connection as unknown as { connection?: { stream?: { destroy(): void } } }).connection?.stream;
  const silent = setTimeout(() => stream?.destroy(), STATEMENT_MS).unref();
  try {
    return (await connection.query({ text, values })).rows as Row[];
  } finally {
    clearTimeout(silent);
  }
}
