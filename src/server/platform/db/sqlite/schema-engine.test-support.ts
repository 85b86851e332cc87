import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { MigrationList, SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";
import { openFileFactory, type RawDatabase } from "./connection";

/** Tables that Prisma's schema cannot describe; the engine must neither expect nor drop them. */
const EXTERNAL_TABLES = ["ExecutionTextChange", "ExecutionTextBinding"];

export const SCHEMA_FILTER = { externalTables: EXTERNAL_TABLES, externalEnums: [] };

/** The migrations on disk, as the engine takes them. */
export function readMigrationList(folder: string): MigrationList {
  return {
    baseDir: folder,
    lockfile: { path: "migration_lock.toml", content: readFileSync(path.join(folder, "migration_lock.toml"), "utf8") },
    shadowDbInitScript: "",
    migrationDirectories: readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort()
      .map((name) => ({
        path: name,
        migrationFile: {
          path: "migration.sql",
          content: { tag: "ok", value: readFileSync(path.join(folder, name, "migration.sql"), "utf8") },
        },
      })),
  };
}

type EngineModule = typeof import("@prisma/schema-engine-wasm/schema_engine_bg");

let loading: Promise<EngineModule> | null = null;

/**
 * The package's main entry imports the `.wasm` file as a module, which Node 20 does not do; hence by hand. Once a
 * process: the binding knows one WebAssembly instance, and a second would pull the memory from under the first.
 */
export function loadEngine(): Promise<EngineModule> {
  loading ??= instantiateEngine();
  return loading;
}

async function instantiateEngine(): Promise<EngineModule> {
  const binding = await import("@prisma/schema-engine-wasm/schema_engine_bg");
  // Resolved from the project's folder, not from this module: bundled, this file lives elsewhere.
  const require = createRequire(path.join(process.cwd(), "package.json"));
  const wasmPath = require.resolve("@prisma/schema-engine-wasm/schema_engine_bg").replace(/\.js$/, ".wasm");
  const module = await WebAssembly.compile(await readFile(wasmPath));
  const instance = await WebAssembly.instantiate(module, { "./schema_engine_bg.js": { ...binding } });
  binding.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start === "function") start();
  return binding;
}

/**
 * Runs `work` with Prisma's migration engine, as WebAssembly, on the database file at `filePath`. Nothing is downloaded
 * and no program is started. Locks held by others surface as `SQLITE_BUSY`.
 */
export async function withSchemaEngine<T>(filePath: string, work: (engine: SchemaEngine) => Promise<T>): Promise<T> {
  const [{ SchemaEngine: Engine }, { bindMigrationAwareSqlAdapterFactory }] = await Promise.all([
    loadEngine(),
    import("@prisma/driver-adapter-utils"),
  ]);
  // The engine locks the file exclusively and never closes its connection, so that is done here.
  const opened: RawDatabase[] = [];
  const factory = openFileFactory(filePath, (raw) => opened.push(raw));
  fixShadowQueries(factory);
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(factory);
    const engine = await Engine.new({ datamodels: undefined }, () => undefined, adapter);
    try {
      return await work(engine);
    } finally {
      engine.free();
    }
  } catch (error) {
    throw asBusy(error) ?? error;
  } finally {
    for (const raw of opened) raw.close();
  }
}

function fixShadowQueries(factory: ReturnType<typeof openFileFactory>): void {
  const connectToShadowDb = factory.connectToShadowDb.bind(factory);
  factory.connectToShadowDb = async () => {
    const shadow = await connectToShadowDb();
    const queryRaw = shadow.queryRaw.bind(shadow);
    // It also quotes an index's name as if it were a column, which this build of SQLite rightly refuses.
    shadow.queryRaw = (query) => queryRaw({ ...query, sql: query.sql.replace(/ name = "([^"']+)"/, " name = '$1'") });
    const executeRaw = shadow.executeRaw.bind(shadow);
    // Whole migrations come as one statement; the driver takes several statements only as a script.
    shadow.executeRaw = async (query) => {
      if (query.args.length > 0) return executeRaw(query);
      await shadow.executeScript(query.sql);
      return 0;
    };
    return shadow;
  };
}

/** The engine does not know the driver's name for "locked" and fails on reading it; the name is in its message. */
function asBusy(error: unknown): Error | null {
  const message = error instanceof Error ? error.message : "";
  if (!message.includes("SocketTimeout") && !message.includes("database is locked")) return null;
  return Object.assign(new Error("database is locked", { cause: error }), { code: "SQLITE_BUSY" });
}
