// node scripts/land-migrations.mjs: enters new migrations in the lists of what landed. What is listed is never changed: databases have it.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./project-root.mjs";

/** @typedef {{ version: number, name: string, checksum: string, formerName?: string }} Landed */

/** @param {string} folder @returns {string[]} the names of the migrations that were entered */
export function landMigrations(folder) {
  const file = path.join(folder, "landed.json");
  /** @type {Landed[]} */
  const landed = JSON.parse(readFileSync(file, "utf8"));
  const latest = new Map();
  for (const { name, checksum, formerName } of landed) {
    if (formerName !== undefined) latest.delete(formerName);
    latest.set(name, checksum);
  }
  const present = new Map(
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => [name, readFileSync(path.join(folder, name, "migration.sql"))]),
  );
  for (const [name, checksum] of latest) {
    const text = present.get(name);
    if (text !== undefined && createHash("sha256").update(text).digest("hex") === checksum) continue;
    throw new Error(`${name} landed, and databases have it: restore it, and put the change into a new migration`);
  }
  const version = Math.max(0, ...landed.map((each) => each.version)) + 1;
  const added = [...present]
    .filter(([name]) => !latest.has(name))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, text]) => ({ version, name, checksum: createHash("sha256").update(text).digest("hex") }));
  if (added.length > 0) writeFileSync(file, `${JSON.stringify([...landed, ...added], null, 2)}\n`);
  return added.map(({ name }) => name);
}

if (process.argv[1] === import.meta.filename) {
  for (const name of ["migrations", "migrations-postgres"]) {
    const added = landMigrations(path.join(ROOT, "prisma", name));
    console.log(`prisma/${name}: ${added.length === 0 ? "nothing new" : added.join(", ")}`);
  }
}
