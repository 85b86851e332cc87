import { ownKeyword } from "../../../lib/schema/resolve-ref";

/** One of a document's servers. */
interface Address {
  text: string;
  /** The parts of its host between variables; null where it is the document's own, or not known. */
  host: string[] | null;
  /** The path without a slash at the end. */
  path: string;
}

/** The parts that can name the servers of an operation. */
interface Owners {
  item: unknown;
  operation: unknown;
}

const VARIABLE = /\{([^{}]*)\}/g;

/** The addresses of a document, path or operation. */
function readAddresses(owner: unknown): Address[] {
  const servers = ownKeyword(owner, "servers");
  if (!Array.isArray(servers)) return [];
  return servers.flatMap((server) => {
    const url = ownKeyword(server, "url");
    return typeof url === "string" ? [readAddress(server, url)] : [];
  });
}

/** Returns the addresses of an operation or its path, before those of the document. */
function ownAddresses({ item, operation }: Owners): Address[] | undefined {
  return [operation, item].map(readAddresses).find(({ length }) => length > 0);
}

function readAddress(server: unknown, url: string): Address {
  const glob = url.replace(VARIABLE, "*");
  const [, named] = /^(?:[^/?#]*:)?\/\/([^/?#]*)/.exec(glob) ?? [];
  // A host of variables alone, such as `{upload-server}`, names no server.
  const host = named !== undefined && /[^*.:]/.test(named) ? named : null;
  const known = fillVariables(server, url, () => "");
  const path = /^(?:(?:[^/?#]*:)?\/\/[^/?#]*)?([^?#]*)/.exec(known)?.[1] ?? "";
  const location = new URL("https://path.invalid");
  location.pathname = path;
  return {
    text: fillVariables(server, url, (whole) => whole),
    host: host === null ? null : toHost(host).split("*"),
    path: location.pathname.replace(/\/+$/, ""),
  };
}

const toHost = (host: string): string => host.toLowerCase().replace(/:(?:80|443)$/, "");

function fillVariables(server: unknown, url: string, otherwise: (variable: string) => string): string {
  return url.replace(VARIABLE, (whole, name) => {
    const value = ownKeyword(ownKeyword(ownKeyword(server, "variables"), name), "default");
    return typeof value === "string" ? value : otherwise(whole);
  });
}

/** The first server's address with the defaults of its variables. */
export function findServerUrl(owner: unknown): string | null {
  return readAddresses(owner)[0]?.text ?? null;
}

/**
 * Where the operations of a document are, for one base URL. Requests go to the base URL's origin alone: a document
 * decides about paths there. A base URL on a host that the document names is that server, and replaces all servers
 * otherwise.
 */
export class ServerChoice {
  /** The path of the base URL, without a slash at the end. */
  readonly path: string;
  readonly #host: string;
  readonly #servers: Address[];
  /** Whether the base URL is a server of the document. */
  readonly #isDocuments: boolean;
  /** Whether the base URL belongs to some operations only. */
  readonly #isOther: boolean;

  /** @param base the configured URL */
  constructor(document: unknown, base: string, operations: readonly Owners[]) {
    const { host, pathname } = new URL(base);
    this.#host = toHost(host);
    this.path = pathname.replace(/\/+$/, "");
    this.#servers = readAddresses(document);
    if (this.#servers.length === 0) this.#servers.push({ text: "/", host: null, path: "" });
    this.#isDocuments = this.#servers.some((server) => this.#isHere(server));
    const isNamed = (server: Address) => server.host !== null && this.#isHere(server);
    this.#isOther = !this.#isDocuments && operations.some((found) => ownAddresses(found)?.some(isNamed));
  }

  place(found: Owners): { path: string } | { refused: string } {
    const addresses = ownAddresses(found);
    const refused = (addresses ?? this.#servers)[0]?.text ?? "/";
    if (addresses === undefined) return this.#isOther ? { refused } : { path: this.path };
    const here = addresses.filter((server) => this.#isHere(server) || (!this.#isOther && this.#isSibling(server)));
    const paths = here.map((server) => this.#toPath(server));
    const [path = this.path] = paths;
    if (paths.length > 0) return { path: paths.includes(this.path) ? this.path : path };
    return this.#isOther || this.#isDocuments ? { refused } : { path };
  }

  #isHere({ host }: Address): boolean {
    return host === null || matchesGlob(host, this.#host);
  }

  /** Whether a server is on the host of the one that the base URL replaces. */
  #isSibling(server: Address): boolean {
    return this.#servers.some((each) => isSameHost(each, server));
  }

  /** The path at the base URL's origin: what stands before the path of the document's server stays. */
  #toPath(server: Address): string {
    const siblings = this.#servers.filter((each) => isSameHost(each, server));
    const [known] = [...siblings, server]
      .filter(({ path }) => this.path.endsWith(path))
      .sort((one, other) => other.path.length - one.path.length);
    if (known !== undefined) return this.path.slice(0, this.path.length - known.path.length) + server.path;
    return siblings.some(({ path }) => path === server.path) ? this.path : server.path;
  }
}

function isSameHost(one: Address, other: Address): boolean {
  return one.host === null || other.host === null
    ? one.host === other.host
    : one.host.join("*") === other.host.join("*");
}

/**
 * Matches without a regular expression, which a pattern could make slow.
 * @param parts the parts of the pattern between `*`
 */
export function matchesGlob(parts: readonly string[], text: string): boolean {
  const [first = "", ...rest] = parts;
  if (rest.length === 0) return text === first;
  const last = rest.pop() ?? "";
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
