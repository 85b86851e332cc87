import { isPlainObject } from "../../../lib/contract/json";
import { TOOL_SEPARATOR } from "../../../lib/contract/tool-definition";
import { type DeclaredExtensions, listRelayedExtensions, readDeclaredExtensions } from "../../../lib/mcp-extensions";
import { OWN_SKILLS } from "../../../lib/skill-files";
import { declaresSkills, getSkillRoot } from "../../../lib/skills";
import type { ContentList } from "../../engine/mcp-ports";
import { mapMeta, mapResultUris } from "../../platform/shared/result-uris";
import { uiOwners } from "../../platform/shared/ui-resources";
import { ContentLists, type Entry, KEYS } from "./content-lists";
import type { ContentPorts, ContentScope } from "./content-ports";
import { type ResolvedUri, UriIndex } from "./uri-index";

/** The content of a scope, for the capabilities that its address declares. */
export interface DeclaredContent {
  resources: boolean;
  subscribe: boolean;
  prompts: boolean;
  completions: boolean;
  skills: boolean;
}

/** A name that no list has is looked up in lists read at most so long ago. */
const MISSED_MAX_AGE_MS = 1000;
const ANY_AGE = Number.POSITIVE_INFINITY;
/** The number of URIs from results, of all callers. */
const MAX_GIVEN = 10_000;
const URI_LISTS: readonly ContentList[] = ["resources", "resourceTemplates", "skills"];

/** The content of a scope's servers, under the names and URIs by which its clients know them. */
export class ContentCatalog {
  readonly lists: ContentLists;
  readonly #ports: ContentPorts;
  /** The server whose result gave a caller a URI. */
  readonly #given = new Map<string, string>();
  readonly #indexes = new WeakMap<ContentScope, { version: number; index: UriIndex }>();
  /** Null after a change of the catalog of tools. */
  #uiOwners: ReturnType<typeof uiOwners> | null = null;

  constructor(ports: ContentPorts) {
    this.#ports = ports;
    this.lists = new ContentLists(ports);
  }

  /** Tools name other user interfaces now. */
  toolsChanged(): void {
    this.#uiOwners = null;
    this.lists.version += 1;
  }

  declared(scope: ContentScope): DeclaredContent {
    const each = scope.servers.map((server) => this.#declaredBy(server, scope.actor.id));
    return {
      resources: each.some(({ resources }) => resources),
      subscribe: each.some(({ subscribe }) => subscribe),
      prompts: each.some(({ prompts }) => prompts),
      completions: each.some(({ completions }) => completions),
      skills: each.some(({ skills }) => skills),
    };
  }

  /** The extensions of the scope's only server, at its own address. */
  extensions({ own, servers: [only], actor }: ContentScope): DeclaredExtensions & { server: string | null } {
    if (!own || only === undefined) return { server: null };
    const declared = this.#ports.connections.capabilities(only, actor.id);
    const relays = listRelayedExtensions(declared).length > 0;
    return { ...readDeclaredExtensions(declared), server: relays ? only : null };
  }

  /** The entries of all servers of a scope that answer: resources in the order of their names, others in that of their servers. */
  async list(scope: ContentScope, list: ContentList): Promise<Entry[]> {
    const withUris = list !== "prompts" && !scope.own;
    // Whether a URI is unique depends on the lists of all servers.
    const others = withUris ? URI_LISTS.filter((other) => other !== list) : [];
    const [all] = await Promise.all([this.#read(scope, list), ...others.map((other) => this.#read(scope, other))]);
    const index = withUris ? this.#indexOf(scope) : null;
    const key = KEYS[list];
    const byName = new Map<string, Entry>();
    for (const { server, entries } of all) {
      for (const entry of entries) {
        const own = entry[key] as string;
        const name = nameInScope(scope, index, list, server, own);
        const mapped = index === null ? entry : mapEntry(entry, (uri) => index.toClient(server, uri));
        if (!byName.has(name)) byName.set(name, name === own ? mapped : { ...mapped, [key]: name });
      }
    }
    // The order of prompts and templates is their server's choice; resources of many servers are found by name.
    if (list !== "resources") return [...byName.values()];
    return [...byName].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, entry]) => entry);
  }

