import type { SkillCause, SkillVersion } from "@/lib/contract/own-skill";

const WORDS: Record<SkillCause, string> = {
  created: "Created",
  edited: "Edited",
  imported: "Imported",
  restored: "Restored",
};

/** `Edited by Ada`. */
export const describeSkillCause = ({ cause, by }: Pick<SkillVersion, "cause" | "by">): string =>
  by === null ? WORDS[cause] : `${WORDS[cause]} by ${by}`;
