import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** One folder of `prisma/migrations`. */
export interface Migration {
  name: string;
  sql: string;
  /** SHA-256 of the file, as Prisma's own tools record it. */
  checksum: string;
}

/** The migrations on disk, oldest first. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const content = readFileSync(path.join(folder, name, "migration.sql"));
      return { name, sql: content.toString("utf8"), checksum: createHash("sha256").update(content).digest("hex") };
    });
}
