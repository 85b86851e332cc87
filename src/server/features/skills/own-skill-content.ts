import type { ConnectionState } from "../../../lib/contract/connection-state";
import { SKILLS_EXTENSION } from "../../../lib/mcp-extensions";
import { getMediaType, OWN_SKILLS, readSkillUri, SKILL_FILE, toSkillUri } from "../../../lib/skill-files";
import { decodeText } from "../../../lib/strict-text";
import { ToolFailure } from "../../engine/failures";
import type { McpConnections, ServerContent } from "../../engine/mcp-ports";
import type { OwnSkillService } from "./own-skill-service";
import type { StoredSkill } from "./own-skill-store";
import { type StoredFile, toEntry } from "./skill-folder";

type Skills = Pick<OwnSkillService, "all" | "readBytes">;
type ContentConnections = Pick<McpConnections, "content" | "capabilities"> & {
  state(server: string, user?: string): Pick<ConnectionState, "status"> | null;
};

const INVALID_PARAMS = -32_602;

/** The connections, with the team's skills as what one more server offers. */
export function withOwnSkills(connections: ContentConnections, skills: Skills): ContentConnections {
  const own = createOwnContent(skills);
  return {
    content: (server, work, user) => (server === OWN_SKILLS ? work(own) : connections.content(server, work, user)),
    capabilities: (server, user) => (server === OWN_SKILLS ? declare(skills) : connections.capabilities(server, user)),
    state: (server, user) => (server === OWN_SKILLS ? { status: "connected" } : connections.state(server, user)),
  };
}

/** Nothing where there is no skill: clients learn it when they connect. */
function declare(skills: Skills): Record<string, unknown> {
  if (skills.all().length === 0) return {};
  return { resources: { listChanged: true, subscribe: true }, extensions: { [SKILLS_EXTENSION]: {} } };
}

function createOwnContent(skills: Skills): ServerContent {
  const find = (uri: string): { skill: StoredSkill; file: StoredFile } | null => {
    const named = readSkillUri(uri);
    const skill = skills.all().find(({ name }) => name === named?.name);
    const file = skill?.files.find(({ path }) => path === named?.path);
    return skill === undefined || file === undefined ? null : { skill, file };
  };

  async function read(uri: string): Promise<Record<string, unknown>> {
    const found = find(uri);
    const bytes = found === null ? undefined : await readFile(found);
    if (found === null || bytes === undefined) throw notFound(`Resource not found: no skill has the file ${uri}`);
    const text = found.file.isText ? decodeText(bytes) : null;
    const content = text === null ? { blob: Buffer.from(bytes).toString("base64") } : { text };
    return { contents: [{ uri, mimeType: getMediaType(found.file.path, found.file.isText), ...content }] };
  }

  const readFile = async ({ skill, file }: { skill: StoredSkill; file: StoredFile }) =>
    (await skills.readBytes(skill.name, [file.digest])).get(file.digest);

  return {
    async list(list) {
      if (list === "skills") return skills.all().map(toEntry);
      return list === "resources" ? skills.all().map(toResource) : [];
    },
    request: async (method, params) => {
      if (method === "resources/read") return await read(String(params.uri));
      throw notFound(`The team's skills have no ${method}`);
    },
    async ask(method, params) {
      const found = method === "skills/get" ? find(String(params.uri)) : null;
      if (found?.file.path !== SKILL_FILE) throw notFound(`Skill not found: ${String(params.uri).slice(0, 500)}`);
      return { skill: toEntry(found.skill) };
    },
    isPublic: async () => false,
    notify: async () => undefined,
    // Every change is announced in any case.
    subscribe: async () => undefined,
    unsubscribe: async () => undefined,
    setLogLevel: async () => undefined,
  };
}

/** The instructions, for clients that know resources and no skills. */
function toResource({ name, description, files }: StoredSkill): Record<string, unknown> {
  const size = files.find(({ path }) => path === SKILL_FILE)?.size ?? 0;
  return { uri: toSkillUri(name, SKILL_FILE), name, description, mimeType: getMediaType(SKILL_FILE, true), size };
}

const notFound = (message: string): ToolFailure =>
  new ToolFailure("tool_error", message, { code: INVALID_PARAMS, message });
