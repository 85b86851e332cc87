import { cpSync, mkdirSync } from "node:fs";
import path from "node:path";
import Database from "../../../../scripts/sqlite.mjs";
import { readMigrationList, SCHEMA_FILTER, withSchemaEngine } from "./sqlite/schema-engine.test-support";

export const MIGRATIONS = path.resolve("prisma/migrations");

/** The migrations of the version before the agent loop, as a folder inside `folder`. */
export function copyOlderMigrations(folder: string): string {
  const older = path.join(folder, "older-migrations");
  mkdirSync(older);
  for (const name of ["20261121000000_first", "20261122000000_mcp_servers", "migration_lock.toml"]) {
    cpSync(path.join(MIGRATIONS, name), path.join(older, name), { recursive: true });
  }
  return older;
}

/** A database as an older version left it: made by Prisma's engine, in WAL mode, with calls, tools and servers in it. */
export async function buildOlderDatabase(filePath: string, olderMigrations: string): Promise<void> {
  await withSchemaEngine(filePath, (engine) =>
    engine.applyMigrations({ migrationsList: readMigrationList(olderMigrations), filters: SCHEMA_FILTER }),
  );
  const raw = new Database(filePath);
  raw.pragma("journal_mode = WAL");
  raw.exec(`
    INSERT INTO Definition (hash, toolName, json) VALUES ('h1', 'echo', '{}');
    INSERT INTO Tool (id, name, definition, createdAt, updatedAt) VALUES ('t1', 'echo', '{}', 1, 1);
    INSERT INTO McpServer (id, name, settings, createdAt, updatedAt) VALUES ('s1', 'files', '{}', 1, 1);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
    INSERT INTO Execution (id, status, toolName, source, actorId, actorName, queuedAt, definitionHash, instanceId, arguments, result)
    SELECT 'exec_' || i, 'succeeded', 'echo', 'console', 'a', 'A', i, 'h1', 'inst_old', '{"n":' || i || '}', hex(zeroblob(500)) FROM n;
  `);
  raw.close();
}

/** Returns the content of `buildOlderDatabase`, as text to compare. A column that a later version adds is empty in it, or counts from 1. */
export function readOlderData(filePath: string): string {
  const raw = new Database(filePath);
  try {
    const rows = ["Definition", "Tool", "McpServer", "Execution"].map((table) =>
      raw.prepare(`SELECT * FROM ${table} ORDER BY 1`).all(),
    );
    return JSON.stringify(rows, (name, value: unknown) => (value === null || name === "revision" ? undefined : value));
  } finally {
    raw.close();
  }
}
