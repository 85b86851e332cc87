import type { OwnSkillFile, OwnSkillSummary } from "../../../lib/contract/own-skill";
import { getMediaType, SKILL_FILE, toSkillUri } from "../../../lib/skill-files";
import { decodeText } from "../../../lib/strict-text";
import type { StoredSkill } from "./own-skill-store";
import type { StoredFile } from "./skill-folder";

export function toSummary({
  name,
  description,
  version,
  digest,
  files,
  updatedAt,
  changedBy,
}: StoredSkill): OwnSkillSummary {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const uri = toSkillUri(name, SKILL_FILE);
  return { name, description, uri, version, digest, fileCount: files.length, bytes, updatedAt, updatedBy: changedBy };
}

/** Files with their text, `SKILL.md` first. */
export function toFiles(
  name: string,
  files: readonly StoredFile[],
  bytes: ReadonlyMap<string, Uint8Array>,
): OwnSkillFile[] {
  const shown = files.map(({ path, digest, size, isText }) => ({
    path,
    uri: toSkillUri(name, path),
    digest,
    size,
    mediaType: getMediaType(path, isText),
    text: isText ? decodeText(bytes.get(digest) ?? new Uint8Array()) : null,
  }));
  return [...shown.filter(({ path }) => path === SKILL_FILE), ...shown.filter(({ path }) => path !== SKILL_FILE)];
}
