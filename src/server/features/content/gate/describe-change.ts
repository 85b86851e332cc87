import type { OwnSkillFile } from "../../../../lib/contract/own-skill";
import type { ReviewedVersion, SkillChange } from "../../../../lib/contract/skill-change";
import { formatJson } from "../../../../lib/json/format-json";
import { getMediaType, SKILL_FILE } from "../../../../lib/skill-files";
import { decodeText } from "../../../../lib/strict-text";
import { toFilePath } from "./file-content";
import type { FileBytes, HeldSkill, SkillEntry, SkillPin } from "./skill-gate-store";

/** A version beside the approved one, as users see it. */
export function describeChange(
  server: string,
  { uri, approved, decidedBy, decidedAt }: Omit<SkillPin, "held">,
  held: Omit<HeldSkill, "status"> & Partial<Pick<HeldSkill, "status">>,
): SkillChange {
  const { name, description } = (held.entry ?? approved?.entry)?.frontmatter ?? {};
  const isDecided = held.status === "blocked";
  return {
    server,
    uri,
    name: String(name),
    description: String(description),
    status: held.status ?? "open",
    kind: held.entry === null ? "removed" : approved === null ? "added" : "changed",
    reason: null,
    hash: held.hash,
    files: compareFiles(uri, approved?.entry ?? null, held.entry),
    heldAt: held.at,
    decidedBy: isDecided ? decidedBy : null,
    decidedAt: isDecided ? decidedAt : null,
  };
}

function compareFiles(skill: string, before: SkillEntry | null, after: SkillEntry | null): SkillChange["files"] {
  const left = new Map(before?.resources.map(({ uri, digest }) => [uri, digest] as const));
  const right = new Map(after?.resources.map(({ uri, digest }) => [uri, digest] as const));
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((uri) => {
    if (left.get(uri) === right.get(uri)) return [];
    const change = left.has(uri) ? (right.has(uri) ? "changed" : "removed") : "added";
    return [{ path: toFilePath(skill, uri), change } as const];
  });
}

/** A version with the texts of its files, `SKILL.md` first. */
export function toReviewedVersion(
  { uri: skill, frontmatter, resources }: SkillEntry,
  bytes: FileBytes,
): ReviewedVersion {
  const files = resources.map(({ uri, digest, size }): OwnSkillFile => {
    const found = bytes.get(digest);
    const text = found === undefined ? null : decodeText(found);
    const path = toFilePath(skill, uri);
    return { path, uri, digest, size, mediaType: getMediaType(path, text !== null), text };
  });
  const isFirst = ({ path }: OwnSkillFile): boolean => path === SKILL_FILE;
  return {
    listed: formatJson(frontmatter),
    files: [...files.filter(isFirst), ...files.filter((file) => !isFirst(file))],
  };
}
