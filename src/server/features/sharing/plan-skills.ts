import { fileSkillSchema, type ImportEntry } from "../../../lib/contract/catalog-file";
import { isPlainObject } from "../../../lib/contract/json";
import type { SkillFileInput } from "../../../lib/contract/own-skill";
import { type Problem, problemsOfIssues } from "../../../lib/contract/problem";
import { SKILL_FILE } from "../../../lib/skill-files";
import { findAppError } from "../../platform/shared/app-error";
import type { SkillFolder } from "../skills/skill-folder";
import { freeName } from "./plan-servers";
import type { SharedSkills } from "./sharing-ports";
import type { BatchSkill } from "./sharing-store";

export interface PlannedSkill {
  entry: ImportEntry;
  /** Null for an invalid one. */
  skill: { files: readonly SkillFileInput[]; folder: SkillFolder } | null;
  /** The known skill of its name, as it is compared. */
  before: { version: number; digest: string } | null;
}

/** Compares a skill of a file with the known ones. @param isTaken names of the file and the known skills */
export async function planSkill(
  skills: SharedSkills,
  candidate: unknown,
  position: number,
  isTaken: (name: string) => boolean,
): Promise<PlannedSkill> {
  const given = isPlainObject(candidate) && Object.hasOwn(candidate, "name") ? candidate.name : null;
  const name = typeof given === "string" && given !== "" ? given : `skills[${position}]`;
  const entry: ImportEntry = {
    kind: "skill",
    position,
    name: name.slice(0, 200),
    status: "invalid",
    problems: [],
    notes: [],
    conflict: null,
    details: [],
    breaking: false,
    target: null,
    secrets: [],
    denied: null,
    needs: "edit",
    freeName: freeName(name, "skill", isTaken),
  };
  const read = await readEntry(skills, candidate);
  if ("problems" in read) return { entry: { ...entry, problems: read.problems }, skill: null, before: null };
  const known = skills.find(name);
  if (known === null) return { entry: { ...entry, status: "add" }, skill: read, before: null };
  const before = { version: known.version, digest: known.digest };
  const details = compareFiles(known.files, read.folder.files);
  return { entry: { ...entry, status: details.length === 0 ? "same" : "change", details }, skill: read, before };
}

type ReadEntry = { files: readonly SkillFileInput[]; folder: SkillFolder } | { problems: Problem[] };

async function readEntry(skills: SharedSkills, candidate: unknown): Promise<ReadEntry> {
  const parsed = fileSkillSchema.safeParse(candidate);
  if (!parsed.success) return { problems: problemsOfIssues(parsed.error.issues) };
  const { name, files } = parsed.data;
  const read = await readFiles(skills, files);
  if ("problems" in read || read.folder.name === name) return read;
  return { problems: [{ path: "name", message: `is not '${read.folder.name}', the name in its ${SKILL_FILE}` }] };
}

async function readFiles(skills: SharedSkills, files: readonly SkillFileInput[]): Promise<ReadEntry> {
  try {
    return { files, folder: await skills.readInputs(files) };
  } catch (error) {
    const refusal = findAppError(error);
    if (refusal === null) throw error;
    return { problems: [...refusal.problems] };
  }
}

type Named = { path: string; digest: string };

function compareFiles(before: readonly Named[], after: readonly Named[]): string[] {
  const left = new Map(before.map(({ path, digest }) => [path, digest]));
  const right = new Map(after.map(({ path, digest }) => [path, digest]));
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((path) => {
    if (left.get(path) === right.get(path)) return [];
    return `${path} ${left.has(path) ? (right.has(path) ? "changed" : "removed") : "added"}`;
  });
}

/** The skill that an import writes; under another name, its front matter gets that name. */
export async function toBatchSkill(
  skills: SharedSkills,
  { entry, skill, before }: PlannedSkill,
  name: string,
): Promise<BatchSkill | { problems: Problem[] }> {
  if (skill === null) return { problems: entry.problems };
  if (name === entry.name) return { folder: skill.folder, before: before?.version ?? null };
  if (skills.find(name) !== null) {
    return { problems: [{ path: "name", message: `the new name: '${name}' is already taken: choose another` }] };
  }
  const read = await readFiles(
    skills,
    skill.files.map((file) => renameIn(file, name)),
  );
  if ("problems" in read) {
    return { problems: read.problems.map(({ path, message }) => ({ path, message: `the new name: ${message}` })) };
  }
  const isRenamed = read.folder.name === name;
  if (isRenamed) return { folder: read.folder, before: null };
  return {
    problems: [{ path: "name", message: `the new name: write it into the ${SKILL_FILE}, and import it again` }],
  };
}

/** The first line of the front matter that is a name. */
function renameIn(file: SkillFileInput, name: string): SkillFileInput {
  if (file.path !== SKILL_FILE || file.text === undefined) return file;
  return { ...file, text: file.text.replace(/^name:.*$/m, () => `name: ${name}`) };
}
