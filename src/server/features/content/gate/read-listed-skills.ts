import { createHash } from "node:crypto";
import {
  MAX_REVIEWED_ENTRY_CHARS,
  MAX_REVIEWED_SKILLS,
  MAX_SKILL_BYTES,
  MAX_SKILL_FILE_BYTES,
  MAX_SKILL_FILES,
} from "../../../../lib/contract/skill-limits";
import { canonicalJson } from "../../../../lib/json/canonical-json";
import { isNestedDeeperThan } from "../../../../lib/json/limits";
import { readSkill, type Skill } from "../../../../lib/skills";
import type { SkillEntry } from "./skill-gate-store";

/** A skill of a server's list, by what a review can say of it. */
export interface ListedSkill {
  uri: string;
  name: string;
  description: string;
  hash: string;
  entry: SkillEntry;
  /** Why it cannot be reviewed; null where it can. */
  problem: string | null;
}

const MAX_FRONT_MATTER_LEVELS = 20;
/** Begins the hash of a change that removes a skill. */
const REMOVED = "removed:";

export const toRemovalHash = (approvedHash: string): string => `${REMOVED}${approvedHash}`;

/** Reads a server's list for a review. Entries that no client may use are left out. */
export function readListedSkills(listed: readonly unknown[]): Map<string, ListedSkill> {
  const found = new Map<string, ListedSkill>();
  for (const each of listed) {
    const skill = readSkill(each);
    if ("problem" in skill || found.has(skill.uri) || !skill.uri.isWellFormed()) continue;
    const entry = toEntry(skill);
    const hash = createHash("sha256").update(canonicalJson(entry)).digest("hex");
    const problem = found.size < MAX_REVIEWED_SKILLS ? findProblem(skill, entry) : TOO_MANY;
    found.set(skill.uri, { uri: skill.uri, name: skill.name, description: skill.description, hash, entry, problem });
  }
  return found;
}

const TOO_MANY = `the server lists more than ${MAX_REVIEWED_SKILLS} skills, and the others are reviewed`;

function toEntry({ uri, frontmatter, files }: Skill): SkillEntry {
  const resources = [...(files ?? [])].sort((left, right) => (left.uri < right.uri ? -1 : 1));
  return { uri, frontmatter, resources };
}

function findProblem({ files, frontmatter }: Skill, entry: SkillEntry): string | null {
  if (isNestedDeeperThan(frontmatter, MAX_FRONT_MATTER_LEVELS)) {
    return `its front matter is nested deeper than ${MAX_FRONT_MATTER_LEVELS} levels`;
  }
  if (files === null) return "its files are generated with each read, so that no digest can be approved";
  if (files.length > MAX_SKILL_FILES)
    return `it has ${files.length} files, and at most ${MAX_SKILL_FILES} are reviewed`;
  const large = files.find(({ size }) => size > MAX_SKILL_FILE_BYTES);
  if (large !== undefined) return `${large.uri} has more than ${MAX_SKILL_FILE_BYTES} bytes`;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_SKILL_BYTES) return `its files have more than ${MAX_SKILL_BYTES} bytes together`;
  if (JSON.stringify(entry).length > MAX_REVIEWED_ENTRY_CHARS) {
    return `its entry has more than ${MAX_REVIEWED_ENTRY_CHARS} characters`;
  }
  return null;
}
