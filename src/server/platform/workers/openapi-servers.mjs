// Plain JavaScript: a worker thread loads this file directly.
import { own } from "./openapi-schema.mjs";

/** @typedef {Record<string, unknown>} Json */
/** One of a document's servers: its host between variables (null: the document's own host), and its path without a slash at the end.
 * @typedef {{ text: string, host: string[] | null, path: string }} Address */

const VARIABLE = /\{([^{}]*)\}/g;

/** The addresses of a document, path or operation. @param {unknown} owner @returns {Address[]} */
function readAddresses(owner) {
  const servers = own(owner, "servers");
  if (!Array.isArray(servers)) return [];
  return servers.flatMap((server) => {
    const url = own(server, "url");
    return typeof url === "string" ? [readAddress(server, url)] : [];
  });
}

/** Returns the addresses of an operation or its path, before those of the document. @param {import("../../openapi/openapi-tools.mjs").Found} found */
function ownAddresses({ item, operation }) {
  return [operation, item].map(readAddresses).find(({ length }) => length > 0);
}

/** @param {unknown} server @param {string} url @returns {Address} */
function readAddress(server, url) {
  const glob = url.replace(VARIABLE, "*");
  const [, named] = /^(?:[^/?#]*:)?\/\/([^/?#]*)/.exec(glob) ?? [];
  const host = named ?? (glob.startsWith("*") ? "*" : null);
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

/** @param {string} host */
function toHost(host) {
  return host.toLowerCase().replace(/:(?:80|443)$/, "");
}

/** @param {unknown} server @param {string} url @param {(variable: string) => string} otherwise */
function fillVariables(server, url, otherwise) {
  return url.replace(VARIABLE, (whole, name) => {
    const value = own(own(own(server, "variables"), name), "default");
    return typeof value === "string" ? value : otherwise(whole);
  });
}

/** The first server's address with the defaults of its variables. @param {unknown} owner @returns {string | null} */
export function findServerUrl(owner) {
  return readAddresses(owner)[0]?.text ?? null;
}

/**
 * Where the operations of a document are, for one base URL. Requests go to the base URL's origin alone: a document decides
 * about paths there. A base URL on a host that the document names is that server, and stands for all servers otherwise.
 */
export class ServerChoice {
  /** @param {Json} document @param {string} base the configured URL @param {import("../../openapi/openapi-tools.mjs").Found[]} operations */
  constructor(document, base, operations) {
    const { host, pathname } = new URL(base);
    this.host = toHost(host);
    this.path = pathname.replace(/\/+$/, "");
    this.servers = readAddresses(document);
    if (this.servers.length === 0) this.servers.push({ text: "/", host: null, path: "" });
    this.isDocuments = this.servers.some((server) => this.#isHere(server));
    const isNamed = (/** @type {Address} */ server) => server.host !== null && this.#isHere(server);
    /** The base URL is that of some operations alone. */
    this.isOther = !this.isDocuments && operations.some((found) => ownAddresses(found)?.some(isNamed));
  }

  /** @param {import("../../openapi/openapi-tools.mjs").Found} found @returns {{ path: string } | { refused: string }} */
  place(found) {
    const addresses = ownAddresses(found);
    const refused = (addresses ?? this.servers)[0]?.text ?? "/";
    if (addresses === undefined) return this.isOther ? { refused } : { path: this.path };
    const here = addresses.filter((server) => this.#isHere(server) || (!this.isOther && this.#isSibling(server)));
    const paths = here.map((server) => this.#toPath(server));
    const [path = this.path] = paths;
    if (paths.length > 0) return { path: paths.includes(this.path) ? this.path : path };
    return this.isOther || this.isDocuments ? { refused } : { path };
  }

  /** @param {Address} server */
  #isHere({ host }) {
    return host === null || matchesGlob(host, this.host);
  }

  /** On the host of one of the document's servers, for which the base URL stands. @param {Address} server */
  #isSibling(server) {
    return this.servers.some((each) => isSameHost(each, server));
  }

  /** The path at the base URL's origin: what stands before the path of the document's server stays. @param {Address} server */
  #toPath(server) {
    const siblings = this.servers.filter((each) => isSameHost(each, server));
    const [known] = [...siblings, server]
      .filter(({ path }) => this.path.endsWith(path))
      .sort((one, other) => other.path.length - one.path.length);
    if (known !== undefined) return this.path.slice(0, this.path.length - known.path.length) + server.path;
    return siblings.some(({ path }) => path === server.path) ? this.path : server.path;
  }
}

/** @param {Address} one @param {Address} other */
function isSameHost(one, other) {
  return one.host === null || other.host === null
    ? one.host === other.host
    : one.host.join("*") === other.host.join("*");
}

/** Not by a regular expression, which a pattern could make slow. @param {string[]} parts between `*` @param {string} text */
export function matchesGlob(parts, text) {
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
