import { declaresSkills, readSkill, type SkillFile } from "../../../lib/skills";
import { ToolFailure } from "../../engine/failures";
import type { ServerContent } from "../../engine/mcp-ports";
import type { ContentLists, Entry } from "./content-lists";
import type { ContentPorts } from "./content-ports";
import { findFileProblem, readFileBytes } from "./gate/file-content";

/** A file in a list of skills, and the skill that lists it. */
interface ListedFile extends SkillFile {
  skill: string;
}

const filesOfLists = new WeakMap<readonly Entry[], ReadonlyMap<string, ListedFile>>();

/** Checks what servers answer for files of their skills against the digests that they list. */
export class SkillChecks {
  constructor(
    private readonly ports: Pick<ContentPorts, "connections">,
    private readonly lists: ContentLists,
  ) {}

  /**
   * @param content the connection that the file was read from
   * @throws ToolFailure where the bytes are not those that the server's list, and its newest entry of the skill, describe
   */
  async check(
    { server, user, uri }: { server: string; user: string; uri: string },
    result: Record<string, unknown>,
    content: Pick<ServerContent, "ask">,
  ): Promise<void> {
    if (!declaresSkills(this.ports.connections.capabilities(server, user))) return;
    const listed = listFiles(await this.lists.read(server, "skills", user, Number.POSITIVE_INFINITY)).get(uri);
    if (listed === undefined) return;
    const problem = findProblem(listed, result);
    if (problem === null) return;
    // The skill may have changed since it was listed.
    const current = await readCurrent(content, listed);
    this.lists.forget(server, "resources", this.lists.toOwner(server, user));
    const still = current === null ? problem : findProblem(current, result);
    if (still !== null) throw new ToolFailure("tool_error", `${server}: ${uri} is not what its skill lists: ${still}`);
  }
}

function listFiles(entries: readonly Entry[]): ReadonlyMap<string, ListedFile> {
  const known = filesOfLists.get(entries);
  if (known !== undefined) return known;
  const files = new Map<string, ListedFile>();
  for (const entry of entries) {
    const skill = readSkill(entry);
    if ("problem" in skill) continue;
    for (const file of skill.files ?? []) {
      if (!files.has(file.uri)) files.set(file.uri, { ...file, skill: skill.uri });
    }
  }
  filesOfLists.set(entries, files);
  return files;
}

/** Null where the server no longer has the file in the skill. */
async function readCurrent(content: Pick<ServerContent, "ask">, { skill, uri }: ListedFile): Promise<SkillFile | null> {
  const answer = await content.ask("skills/get", { uri: skill });
  const current = readSkill(answer.skill);
  return "problem" in current ? null : (current.files?.find((file) => file.uri === uri) ?? null);
}

const findProblem = (file: SkillFile, result: Record<string, unknown>): string | null =>
  findFileProblem(file, readFileBytes(file.uri, result));
