import { existsSync } from "node:fs";
import path from "node:path";
import * as postgres from "../../../../scripts/postgres-address.mjs";
import { toDatabaseFile } from "../../../../scripts/running-server.mjs";
import { DatabaseOpenError, databaseFilePath } from "./database-file";

const DEFAULT_URL = "file:./data/toolroom.db";

/** The location of the data. Does not tell whether it can be opened. */
export interface DatabaseDescription {
  kind: "sqlite" | "postgres";
  /** The URL, which may contain a password. */
  url: string;
  /** The address of PostgreSQL without a pooler; null for none. May contain a password. */
  directUrl: string | null;
  /** The location for users, without a password. */
  location: string;
  /** The folder of the files that the database does not hold. */
  folder: string;
  /** The file of the key that encrypts stored secrets, where the environment holds none: on SQLite only. */
  keyFile: string;
  /** Keeps the end of the audit log outside the database. */
  anchorFile: string;
}

export const isPostgresUrl = (url: string): boolean => postgres.isPostgresUrl(url);

/**
 * @param url the environment variable DATABASE_URL; a relative path starts at `rootDir`
 * @param dataFolder of TOOLROOM_DATA: where the other files are with a database of PostgreSQL
 * @param directUrl the environment variable DATABASE_DIRECT_URL
 * @throws DatabaseOpenError for an address that no supported database has
 */
export function describeDatabase(
  url: string | undefined,
  rootDir: string,
  dataFolder?: string,
  directUrl?: string,
): DatabaseDescription {
  const isPostgres = url !== undefined && isPostgresUrl(url);
  if (isPostgres && directUrl !== undefined) describePostgresUrl(directUrl, "DATABASE_DIRECT_URL");
  const filePath = isPostgres
    ? toDatabaseFile(rootDir, url, dataFolder)
    : databaseFilePath(url ?? DEFAULT_URL, rootDir);
  return {
    kind: isPostgres ? "postgres" : "sqlite",
    url: isPostgres ? url : `file:${filePath}`,
    directUrl: isPostgres ? (directUrl ?? null) : null,
    location: isPostgres ? describePostgresUrl(url) : `file:${filePath}`,
    folder: path.dirname(filePath),
    keyFile: `${filePath}.key`,
    anchorFile: `${filePath}.audit-anchor`,
  };
}

/** For commands that must not create one; a database on a server is not created by opening it. */
export function isDatabaseMissing({ kind, url }: Pick<DatabaseDescription, "kind" | "url">): boolean {
  return kind === "sqlite" && !existsSync(databaseFilePath(url));
}

/**
 * The file of a command that works with files.
 * @throws DatabaseOpenError for a database of PostgreSQL, with what to use instead
 */
export function demandDatabaseFile({ kind, url, location }: DatabaseDescription): string {
  if (kind === "sqlite") return databaseFilePath(url);
  throw new DatabaseOpenError(
    `The database ${location} is on a PostgreSQL server. Save it with pg_dump --format=custom, and restore it with pg_restore; keep TOOLROOM_SECRET_KEY with it.`,
  );
}

/** The address without user, password and options. @throws DatabaseOpenError that repeats nothing of a faulty one */
export function describePostgresUrl(url: string, variable = "DATABASE_URL"): string {
  const location = postgres.isPostgresUrl(url) ? postgres.describePostgresUrl(url) : null;
  if (location !== null) return location;
  throw new DatabaseOpenError(
    `${variable} is not the address of a PostgreSQL database. It looks like postgresql://user:password@host:5432/database; encode special characters of the password, such as %40 for @.`,
  );
}
