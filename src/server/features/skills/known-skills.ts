import { toSkillUri } from "../../../lib/skill-files";
import type { Change } from "../../platform/shared/announced-edits";
import { AppError } from "../../platform/shared/app-error";
import type { OwnSkillStore, StoredSkill } from "./own-skill-store";

/** The current versions of the team's skills in memory, without the bytes of their files. */
export function createKnownSkills(store: Pick<OwnSkillStore, "list">) {
  const skills = new Map<string, StoredSkill>();
  const changedUris = new Set<string>();

  /** Notes the files that one of the two versions has, and the other has not or with other bytes. */
  function noteFiles(name: string, before: StoredSkill | undefined, after: StoredSkill | undefined): void {
    const toKeys = (skill: StoredSkill | undefined) =>
      new Map(skill?.files.map(({ path, digest }) => [path, digest] as const));
    const left = toKeys(before);
    const right = toKeys(after);
    for (const path of new Set([...left.keys(), ...right.keys()])) {
      if (left.get(path) !== right.get(path)) changedUris.add(toSkillUri(name, path));
    }
  }

  function remove(change: Change, name: string): void {
    noteFiles(name, skills.get(name), undefined);
    skills.delete(name);
    change.mark();
  }

  function put(change: Change, skill: StoredSkill): StoredSkill {
    const before = skills.get(skill.name);
    if (before?.version === skill.version && before.digest === skill.digest) return before;
    noteFiles(skill.name, before, skill);
    skills.set(skill.name, skill);
    change.mark();
    return skill;
  }

  return {
    put,
    remove,
    has: (name: string): boolean => skills.has(name),
    find: (name: string): StoredSkill | null => skills.get(name) ?? null,

    /** @throws AppError NOT_FOUND */
    get(name: string): StoredSkill {
      const skill = skills.get(name);
      if (skill === undefined) throw new AppError("NOT_FOUND", `Skill '${name.slice(0, 200)}' not found`);
      return skill;
    },

    /** By name. */
    all: (): StoredSkill[] => [...skills.values()].sort((left, right) => (left.name < right.name ? -1 : 1)),

    async load(change: Change): Promise<void> {
      const rows = await store.list();
      const names = new Set(rows.map(({ name }) => name));
      for (const name of [...skills.keys()]) if (!names.has(name)) remove(change, name);
      for (const row of rows) put(change, row);
    },

    /** The URIs of files that changed since the last call. */
    takeChangedUris(): string[] {
      const uris = [...changedUris];
      changedUris.clear();
      return uris;
    },
  };
}
