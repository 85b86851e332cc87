import { createHash } from "node:crypto";

/** One digest for all files of a skill: equal for equal folders, whatever the order of their files. */
export function digestSkill(files: readonly { path: string; digest: string }[]): string {
  const lines = [...files]
    .sort((left, right) => (left.path < right.path ? -1 : 1))
    .map(({ path, digest }) => `${digest} ${path}\n`);
  return `sha256:${createHash("sha256").update(lines.join("")).digest("hex")}`;
}
