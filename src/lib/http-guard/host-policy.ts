/** The host names of this server. Any other name may point here through a foreign DNS server (DNS rebinding). */
export interface HostPolicy {
  /** Names from HOST, TOOLROOM_ALLOWED_HOSTS and TOOLROOM_PUBLIC_URL; loopback names need no entry. */
  readonly names: ReadonlySet<string>;
  /** The same without HOST and loopback names: valid origins of pages on any port. */
  readonly publicNames: ReadonlySet<string>;
}

const LOOPBACK_IPV4 = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;
/** Addresses to listen on that are no host names. */
const EVERY_ADDRESS = new Set(["0.0.0.0", "::", "0000:0000:0000:0000:0000:0000:0000:0000"]);

/**
 * The host name of a `Host` header or of an entry in the list, without port, brackets and the root's dot, in lower
 * case; null when the text is not a plain `name`, `name:port`, `[v6]` or `[v6]:port`.
 */
export function parseHostname(authority: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(authority.trim());
  const name = (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, "");
  return name === undefined || name === "" ? null : name;
}

/** Names that no foreign DNS server can point at this machine. */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || LOOPBACK_IPV4.test(name);
}

/** Whether only this machine reaches a server on `host`, the value of `HOST`. */
export function listensOnLoopback(host: string): boolean {
  return isLoopbackName(host.replace(/[[\]]/g, "").toLowerCase());
}

function namesIn(authorities: string[]): string[] {
  return authorities.map(parseHostname).filter((name): name is string => name !== null && !EVERY_ADDRESS.has(name));
}

export interface HostSettings {
  /** Where the server listens. */
  host?: string | undefined;
  /** Further names, comma-separated. */
  allowedHosts?: string | undefined;
  /** Where users reach the server; its name needs no entry in the list. */
  publicUrl?: string | null | undefined;
}

export function createHostPolicy({ host, allowedHosts, publicUrl }: HostSettings = {}): HostPolicy {
  const listening = host?.includes(":") ? `[${host.replace(/[[\]]/g, "")}]` : (host ?? "");
  const listed = namesIn((allowedHosts ?? "").split(","));
  if (publicUrl) listed.push(...namesIn([new URL(publicUrl).host]));
  return {
    names: new Set([...namesIn([listening]), ...listed]),
    publicNames: new Set(listed.filter((name) => !isLoopbackName(name))),
  };
}

export function isAllowedHost(hostHeader: string | null, policy: HostPolicy): boolean {
  const name = hostHeader === null ? null : parseHostname(hostHeader);
  return name !== null && (isLoopbackName(name) || policy.names.has(name));
}
