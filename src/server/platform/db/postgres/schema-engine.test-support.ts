import { PrismaPg } from "@prisma/adapter-pg";
import type { SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";
import { loadEngine } from "../sqlite/schema-engine.test-support";

/** Tables and columns that Prisma's schema cannot describe. */
export const POSTGRES_FILTER = {
  externalTables: ["ExecutionText", "Copy", "Bulletin", "Lease"].map((name) => `public.${name}`),
  externalEnums: [],
};

const CHAR_OID = 18;
const TEXT_OID = 25;
const SHADOW = "toolroom_shadow";

/** One connection, since the engine's lock belongs to a connection; each part of the address by itself, since a whole one would win over `database`. */
function openPool(url: string, database: string): pg.Pool {
  const { hostname, port, username, password } = new URL(url);
  const pool = new pg.Pool({ host: hostname, port: Number(port), user: username, password, database, max: 1 });
  pool.on("error", () => undefined);
  return pool;
}

/** Prisma's adapter with what the engine needs beyond a client. */
class EngineFactory extends PrismaPg {
  readonly #url: string;
  readonly #pools: pg.Pool[] = [];
  #shadows = 0;

  constructor(url: string) {
    super(url);
    this.#url = url;
  }

  override async connect() {
    return this.#open(new URL(this.#url).pathname.slice(1));
  }

  /** A database of its own, which is dropped when the engine is done with it. */
  override async connectToShadowDb() {
    this.#shadows += 1;
    const name = `${SHADOW}_${process.pid}_${this.#shadows}`;
    const admin = openPool(this.#url, "postgres");
    await admin.query(`CREATE DATABASE "${name}"`);
    const adapter = await this.#open(name);
    const dispose = adapter.dispose.bind(adapter);
    adapter.dispose = async () => {
      await dispose();
      await admin.query(`DROP DATABASE "${name}" WITH (FORCE)`);
      await admin.end();
    };
    return adapter;
  }

  async #open(database: string) {
    const pool = openPool(this.#url, database);
    this.#pools.push(pool);
    const adapter = await new PrismaPg(pool, { disposeExternalPool: true }).connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    const query = pool.query.bind(pool) as (...given: unknown[]) => Promise<pg.QueryResult>;
    // The adapter has no case for columns of the type "char".
    pool.query = (async (...given: unknown[]) => {
      const result = await query(...given);
      for (const field of result.fields ?? []) if (field.dataTypeID === CHAR_OID) field.dataTypeID = TEXT_OID;
      return result;
    }) as typeof pool.query;
    adapter.queryRaw = queryRaw;
    // The adapter's own splits at each semicolon, also in comments and in the bodies of functions.
    adapter.executeScript = async (script) => {
      await query(script);
    };
    return adapter;
  }

  async end(): Promise<void> {
    await Promise.allSettled(this.#pools.map((pool) => (pool.ended ? undefined : pool.end())));
  }
}

/** As `withSchemaEngine`, on a database of PostgreSQL. */
export async function withPostgresEngine<T>(url: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const [{ SchemaEngine: Engine }, { bindMigrationAwareSqlAdapterFactory }] = await Promise.all([
    loadEngine(),
    import("@prisma/driver-adapter-utils"),
  ]);
  const factory = new EngineFactory(url);
  try {
    const engine = await Engine.new(
      { datamodels: undefined },
      () => undefined,
      bindMigrationAwareSqlAdapterFactory(factory),
    );
    try {
      return await work(engine);
    } finally {
      engine.free();
    }
  } finally {
    await factory.end();
  }
}
