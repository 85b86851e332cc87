import { isPlainObject } from "../../../../lib/contract/json";
import { getMessage } from "../../../../lib/get-message";
import { SKILL_FILE } from "../../../../lib/skill-files";
import { declaresSkills } from "../../../../lib/skills";
import { ToolFailure } from "../../../engine/failures";
import type { ServerContent } from "../../../engine/mcp-ports";
import type { ToolContext } from "../../../engine/ports";
import type { ContentPorts } from "../content-ports";
import { findFileProblem, readFileBytes, toFileContents, toFilePath } from "./file-content";
import type { ApprovedFile, SkillGate } from "./skill-gate";

type Connections = ContentPorts["connections"];

const INVALID_PARAMS = -32_602;

/** The connections, of which clients receive approved skills only where changes of a server wait. */
export function withSkillGate(connections: Connections, gate: SkillGate): Connections {
  return {
    capabilities: (server, user) => connections.capabilities(server, user),
    state: (server, user) => connections.state(server, user),
    content(server, work, user) {
      if (!gate.isGated(server)) return connections.content(server, work, user);
      const open = (content: ServerContent) =>
        work(
          createGatedContent({
            server,
            user: user ?? "",
            content,
            gate,
            declares: () => gate.hasPins(server) || mayDeclare(connections.capabilities(server, user)),
          }),
        );
      return connections.content(server, open, user);
    },
  };
}

/** Unknown capabilities are those of a server that this request connects to. */
const mayDeclare = (capabilities: ReturnType<Connections["capabilities"]>): boolean =>
  capabilities === null || declaresSkills(capabilities);

interface GatedServer {
  server: string;
  user: string;
  content: ServerContent;
  gate: SkillGate;
  /** Whether the server has skills, or had some that were reviewed. */
  declares: () => boolean;
}

function createGatedContent(gated: GatedServer): ServerContent {
  const { server, user, content, gate, declares } = gated;
  return {
    async list(list, signal) {
      if (list === "skills") {
        if (declares()) await gate.check(server, user);
        return gate.list(server, user);
      }
      const entries = await content.list(list, signal);
      if (list === "prompts" || !declares()) return entries;
      await gate.check(server, user);
      const isOfSkill = gate.createMatcher(server);
      if (list === "resourceTemplates") return entries.filter(({ uriTemplate }) => !isOfSkill(String(uriTemplate)));
      const files = gate.indexFiles(server, user);
      return entries.flatMap((entry) => toApprovedResource(entry, files, isOfSkill));
    },
    request: (method, params, context) =>
      method === "resources/read" && declares()
        ? readResource(gated, params, context)
        : content.request(method, params, context),
    async ask(method, params, signal) {
      if (method === "completion/complete" && declares() && isOfSkillTemplate(gated, params)) return NO_COMPLETION;
      if (!declares() || (method !== "skills/get" && method !== "resources/read")) {
        return await content.ask(method, params, signal);
      }
      await gate.check(server, user);
      const found = gate.findFile(server, user, String(params.uri));
      if (method === "skills/get" && found !== null && found.skill.entry.uri === params.uri) {
        return { skill: { ...found.skill.entry } };
      }
      throw refuse(server, String(params.uri));
    },
    isPublic: (method) => content.isPublic(method),
    notify: (method, params) => content.notify(method, params),
    subscribe: (uri) => content.subscribe(uri),
    unsubscribe: (uri) => content.unsubscribe(uri),
    setLogLevel: (level) => content.setLogLevel(level),
  };
}

const NO_COMPLETION = { completion: { values: [] } };

const isOfSkillTemplate = ({ gate, server }: GatedServer, { ref }: Record<string, unknown>): boolean =>
  isPlainObject(ref) && typeof ref.uri === "string" && gate.createMatcher(server)(ref.uri);

/** A listed resource that is a file of a skill, in words of the approved version; none where no approved version has it. */
function toApprovedResource(
  entry: Record<string, unknown>,
  files: ReadonlyMap<string, ApprovedFile>,
  isOfSkill: (uri: string) => boolean,
): Record<string, unknown>[] {
  const { uri } = entry;
  if (typeof uri !== "string") return [entry];
  const found = files.get(uri);
  if (found === undefined) return isOfSkill(uri) ? [] : [entry];
  const { file, skill } = found;
  const { name, description } = skill.entry.frontmatter;
  const path = toFilePath(skill.entry.uri, uri);
  if (path !== SKILL_FILE) return [{ uri, name: path, size: file.size }];
  return [{ uri, name, description, mimeType: "text/markdown", size: file.size }];
}

async function readResource(
  gated: GatedServer,
  params: Record<string, unknown>,
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const { server, user, content, gate } = gated;
  const uri = String(params.uri);
  const mayBeNew = SKILL_FILE_URI.test(uri) && gate.findFile(server, user, uri) === null;
  const isShared = !mayBeNew && gate.sharesCheck(server, user, uri);
  if (!isShared) {
    // The server may have another version, or a skill that is not known yet.
    await gate.check(server, user).catch((error: unknown) => {
      if (gate.findFile(server, user, uri) === null) throw error;
      context.logger.warn(`The server's skills could not be compared with the approved ones: ${getMessage(error)}`);
    });
  }
  const found = gate.findFile(server, user, uri);
  if (found === null && gate.createMatcher(server)(uri)) throw refuse(server, uri);
  if (!isShared) gate.shareCheck(server, user, uri);
  if (found !== null) return await readApproved(gated, found, params, context);
  return await content.request("resources/read", params, context);
}

/** What may be the first file of a skill, also where letters of it are encoded. */
const SKILL_FILE_URI = /skill\.md|%(?!20)[\da-f]{2}/i;

/** The server's file where it is the approved one, else the stored one: recorded with the reason. */
async function readApproved(
  { server, content, gate }: GatedServer,
  { file, isListed }: ApprovedFile,
  params: Record<string, unknown>,
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const { uri, digest } = file;
  let reason = "the server lists another version of this skill, which is not approved";
  if (isListed) {
    try {
      const bytes = readFileBytes(uri, await content.request("resources/read", params, context));
      const problem = findFileProblem(file, bytes);
      if (problem === null && bytes !== null) return toFileContents(uri, bytes);
      reason = `the server's file is not the approved one: ${problem}`;
    } catch (error) {
      if (context.signal.aborted) throw error;
      reason = `the server did not answer with the file: ${getMessage(error)}`;
    }
  }
  const stored = await gate.readFile(server, file);
  if (stored === null || findFileProblem(file, stored) !== null) {
    const message = `${server}: ${uri} is refused, since ${reason}, and the approved file ${digest} is not stored. Review the skill on the server's page`;
    throw new ToolFailure("tool_error", message);
  }
  context.logger.warn(`Sent the stored file ${digest}, which is approved: ${reason}`);
  return toFileContents(uri, stored);
}

function refuse(server: string, uri: string): ToolFailure {
  const message = `${server}: no approved skill has ${uri.slice(0, 500)}. A user reviews new and changed skills on the server's page`;
  return new ToolFailure("tool_error", message, { code: INVALID_PARAMS, message });
}
