import type { Actor } from "../../../lib/contract/actor";
import type { SkillCause, SkillVersion } from "../../../lib/contract/own-skill";
import type { SkillFolder, StoredFile } from "./skill-folder";

/** A skill with the files of its current version, without their bytes. */
export interface StoredSkill {
  name: string;
  description: string;
  frontmatter: Readonly<Record<string, unknown>>;
  /** The number of its current version, which is its revision. */
  version: number;
  digest: string;
  files: readonly StoredFile[];
  updatedAt: number;
  changedBy: string | null;
}

export interface StoredVersion extends Omit<SkillVersion, "fileCount" | "bytes"> {
  frontmatter: Readonly<Record<string, unknown>>;
  files: readonly StoredFile[];
}

export interface SkillWrite {
  cause: SkillCause;
  by: Pick<Actor, "name">;
}

export interface OwnSkillStore {
  /** By name. */
  list(): Promise<StoredSkill[]>;
  /** @throws AppError CONFLICT for a name that is taken */
  create(folder: SkillFolder, write: SkillWrite): Promise<StoredSkill>;
  /**
   * Makes the folder the next version.
   * @param revision the version that the user saw; absent: it overwrites whatever is there
   * @throws AppError NOT_FOUND, CONFLICT
   */
  update(folder: SkillFolder, write: SkillWrite & { revision?: number | undefined }): Promise<StoredSkill>;
  /** @throws AppError NOT_FOUND, CONFLICT */
  delete(name: string, revision?: number): Promise<void>;
  /** Newest first. */
  versions(name: string): Promise<SkillVersion[]>;
  version(name: string, number: number): Promise<StoredVersion | null>;
  /** The bytes of files by their digest; those that no kept version has are absent. */
  readBytes(name: string, digests: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
}
