import type { Actor } from "../../../lib/contract/actor";
import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import { isPlainObject } from "../../../lib/contract/json";
import type { ContentAnswer, ServerPrompt, ServerResource, ServerSkill } from "../../../lib/contract/server-content";
import type { SkillChange } from "../../../lib/contract/skill-change";
import { readSkill } from "../../../lib/skills";
import type { ContentList } from "../../engine/mcp-ports";
import { AppError } from "../../platform/shared/app-error";
import { toRefusalOfEnvelope } from "../../platform/shared/upstream-error";
import type { Entry } from "./content-lists";
import type { ContentService } from "./content-service";

const MAX_TEXT_CHARS = 4096;

interface Ports {
  content: ContentService;
  /** @throws AppError for an unknown server */
  requireServer: (name: string) => unknown;
  newId: () => string;
  /** The versions of a server's skills that clients do not have. */
  skillChanges: (server: string) => readonly SkillChange[];
}

/** Resources and prompts of one server for a user in the console. */
export function createConsoleContent({ content, requireServer, newId, skillChanges }: Ports) {
  const list = (actor: Actor, server: string, which: ContentList): Promise<Entry[]> => {
    requireServer(server);
    return content.listNow(server, which, actor);
  };
  const options = (actor: Actor) => ({ source: "console" as const, actor, executionId: newId() });

  return {
    async resources(actor: Actor, server: string): Promise<ServerResource[]> {
      const [listed, templates] = await Promise.all([
        list(actor, server, "resources"),
        list(actor, server, "resourceTemplates"),
      ]);
      return [
        ...listed.map((entry) => toResource(entry, entry.uri, false)),
        ...templates.map((entry) => toResource(entry, entry.uriTemplate, true)),
      ];
    },

    async skills(actor: Actor, server: string): Promise<ServerSkill[]> {
      const listed = (await list(actor, server, "skills")).flatMap(toSkill);
      const changes = new Map(skillChanges(server).map(({ uri, status }) => [uri, status]));
      return listed.map((skill) => ({ ...skill, change: changes.get(skill.uri) ?? null }));
    },

    prompts: async (actor: Actor, server: string): Promise<ServerPrompt[]> =>
      (await list(actor, server, "prompts")).map(toPrompt),

    async readResource(actor: Actor, server: string, uri: string): Promise<ContentAnswer> {
      requireServer(server);
      return toAnswer(await content.read(server, uri, options(actor)));
    },

    /** Reads a file of a skill. @throws AppError for a URI that belongs to no skill of this server */
    async readSkill(actor: Actor, server: string, uri: string): Promise<ContentAnswer> {
      const skills = (await list(actor, server, "skills")).flatMap(toSkill);
      const isKnown = skills.some((skill) => skill.uri === uri || skill.files?.some((file) => file.uri === uri));
      if (!isKnown) {
        throw new AppError("NOT_FOUND", `uri: no skill of server '${server}' lists it. Its skills name their files`);
      }
      return toAnswer(await content.read(server, uri, options(actor)));
    },

    async getPrompt(actor: Actor, server: string, name: string, args: Record<string, string>): Promise<ContentAnswer> {
      requireServer(server);
      return toAnswer(await content.getPrompt(server, name, args, options(actor)));
    },
  };
}

function toAnswer(envelope: ExecutionEnvelope): ContentAnswer {
  if (!envelope.success) throw toRefusalOfEnvelope(envelope);
  return { text: JSON.stringify(envelope.result), executionId: envelope.execution_id };
}

function toResource(entry: Entry, uri: unknown, template: boolean): ServerResource {
  const { size } = entry;
  return {
    uri: String(uri),
    name: toText(entry.name) ?? String(uri),
    title: toText(entry.title),
    description: toText(entry.description),
    mimeType: toText(entry.mimeType),
    size: typeof size === "number" ? size : null,
    template,
  };
}

function toSkill(entry: Entry): ServerSkill[] {
  const skill = readSkill(entry);
  if ("problem" in skill) return [];
  const { uri, name, description, frontmatter, files } = skill;
  const { license, compatibility } = frontmatter;
  return [
    {
      uri,
      name,
      description,
      license: toText(license),
      compatibility: toText(compatibility),
      files: files === null ? null : [...files],
      change: null,
    },
  ];
}

function toPrompt({ name, title, description, arguments: wanted }: Entry): ServerPrompt {
  const args = (Array.isArray(wanted) ? wanted : []).filter(isPlainObject);
  return {
    name: String(name),
    title: toText(title),
    description: toText(description),
    arguments: args.flatMap((argument) => {
      const argumentName = toText(argument.name);
      if (argumentName === null) return [];
      return [{ name: argumentName, description: toText(argument.description), required: argument.required === true }];
    }),
  };
}

function toText(value: unknown): string | null {
  return typeof value === "string" ? value.slice(0, MAX_TEXT_CHARS) : null;
}
