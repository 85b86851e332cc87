import path from "node:path";
import { DatabaseOpenError, databaseFilePath } from "./database-file";

const DEFAULT_URL = "file:./data/toolroom.db";
/** Beside them is what a server on PostgreSQL keeps in files. */
const POSTGRES_FILES = "data/toolroom";

/** Where the data is. Says nothing about whether it can be opened. */
export interface DatabaseDescription {
  kind: "sqlite" | "postgres";
  /** May contain a password. */
  url: string;
  /** For people; contains no password. */
  location: string;
  /** The file of the key that encrypts stored secrets, where the environment holds none: on SQLite only. */
  keyFile: string;
  /** Keeps the end of the audit log outside the database. */
  anchorFile: string;
}

export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:/i.test(url);
}

/**
 * @param url the environment variable DATABASE_URL; a relative path starts at `rootDir`
 * @throws DatabaseOpenError for an address that no supported database has
 */
export function describeDatabase(url: string | undefined, rootDir: string): DatabaseDescription {
  if (url !== undefined && isPostgresUrl(url)) return describePostgres(url, rootDir);
  const filePath = databaseFilePath(url ?? DEFAULT_URL, rootDir);
  return {
    kind: "sqlite",
    url: `file:${filePath}`,
    location: `file:${filePath}`,
    keyFile: `${filePath}.key`,
    anchorFile: `${filePath}.audit-anchor`,
  };
}

function describePostgres(url: string, rootDir: string): DatabaseDescription {
  return {
    kind: "postgres",
    url,
    location: describePostgresUrl(url),
    keyFile: path.resolve(rootDir, `${POSTGRES_FILES}.key`),
    anchorFile: path.resolve(rootDir, `${POSTGRES_FILES}.audit-anchor`),
  };
}

/** The address without user, password and options. @throws DatabaseOpenError that repeats nothing of a faulty one */
export function describePostgresUrl(url: string): string {
  const parsed = URL.parse(url);
  const database = parsed?.pathname.replace(/^\//, "") ?? "";
  if (parsed === null || database === "" || database.includes("/")) {
    throw new DatabaseOpenError(
      "DATABASE_URL is not the address of a PostgreSQL database. It looks like postgresql://user:password@host:5432/database; encode special characters of the password, such as %40 for @.",
    );
  }
  // A folder of sockets stands in the options.
  const host = parsed.host === "" ? (parsed.searchParams.get("host") ?? "localhost") : parsed.host;
  return `postgresql://${host}/${database}`;
}
