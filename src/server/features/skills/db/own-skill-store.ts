import { isPlainObject } from "../../../../lib/contract/json";
import type { SkillCause, SkillVersion } from "../../../../lib/contract/own-skill";
import { MAX_SKILL_VERSIONS } from "../../../../lib/contract/skill-limits";
import type { Clock } from "../../../engine/ports";
import type { Database } from "../../../platform/db/database";
import { refuseDuplicate } from "../../../platform/db/refuse-duplicate";
import { refuseOutdated } from "../../../platform/db/refuse-outdated";
import { AMONG, change, type Steps, selectRow } from "../../../platform/db/sql";
import type { OwnSkillStore, SkillWrite, StoredSkill, StoredVersion } from "../own-skill-store";
import type { SkillFolder, StoredFile } from "../skill-folder";

interface SkillRow {
  name: string;
  revision: number | bigint;
  updatedAt: number | bigint;
  changedBy: string | null;
}

interface VersionRow {
  number: number | bigint;
  description: string;
  frontmatter: string;
  digest: string;
  cause: string;
  at: number | bigint;
  by: string | null;
}

interface FileRow {
  skill: string;
  path: string;
  digest: string;
  size: number | bigint;
  isText: unknown;
}

const SELECT_SKILLS = `SELECT s.name, s.revision, s."updatedAt", s."changedBy",
    v.number, v.description, v.frontmatter, v.digest, v.cause, v.at, v.by
  FROM "OwnSkill" s JOIN "SkillVersion" v ON v.skill = s.name AND v.number = s.revision ORDER BY s.name`;
const FILE_COLUMNS = 'f.skill, f.path, f.digest, f.size, f."isText"';
const SELECT_CURRENT_FILES = `SELECT ${FILE_COLUMNS} FROM "SkillFile" f
  JOIN "OwnSkill" s ON s.name = f.skill AND s.revision = f.number ORDER BY f.skill, f.path`;
const SELECT_FILES = `SELECT ${FILE_COLUMNS} FROM "SkillFile" f WHERE f.skill = ? AND f.number = ? ORDER BY f.path`;
const SELECT_VERSION = `SELECT number, description, frontmatter, digest, cause, at, "by" FROM "SkillVersion"
  WHERE skill = ? AND number = ?`;
const SELECT_VERSIONS = `SELECT v.number, v.description, v.digest, v.cause, v.at, v."by",
    count(f.path) AS "fileCount", sum(f.size) AS bytes
  FROM "SkillVersion" v JOIN "SkillFile" f ON f.skill = v.skill AND f.number = v.number
  WHERE v.skill = ? GROUP BY v.skill, v.number ORDER BY v.number DESC`;
const SELECT_BYTES = `SELECT digest, bytes FROM "SkillBlob" WHERE skill = ? AND digest ${AMONG}`;
const SELECT_SKILL = 'SELECT name, revision, "updatedAt", "changedBy" FROM "OwnSkill" WHERE name = ?';
const INSERT_SKILL = `INSERT INTO "OwnSkill" (name, revision, "createdAt", "updatedAt", "changedBy")
  VALUES (?, 1, ?, ?, ?)`;
