import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

/** The file of a folder of migrations that lists what landed there. */
export const LANDED_FILE = "landed.json";

const renamedColumnSchema = z.strictObject({ table: z.string(), from: z.string(), to: z.string() });
/** One line of the list. A later line about the same migration says what was changed after it had landed. */
const landedSchema = z.strictObject({
  /** Counts the versions of the folder; the lines of one version landed together. */
  version: z.int(),
  name: z.string(),
  /** The SHA-256 of `migration.sql`. */
  checksum: z.string().length(64),
  /** The name under which databases of earlier versions record it. */
  formerName: z.string().optional(),
  /** What the edit changes in a database that has the migration as it was before. */
  renamedColumns: z.array(renamedColumnSchema).optional(),
});

export type LandedMigration = z.infer<typeof landedSchema>;
export type RenamedColumn = z.infer<typeof renamedColumnSchema>;

/** The changes by which the record of an applied migration, and its objects, become those of this version. */
export interface Amendment {
  /** The name in the database's record. */
  recordedName: string;
  name: string;
  checksum: string;
  renamedColumns: readonly RenamedColumn[];
}

/** Reads what landed in a folder of migrations, oldest first; nothing where it has no list. */
export function readLandedMigrations(folder: string): LandedMigration[] {
  const file = path.join(folder, LANDED_FILE);
  return existsSync(file) ? z.array(landedSchema).parse(JSON.parse(readFileSync(file, "utf8"))) : [];
}

/** Finds what has to be amended where an earlier version applied a migration that was renamed or edited later. */
export function findAmendments(
  applied: readonly { name: string; checksum: string }[],
  landed: readonly LandedMigration[],
): Amendment[] {
  return applied.flatMap((record) => {
    let name = record.name;
    let checksum = record.checksum;
    const renamedColumns: RenamedColumn[] = [];
    let isKnown = false;
    for (const change of landed) {
      if (change.formerName === name) name = change.name;
      if (change.name !== name) continue;
      if (isKnown && change.checksum !== checksum) {
        renamedColumns.push(...(change.renamedColumns ?? []));
        checksum = change.checksum;
      }
      if (change.checksum === checksum) isKnown = true;
    }
    const isCurrent = name === record.name && checksum === record.checksum;
    return isCurrent ? [] : [{ recordedName: record.name, name, checksum, renamedColumns }];
  });
}

/** The names of applied migrations in this version. */
export function resolveNames<T extends { name: string }>(applied: readonly T[], amendments: readonly Amendment[]): T[] {
  const current = new Map(amendments.map(({ recordedName, name }) => [recordedName, name]));
  return applied.map((record) => Object.assign({}, record, { name: current.get(record.name) ?? record.name }));
}