  /** Returns the server of a URI, or the template of one. */
  async resolve(
    scope: ContentScope,
    uri: string,
    { template = false }: { template?: boolean } = {},
  ): Promise<ResolvedUri> {
    const [only] = scope.servers;
    if (scope.own) return only === undefined ? null : { server: only, uri };
    for (const maxAgeMs of [ANY_AGE, MISSED_MAX_AGE_MS]) {
      await Promise.all(URI_LISTS.map((list) => this.#read(scope, list, maxAgeMs)));
      const index = this.#indexOf(scope);
      const found = template ? index.templateFromClient(uri) : index.fromClient(uri);
      if (found !== null) return found;
    }
    const { connections } = this.#ports;
    // Every file of the team's skills is listed.
    const offering = scope.servers.filter((server) => {
      if (server === OWN_SKILLS) return false;
      const declared = connections.capabilities(server, scope.actor.id);
      return declared === null ? this.#isOpening(server, scope.actor.id) : declared.resources !== undefined;
    });
    return offering.length === 1 ? { server: offering[0] as string, uri } : null;
  }

  /** Returns the server of a prompt's name; null for an unknown one. */
  async resolvePrompt(scope: ContentScope, name: string): Promise<{ server: string; name: string } | null> {
    for (const maxAgeMs of [ANY_AGE, MISSED_MAX_AGE_MS]) {
      for (const { server, entries } of await this.#read(scope, "prompts", maxAgeMs)) {
        const found = entries.find((entry) => promptName(scope, server, entry.name as string) === name);
        if (found !== undefined) return { server, name: found.name as string };
      }
    }
    return null;
  }

  /** A result of a server with the URIs by which clients know them. */
  mapResult(scope: ContentScope, server: string, result: Record<string, unknown>): Record<string, unknown> {
    return scope.own ? result : mapResultUris(result, (uri) => this.toClient(scope, server, uri));
  }

  /** The URI by which clients know a server's. Remembers whose it is, so that a client can read what no list names. */
  toClient(scope: ContentScope, server: string, uri: string): string {
    if (scope.own) return uri;
    const known = this.#indexOf(scope).toClient(server, uri);
    if (known !== uri) return known;
    if (this.#given.size >= MAX_GIVEN) this.#given.delete(this.#given.keys().next().value as string);
    this.#given.set(givenKey(scope, uri), server);
    return uri;
  }

  /** An entry of `skills/get` in the form for clients of the scope. */
  mapSkill(scope: ContentScope, server: string, skill: Entry): Entry {
    if (scope.own) return skill;
    const index = this.#indexOf(scope);
    const map = (uri: string): string => index.toClient(server, uri);
    return { ...mapEntry(skill, map), uri: map(String(skill.uri)) };
  }

  #read(scope: ContentScope, list: ContentList, maxAgeMs?: number) {
    const { connections } = this.#ports;
    // Few servers have skills, and the others need not be asked for a list that is not kept for long.
    const servers =
      list === "skills"
        ? scope.servers.filter((server) => declaresSkills(connections.capabilities(server, scope.actor.id)))
        : scope.servers;
    return Promise.all(
      servers.map(async (server) => ({
        server,
        entries: await this.lists.read(server, list, scope.actor.id, maxAgeMs),
      })),
    );
  }

  #indexOf(scope: ContentScope): UriIndex {
    const known = this.#indexes.get(scope);
    const { version } = this.lists;
    if (known?.version === version && this.#uiOwners !== null) return known.index;
    this.#uiOwners ??= uiOwners(this.#ports.tools());
    const owners = this.#uiOwners;
    const { servers, actor } = scope;
    const offers = servers.map((server) => ({
      server,
      uris: this.lists.peek(server, "resources", actor.id).map(({ uri }) => uri as string),
      templates: this.lists.peek(server, "resourceTemplates", actor.id).map(({ uriTemplate }) => uriTemplate as string),
      skillRoots: this.lists.peek(server, "skills", actor.id).map(({ uri }) => getSkillRoot(uri as string)),
    }));
    const index = new UriIndex(
      offers,
      (uri) => (owners.get(uri) ?? []).filter((server) => servers.includes(server)),
      (uri) => {
        const giver = this.#given.get(givenKey(scope, uri));
        return giver !== undefined && servers.includes(giver) ? giver : undefined;
      },
    );
    this.#indexes.set(scope, { version, index });
    return index;
  }

  #isOpening(server: string, user: string): boolean {
    const status = this.#ports.connections.state(server, user)?.status;
    return status === "connecting" || status === "idle";
  }

  #declaredBy(server: string, user: string): DeclaredContent {
    const { connections } = this.#ports;
    const declared = connections.capabilities(server, user);
    if (declared === null) {
      // Unknown capabilities do not count as missing, and a session's capabilities never change.
      const open = ![undefined, "disabled"].includes(connections.state(server, user)?.status);
      return { resources: open, subscribe: open, prompts: open, completions: open, skills: open };
    }
    const { resources, prompts, completions } = declared as Record<string, { subscribe?: unknown } | undefined>;
    return {
      resources: resources !== undefined,
      subscribe: resources?.subscribe === true,
      prompts: prompts !== undefined,
      completions: completions !== undefined,
      skills: declaresSkills(declared),
    };
  }
}

function nameInScope(
  scope: ContentScope,
  index: UriIndex | null,
  list: ContentList,
  server: string,
  own: string,
): string {
  if (list === "prompts") return promptName(scope, server, own);
  if (index === null) return own;
  return list === "resourceTemplates" ? index.templateToClient(server, own) : index.toClient(server, own);
}

/** An entry with the URIs beside its own by which clients know them: of a skill's files, and in `_meta`. */
function mapEntry(entry: Entry, map: (uri: string) => string): Entry {
  const mapped = mapMeta(entry, map);
  const { resources } = entry;
  if (!Array.isArray(resources)) return mapped;
  const files = resources.map((file: unknown) =>
    isPlainObject(file) && typeof file.uri === "string" ? { ...file, uri: map(file.uri) } : file,
  );
  return { ...mapped, resources: files };
}

function promptName(scope: ContentScope, server: string, name: string): string {
  return scope.plainNames ? name : server + TOOL_SEPARATOR + name;
}

const givenKey = ({ actor }: ContentScope, uri: string): string => `${actor.id} ${uri}`;
