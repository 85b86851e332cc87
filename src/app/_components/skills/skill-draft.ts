import type { DraftFields } from "@/app/_kit/merge-drafts";
import type { OwnSkillFile, SkillFileInput } from "@/lib/contract/own-skill";
import type { Problem } from "@/lib/contract/problem";
import { MAX_SKILL_BYTES, MAX_SKILL_FILES } from "@/lib/contract/skill-limits";
import { findPathProblems, SKILL_FILE } from "@/lib/skill-files";
import { utf8Bytes } from "@/lib/utf8-bytes";

/** A file of a draft: text, bytes that were chosen, or bytes that are stored. */
export type DraftFile = { path: string } & (
  | { text: string }
  | { base64: string; size: number }
  | { digest: string; size: number }
);

export interface SkillDraft {
  files: DraftFile[];
}

const TEMPLATE = `---
name: my-skill
description: What the skill does, and when an agent should use it
---

# My skill

1. The first step.
2. The next one.
`;

export const beginDraft = (): SkillDraft => ({ files: [{ path: SKILL_FILE, text: TEMPLATE }] });

export function toDraft(files: readonly OwnSkillFile[]): SkillDraft {
  return {
    files: files.map(({ path, text, digest, size }) => (text === null ? { path, digest, size } : { path, text })),
  };
}

export function toInput({ files }: SkillDraft): SkillFileInput[] {
  return files.map((file) => {
    const { path } = file;
    if ("text" in file) return { path, text: file.text };
    return "base64" in file ? { path, base64: file.base64 } : { path, digest: file.digest };
  });
}

export const getSize = (file: DraftFile): number => ("text" in file ? utf8Bytes(file.text) : file.size);

/** What can be said without the server, which checks all of it again. */
export function findDraftProblems({ files }: SkillDraft): Problem[] {
  const problems: Problem[] = findPathProblems(files.map(({ path }) => path));
  if (files.length > MAX_SKILL_FILES) {
    problems.push({ path: "files", message: `has ${files.length} files, more than the ${MAX_SKILL_FILES} allowed` });
  }
  const total = files.reduce((sum, file) => sum + getSize(file), 0);
  if (total > MAX_SKILL_BYTES) {
    problems.push({ path: "files", message: `have ${total} bytes together, more than the ${MAX_SKILL_BYTES} allowed` });
  }
  return problems;
}

/** A draft with one file changed; null removes it, and another path renames it. */
export function withFile({ files }: SkillDraft, path: string, next: DraftFile | null): SkillDraft {
  const isThere = files.some((file) => file.path === path);
  if (next === null) return { files: files.filter((file) => file.path !== path) };
  return { files: isThere ? files.map((file) => (file.path === path ? next : file)) : [...files, next] };
}

/** Two edits are merged file by file. */
export const DRAFT_FILES: DraftFields<SkillDraft> = {
  read: ({ files }) => Object.fromEntries(files.map((file) => [file.path, file])),
  take: (draft, path, from) => withFile(draft, path, from.files.find((file) => file.path === path) ?? null),
};
