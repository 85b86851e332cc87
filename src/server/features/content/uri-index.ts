import { matchesTemplate } from "../../../lib/uri-template";
import { isMappedForm, mapUri, unmapUri } from "../../platform/shared/mapped-uris";

/** The URIs of one server, for the addresses that serve it. */
export interface OfferedUris {
  server: string;
  uris: Iterable<string>;
  templates: readonly string[];
  /** The folders of its skills, whose files need not be listed. */
  skillRoots: readonly string[];
}

export type ResolvedUri = { server: string; uri: string } | { ambiguous: readonly string[] } | null;

/**
 * Which server a URI means at an address with several. URIs that tools name for their user interface come first, then
 * listed ones and files of skills, templates, and what a server gave in a result: the first of these that knows a URI decides.
 */
export class UriIndex {
  readonly #listed = new Map<string, string[]>();
  readonly #skillRoots = new Map<string, string[]>();

  constructor(
    private readonly offers: readonly OfferedUris[],
    private readonly uiOwners: (uri: string) => readonly string[],
    private readonly given: (uri: string) => string | undefined,
  ) {
    for (const { server, uris, skillRoots } of offers) {
      for (const root of skillRoots) this.#skillRoots.set(root, [...(this.#skillRoots.get(root) ?? []), server]);
      for (const uri of uris) this.#listed.set(uri, [...(this.#listed.get(uri) ?? []), server]);
    }
  }

  /** The URI by which clients know a server's `uri`. */
  toClient(server: string, uri: string): string {
    if (isMappedForm(uri)) return mapUri(server, uri);
    const owners = this.#owners(uri);
    return owners.length === 0 || (owners.length === 1 && owners[0] === server) ? uri : mapUri(server, uri);
  }

  /** Maps a template for clients. Only an equal template of another server competes with it. */
  templateToClient(server: string, template: string): string {
    const shared = this.offers.some((offer) => offer.server !== server && offer.templates.includes(template));
    return shared || isMappedForm(template) ? mapUri(server, template) : template;
  }

  fromClient(uri: string): ResolvedUri {
    const mapped = unmapUri(uri);
    if (mapped !== null) return this.offers.some(({ server }) => server === mapped.server) ? mapped : null;
    const owners = this.#owners(uri);
    if (owners.length > 1) return { ambiguous: owners.map((server) => mapUri(server, uri)) };
    const [server] = owners;
    return server === undefined ? null : { server, uri };
  }

  /** Maps a client's template back. */
  templateFromClient(template: string): ResolvedUri {
    const mapped = unmapUri(template);
    if (mapped !== null) return this.offers.some(({ server }) => server === mapped.server) ? mapped : null;
    const owners = this.offers.filter(({ templates }) => templates.includes(template)).map(({ server }) => server);
    const [server] = owners;
    if (server === undefined) return this.fromClient(template);
    if (owners.length > 1) return { ambiguous: owners.map((each) => mapUri(each, template)) };
    return { server, uri: template };
  }

  /** The servers with a skill in whose folder a URI is. */
  #findSkillOwners(uri: string): string[] {
    if (this.#skillRoots.size === 0) return [];
    const owners: string[] = [];
    for (let end = uri.lastIndexOf("/"); end > 0; end = uri.lastIndexOf("/", end - 1)) {
      owners.push(...(this.#skillRoots.get(uri.slice(0, end)) ?? []));
    }
    return owners;
  }

  #owners(uri: string): readonly string[] {
    const named = this.uiOwners(uri);
    if (named.length > 0) return named;
    const listed = [...new Set([...this.#findSkillOwners(uri), ...(this.#listed.get(uri) ?? [])])];
    if (listed.length > 0) return listed;
    const matching = this.offers
      .filter(({ templates }) => templates.some((template) => matchesTemplate(template, uri)))
      .map(({ server }) => server);
    if (matching.length > 0) return matching;
    const giver = this.given(uri);
    return giver === undefined ? [] : [giver];
  }
}
