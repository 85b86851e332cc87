import { createHash } from "node:crypto";
import type { Problem } from "../../../lib/contract/problem";
import { MAX_SKILL_BYTES, MAX_SKILL_FILE_BYTES, MAX_SKILL_FILES } from "../../../lib/contract/skill-limits";
import { findPathProblems, SKILL_FILE, toSkillUri } from "../../../lib/skill-files";
import { readSkill } from "../../../lib/skills";
import { decodeText } from "../../../lib/strict-text";
import { TimeSlice } from "../../engine/time-slice";
import { invalidInput } from "../../platform/shared/app-error";
import { digestSkill } from "../../platform/shared/skill-digest";
import { readFrontMatter } from "./front-matter";

/** A file as it is stored; `digest` is `sha256:` and the hash of its bytes. */
export interface StoredFile {
  path: string;
  digest: string;
  size: number;
  isText: boolean;
}

export interface FolderFile {
  path: string;
  bytes: Uint8Array;
}

/** The files of a skill that passed every check, in the order of paths. */
export interface SkillFolder {
  name: string;
  description: string;
  frontmatter: Readonly<Record<string, unknown>>;
  digest: string;
  files: readonly (StoredFile & FolderFile)[];
}

/** Names of servers' skills may have letters of any script. Those of the team are portable. */
const NAME = /^[a-z\d]+(?:-[a-z\d]+)*$/;
const toDigest = (content: Uint8Array): string => `sha256:${createHash("sha256").update(content).digest("hex")}`;

const comparePaths = (left: { path: string }, right: { path: string }): number => (left.path < right.path ? -1 : 1);

/**
 * Checks the files of a skill together.
 * @throws AppError INVALID that names every file that keeps the skill from being stored, and why
 */
export async function readSkillFolder(files: readonly FolderFile[]): Promise<SkillFolder> {
  const problems = findFileProblems(files);
  if (problems.length > 0) throw invalid(problems);
  const slice = new TimeSlice();
  const stored: (StoredFile & FolderFile)[] = [];
  for (const file of [...files].sort(comparePaths)) {
    stored.push(toStored(file));
    await slice.pause();
  }
  const text = decodeText(files.find(({ path }) => path === SKILL_FILE)?.bytes ?? new Uint8Array());
  const read = text === null ? { problem: "must be UTF-8 text" } : readFrontMatter(text);
  if ("problem" in read) throw invalid([{ path: SKILL_FILE, message: read.problem }]);
  const { frontmatter } = read;
  const { name } = frontmatter;
  if (typeof name !== "string" || !NAME.test(name)) {
    const message =
      "name in the front matter must be lowercase letters a to z, digits and single hyphens, as in a-skill";
    throw invalid([{ path: SKILL_FILE, message }]);
  }
  const skill = readSkill(toEntry({ name, frontmatter, files: stored }));
  if ("problem" in skill) throw invalid([{ path: SKILL_FILE, message: skill.problem }]);
  const { description } = skill;
  return { name, description, frontmatter, digest: digestSkill(stored), files: stored };
}

/** A skill as `skills/list` has it. */
export function toEntry({
  name,
  frontmatter,
  files,
}: {
  name: string;
  frontmatter: Readonly<Record<string, unknown>>;
  files: readonly StoredFile[];
}): Record<string, unknown> {
  return {
    uri: toSkillUri(name, SKILL_FILE),
    frontmatter,
    resources: files.map(({ path, digest, size }) => ({ uri: toSkillUri(name, path), digest, size })),
  };
}

function toStored({ path, bytes }: FolderFile): StoredFile & FolderFile {
  return { path, bytes, digest: toDigest(bytes), size: bytes.length, isText: decodeText(bytes) !== null };
}

function findFileProblems(files: readonly FolderFile[]): Problem[] {
  if (files.length > MAX_SKILL_FILES) {
    return [{ path: "files", message: `has ${files.length} files, more than the ${MAX_SKILL_FILES} allowed` }];
  }
  const problems: Problem[] = findPathProblems(files.map(({ path }) => path)).map(({ path, message }) => ({
    path: toProblemPath(path),
    message,
  }));
  const large = files.filter(({ bytes }) => bytes.length > MAX_SKILL_FILE_BYTES);
  for (const { path, bytes } of large) {
    const message = `has ${bytes.length} bytes, more than the ${MAX_SKILL_FILE_BYTES} allowed`;
    problems.push({ path: toProblemPath(path), message });
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (total > MAX_SKILL_BYTES) {
    problems.push({ path: "files", message: `have ${total} bytes together, more than the ${MAX_SKILL_BYTES} allowed` });
  }
  if (!files.some(({ path }) => path === SKILL_FILE)) {
    problems.push({ path: "files", message: `has no ${SKILL_FILE} in the skill's folder: add it` });
  }
  return problems;
}

/** A file's path as the path of a problem: one line, and short. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
const toProblemPath = (path: string): string => path.slice(0, 200).replace(/[\u0000-\u001f\u007f]/g, "?") || '""';

const invalid = (problems: readonly Problem[]) => invalidInput("The skill is invalid: ", problems, ": ");
