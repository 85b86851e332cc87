import { systemClock } from "../create-tool-engine";
import { createOwnSkillStore } from "../features/skills/db/own-skill-store";
import { createOwnSkillService } from "../features/skills/own-skill-service";
import { createEvent } from "../platform/shared/event";
import type { Foundation } from "./foundation";

export type SkillParts = ReturnType<typeof createSkills>;

/** The skills of the team. */
export function createSkills({ db, shared, live }: Foundation) {
  /** At once, for what this instance serves to MCP clients: the URIs of files that are other ones now. */
  const skillsChanged = createEvent<[uris: readonly string[]]>();
  const ownSkills = createOwnSkillService({
    store: createOwnSkillStore({ db, clock: systemClock }),
    onChange(origin, uris) {
      void skillsChanged.emit(uris);
      // The instance that stored it notifies pages, when all instances have it.
      if (origin === "stored") void shared.changed("skills", { onShared: () => live.publish({ type: "skills" }) });
    },
  });
  shared.follow("skills", ownSkills.follow);
  return { ownSkills, skillsChanged };
}
