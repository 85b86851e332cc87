import { databaseFilePath } from "./database-file";

const DEFAULT_URL = "file:./data/toolroom.db";

/** Where the data is. Says nothing about whether it can be opened. */
export interface DatabaseDescription {
  kind: "sqlite";
  url: string;
  /** For people; contains no password. */
  location: string;
  /** The file of the key that encrypts stored secrets. */
  keyFile: string;
  /** Keeps the end of the audit log outside the database. */
  anchorFile: string;
}

/**
 * @param url the environment variable DATABASE_URL; a relative path starts at `rootDir`
 * @throws DatabaseOpenError for an address that no supported database has
 */
export function describeDatabase(url: string | undefined, rootDir: string): DatabaseDescription {
  const filePath = databaseFilePath(url ?? DEFAULT_URL, rootDir);
  return {
    kind: "sqlite",
    url: `file:${filePath}`,
    location: `file:${filePath}`,
    keyFile: `${filePath}.key`,
    anchorFile: `${filePath}.audit-anchor`,
  };
}
