import type { ServedSkill } from "../../../lib/contract/served-skill";
import { readSkill, type Skill } from "../../../lib/skills";
import { digestSkill } from "../../platform/shared/skill-digest";
import type { Entry } from "./content-lists";
import { toFilePath } from "./gate/file-content";

/** The facts of listed skills for those who choose among them. */
export function describeServedSkills(entries: readonly Entry[]): ServedSkill[] {
  return entries.flatMap((entry) => {
    const skill = readSkill(entry);
    if ("problem" in skill) return [];
    const { name, description, uri } = skill;
    return [{ name, description, uri, digest: toDigest(skill) }];
  });
}

function toDigest({ uri, files }: Skill): string | null {
  if (files === null) return null;
  return digestSkill(files.map((file) => ({ path: decodePath(toFilePath(uri, file.uri)), digest: file.digest })));
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
