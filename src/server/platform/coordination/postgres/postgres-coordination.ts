import type { Logger } from "../../../engine/ports";
import { createTopic } from "../bulletin";
import type { CallRegistry } from "../call-registry";
import type { Instance } from "../instances";
import { INSTANCE_TIMING, type InstanceTiming } from "./instance-timing";
import { type Connection, Link } from "./link";
import { PostgresBulletin } from "./postgres-bulletin";
import { createPostgresCalls } from "./postgres-calls";
import { PostgresInstances } from "./postgres-instances";
import { createPostgresLocks } from "./postgres-locks";
import { Settlement } from "./settlement";

/** The parts of the database that coordination uses. */
export interface CoordinationDatabase {
  /** Opens a connection outside the pool, directly to the server. */
  connect(purpose?: string): Promise<Connection>;
  /** Whether notifications arrive on such a connection. */
  readonly route: { sessions: boolean };
  pool: { query(query: { text: string; values: unknown[] }): Promise<{ rows: unknown[] }> };
}

interface PostgresCoordinationOptions {
  self: Instance;
  db: CoordinationDatabase;
  logger: Logger;
  /** The calls of this process. */
  ownCalls: CallRegistry;
  timing?: Partial<InstanceTiming>;
}

/** The list of instances changed, or has to be read before the asking instance begins its work. */
const CHANGED = createTopic<null>("copies.changed");
/** Longer than another instance believes without looking that it is alone. */
const HELLO_RENEWALS = 1.75;

/** Registers this instance beside the others. @throws Error where the database does not answer */
export async function createPostgresCoordination(options: PostgresCoordinationOptions) {
  const { self, db, logger, ownCalls } = options;
  const listens = db.route.sessions;
  const timing = { ...INSTANCE_TIMING, ...options.timing };
  const connect = (): Promise<Connection> => db.connect("copies");
  const writes = new Link({ connect, logger });
  const copies: PostgresInstances = new PostgresInstances({
    self,
    link: writes,
    logger,
    timing,
    leave: () => bulletin.leave(CHANGED),
    onLost: (settle) => settlement.add(settle),
    onGone(id, byThisOne) {
      bulletin.forget(id);
      if (byThisOne) bulletin.post(CHANGED, null);
      settlement.request();
    },
  });
  const bulletin: PostgresBulletin = new PostgresBulletin({
    selfId: self.id,
    writes,
    connect,
    listens,
    logger,
    timing,
    copies,
  });
  const rows = async <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
    (await db.pool.query({ text, values })).rows as Row[];
  const locks = createPostgresLocks({ selfId: self.id, rows, copies });
  const settlement = new Settlement({
    locks,
    logger,
    timing,
    readLiving: async () =>
      (await rows<{ id: string }>(`SELECT "id" FROM "Copy" WHERE "endedAt" IS NULL`)).map(({ id }) => id),
  });
  bulletin.on(CHANGED, () => copies.refresh());
  const calls = createPostgresCalls(ownCalls, bulletin);
  await writes.open({ retry: false });
  try {
    await copies.open();
    await bulletin.open();
  } catch (error) {
    await bulletin.close();
    await writes.close();
    throw error;
  }
  // From here on the others count on this instance, and tell it what it has not read yet.
  await bulletin.ask(CHANGED, null, HELLO_RENEWALS * timing.renewMs);
  settlement.start();
  const prune = setInterval(() => {
    void (async () => {
      await bulletin.prune();
      await copies.prune();
    })().catch((error: unknown) => logger.warn({ err: error }, "What the copies said long ago could not be deleted"));
  }, timing.pruneMs).unref();

  const close = copies.close.bind(copies);
  copies.close = async () => {
    clearInterval(prune);
    await settlement.close();
    await close().catch((error: unknown) => logger.warn({ err: error }, "The other copies were not told of the end"));
    await bulletin.close();
    await writes.close();
  };
  return {
    copies,
    bulletin,
    calls,
    locks,
    /** How what instances say travels, for users. */
    travel: () => ({ by: listens ? ("notifications" as const) : ("polling" as const), lagMs: bulletin.lagMs }),
  };
}