const UPDATE_SKILL = 'UPDATE "OwnSkill" SET revision = ?, "updatedAt" = ?, "changedBy" = ? WHERE name = ?';
const INSERT_VERSION = `INSERT INTO "SkillVersion"
  (skill, number, description, frontmatter, digest, cause, at, "by") VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_FILE = 'INSERT INTO "SkillFile" (skill, number, path, digest, size, "isText") VALUES (?, ?, ?, ?, ?, ?)';
const INSERT_BYTES = 'INSERT INTO "SkillBlob" (skill, digest, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
const DELETE_VERSIONS = 'DELETE FROM "SkillVersion" WHERE skill = ? AND number <= ?';
const DELETE_UNUSED_BYTES = `DELETE FROM "SkillBlob" WHERE skill = ?
  AND digest NOT IN (SELECT digest FROM "SkillFile" WHERE skill = ?)`;
const DELETE_SKILL = 'DELETE FROM "OwnSkill" WHERE name = ?';
/** Writes take turns: each reads the revision before it writes the next one. */
const LOCK = "own skills";

interface Written extends SkillWrite {
  at: number;
}

/** The writes of a skill, as steps of a transaction. */
export const ownSkillSteps = {
  *add(folder: SkillFolder, { at, by, cause }: Written): Steps<void> {
    yield* change(INSERT_SKILL, folder.name, at, at, by.name);
    yield* addVersion(folder, 1, { at, by, cause });
  },

  /** @returns what is stored where it has another revision than the expected one, null for a skill that is gone */
  *replace(
    folder: SkillFolder,
    { at, by, cause }: Written,
    revision: number | undefined,
  ): Steps<{ refused: SkillRow | null } | { version: number }> {
    const row = (yield* selectRow<SkillRow>(SELECT_SKILL, folder.name)) ?? null;
    if (row === null || (revision !== undefined && Number(row.revision) !== revision)) return { refused: row };
    const version = Number(row.revision) + 1;
    yield* addVersion(folder, version, { at, by, cause });
    yield* change(UPDATE_SKILL, version, at, by.name, folder.name);
    const deleted = yield* change(DELETE_VERSIONS, folder.name, version - MAX_SKILL_VERSIONS);
    if (deleted > 0) yield* change(DELETE_UNUSED_BYTES, folder.name, folder.name);
    return { version };
  },
};

function* addVersion(folder: SkillFolder, number: number, { at, by, cause }: Written): Steps<void> {
  const { name, description, frontmatter, digest, files } = folder;
  const json = JSON.stringify(frontmatter);
  yield* change(INSERT_VERSION, name, number, description, json, digest, cause, at, by.name);
  for (const file of files) {
    yield* change(INSERT_FILE, name, number, file.path, file.digest, file.size, file.isText ? 1 : 0);
    yield* change(INSERT_BYTES, name, file.digest, file.bytes);
  }
}

/** The skills of the team, with every version of their files. */
export function createOwnSkillStore({ db, clock }: { db: Database; clock: Pick<Clock, "now"> }): OwnSkillStore {
  return {
    async list() {
      const rows = await db.rows<SkillRow & VersionRow>(SELECT_SKILLS);
      const files = new Map<string, FileRow[]>(rows.map(({ name }) => [name, []]));
      for (const file of await db.rows<FileRow>(SELECT_CURRENT_FILES)) files.get(file.skill)?.push(file);
      return rows.flatMap((row) => {
        const own = files.get(row.name) ?? [];
        return db.damaged.read("skill", row.name, () => toSkill(row, own)) ?? [];
      });
    },

    async create(folder, write) {
      const at = clock.now();
      await db
        .transaction(() => ownSkillSteps.add(folder, { ...write, at }), LOCK)
        .catch(refuseDuplicate("skill", folder.name));
      return toStoredSkill(folder, { version: 1, at, by: write.by });
    },

    async update(folder, { revision, ...write }) {
      const at = clock.now();
      const replace = () => ownSkillSteps.replace(folder, { ...write, at }, revision);
      const outcome = await db.transaction(replace, LOCK);
      if ("refused" in outcome) refuseOutdated("skill", folder.name, outcome.refused);
      return toStoredSkill(folder, { version: outcome.version, at, by: write.by });
    },

    async delete(name, revision) {
      const refused = await db.transaction(() => remove(name, revision), LOCK);
      if (refused !== undefined) refuseOutdated("skill", name, refused);
    },

    async versions(name) {
      type Row = Omit<VersionRow, "frontmatter"> & { fileCount: number | bigint; bytes: number | bigint };
      const rows = await db.rows<Row>(SELECT_VERSIONS, name);
      return rows.map(({ fileCount, bytes, ...row }) => ({
        ...toVersionFacts(row),
        fileCount: Number(fileCount),
        bytes: Number(bytes),
      }));
    },

    async version(name, number): Promise<StoredVersion | null> {
      const row = await db.row<VersionRow>(SELECT_VERSION, name, number);
      if (row === undefined) return null;
      const files = await db.rows<FileRow>(SELECT_FILES, name, number);
      return { ...toVersionFacts(row), frontmatter: readObject(row.frontmatter), files: files.map(toFile) };
    },

    async readBytes(name, digests) {
      const rows = await db.rows<{ digest: string; bytes: Uint8Array }>(SELECT_BYTES, name, [...new Set(digests)]);
      return new Map(rows.map(({ digest, bytes }) => [digest, bytes]));
    },
  };
}

/** @returns undefined where it is deleted, else what keeps it from being */
function* remove(name: string, revision: number | undefined): Steps<SkillRow | null | undefined> {
  const row = (yield* selectRow<SkillRow>(SELECT_SKILL, name)) ?? null;
  if (row === null || (revision !== undefined && Number(row.revision) !== revision)) return row;
  yield* change(DELETE_SKILL, name);
  return undefined;
}

function toStoredSkill(
  { name, description, frontmatter, digest, files }: SkillFolder,
  { version, at, by }: { version: number; at: number; by: SkillWrite["by"] },
): StoredSkill {
  const stored = files.map(({ bytes: _bytes, ...file }) => file);
  return { name, description, frontmatter, digest, files: stored, version, updatedAt: at, changedBy: by.name };
}

/** A row of a later version, or one edited by hand, must not hide the others. */
function toSkill(row: SkillRow & VersionRow, files: readonly FileRow[]): StoredSkill {
  return {
    name: row.name,
    description: row.description,
    frontmatter: readObject(row.frontmatter),
    version: Number(row.revision),
    digest: row.digest,
    files: files.map(toFile),
    updatedAt: Number(row.updatedAt),
    changedBy: row.changedBy,
  };
}

const toFile = ({ path, digest, size, isText }: FileRow): StoredFile => ({
  path,
  digest,
  size: Number(size),
  isText: Boolean(isText),
});

function toVersionFacts({
  number,
  description,
  digest,
  cause,
  at,
  by,
}: Omit<VersionRow, "frontmatter">): Omit<SkillVersion, "fileCount" | "bytes"> {
  return { version: Number(number), description, digest, cause: cause as SkillCause, at: Number(at), by };
}

function readObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value)) throw new Error("its front matter is no object");
  return value;
}
