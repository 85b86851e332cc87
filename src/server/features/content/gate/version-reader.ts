import { MAX_REVIEWED_BYTES, MAX_REVIEWED_SKILLS } from "../../../../lib/contract/skill-limits";
import { getMessage } from "../../../../lib/get-message";
import type { ServerContent } from "../../../engine/mcp-ports";
import { findFileProblem, readFileBytes } from "./file-content";
import type { Gate, WithheldSkill } from "./gate-states";
import type { ListedSkill } from "./read-listed-skills";
import type { FileBytes, SkillPin } from "./skill-gate-store";

const MAX_REASON_CHARS = 1000;
/** Users of personal connections may see different skills. */
const MAX_PINS = MAX_REVIEWED_SKILLS * 2;

export interface VersionReader {
  /** What was read, by digest. */
  files: FileBytes;
  withheld: ReadonlyMap<string, WithheldSkill>;
  /** @returns whether all files of the version are stored or were read; else it is withheld */
  read(skill: ListedSkill): Promise<boolean>;
}

/** Reads files of new versions from their server, each once, within the bounds of what is stored. */
export function createVersionReader(
  gate: Gate,
  content: Pick<ServerContent, "ask">,
  { signal, now }: { signal: AbortSignal; now: () => number },
): VersionReader {
  const files = new Map<string, Uint8Array>();
  const withheld = new Map<string, WithheldSkill>();
  const pins = gate.pins ?? new Map<string, SkillPin>();
  const stored = new Map([...pins.values()].flatMap(listStoredFiles));
  const known = new Set(stored.keys());
  let bytes = [...stored.values()].reduce((sum, size) => sum + size, 0);
  let room = MAX_PINS - pins.size;

  async function readFiles({ entry }: ListedSkill): Promise<string | null> {
    if (!pins.has(entry.uri) && room-- <= 0) return `more than ${MAX_PINS} skills of the server are reviewed`;
    const missing = entry.resources.filter(({ digest }) => !known.has(digest));
    const added = missing.reduce((sum, { size }) => sum + size, 0);
    if (bytes + added > MAX_REVIEWED_BYTES) {
      return `the reviewed skills of the server have more than ${MAX_REVIEWED_BYTES} bytes together`;
    }
    const read = new Map<string, Uint8Array>();
    for (const file of missing) {
      const found = readFileBytes(file.uri, await content.ask("resources/read", { uri: file.uri }, signal));
      const problem = findFileProblem(file, found);
      if (problem !== null || found === null) return `${file.uri} is not what the skill lists: ${problem}`;
      read.set(file.digest, found);
    }
    for (const [digest, found] of read) {
      files.set(digest, found);
      known.add(digest);
    }
    bytes += added;
    return null;
  }

  return {
    files,
    withheld,
    async read(skill) {
      const reason = skill.problem ?? (await readFiles(skill).catch(getMessage));
      if (reason === null) return true;
      const earlier = gate.withheld.get(skill.uri);
      const at = earlier?.skill.hash === skill.hash ? earlier.at : now();
      withheld.set(skill.uri, { skill, reason: reason.slice(0, MAX_REASON_CHARS), at });
      return false;
    },
  };
}

const listStoredFiles = ({ approved, held }: SkillPin) =>
  [...(approved?.entry.resources ?? []), ...(held?.entry?.resources ?? [])].map(
    ({ digest, size }) => [digest, size] as const,
  );
