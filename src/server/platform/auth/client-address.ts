import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { CLIENT_HEADER, type ProxyUser, writeProxyUser } from "../../../lib/http-guard/request-headers";
import { contains, createRanges } from "../outgoing/address-ranges";

interface ClientAddressSettings {
  /** Addresses and ranges of proxies, comma-separated; null for none. */
  trustedProxies: string | null;
  /** The address at which users reach the server through a proxy; null without one. */
  publicUrl: string | null;
  /** The headers, in lower case, in which trusted proxies name users; null where they name none. */
  proxyUser?: ProxyUserHeaders | null;
}

export interface ProxyUserHeaders {
  user: string;
  /** The header with the user's groups; null without groups. */
  groups: string | null;
}

/**
 * Writes to each request's headers what is known about its client, for every later reader (`clientAddressOf`): the
 * address, and whether the client uses TLS. The client's own statements about them are removed; only a trusted proxy is
 * believed. Call it before a request is passed on.
 * @throws Error for an entry that is neither an address nor a range
 */
export function createClientIdentifier({ trustedProxies, publicUrl, proxyUser = null }: ClientAddressSettings) {
  const entries = (trustedProxies ?? "").split(",").flatMap((entry) => entry.trim() || []);
  const proxies = createRanges(entries);
  const site = publicUrl === null ? null : new URL(publicUrl);

  /** The peer of each connection, shared by its requests: looking an address up in ranges takes a tenth of a short request. */
  const peers = new WeakMap<object, { address: string; isTrusted: boolean }>();

  function getPeer(socket: IncomingMessage["socket"]): { address: string; isTrusted: boolean } {
    const known = peers.get(socket);
    if (known !== undefined) return known;
    const address = readAddress(socket.remoteAddress ?? "") ?? "";
    const peer = { address, isTrusted: contains(proxies, address) };
    peers.set(socket, peer);
    return peer;
  }

  /** The last hop that is not a trusted proxy: what is further left was written by that client. */
  function findClient(peer: string, forwarded: string): string {
    if (forwarded === "") return peer;
    let client = peer;
    const hops = forwarded.split(",");
    while (hops.length > 0 && contains(proxies, client)) {
      const hop = readAddress(hops.pop() ?? "");
      if (hop === null) break;
      client = hop;
    }
    return client;
  }

  return ({ headers, socket }: Pick<IncomingMessage, "headers" | "socket">): void => {
    const peer = getPeer(socket);
    if (proxyUser === null) writeProxyUser(headers, null);
    else {
      writeProxyUser(headers, peer.isTrusted ? readUser(headers, proxyUser) : null);
      delete headers[proxyUser.user];
      if (proxyUser.groups !== null) delete headers[proxyUser.groups];
    }
    const protocol = peer.isTrusted ? lastOf(headers["x-forwarded-proto"]) : "";
    if (peer.isTrusted && site !== null && namesSite(lastOf(headers["x-forwarded-host"]), site)) {
      headers.host = site.host;
    }
    const isSite = site !== null && namesSite(headers.host ?? "", site);
    const secure = protocol === "https" || (!protocol && isSite && site.protocol === "https:");
    headers[CLIENT_HEADER] = findClient(peer.address, single(headers["x-forwarded-for"]));
    // Next builds the address of a request from these.
    headers["x-forwarded-for"] = headers[CLIENT_HEADER];
    headers["x-forwarded-proto"] = secure ? "https" : "http";
    for (const name of ["forwarded", "x-forwarded-host", "x-forwarded-port", "x-real-ip"]) delete headers[name];
  };
}

/** Whether a `Host` is that of the public address, whose usual port proxies may add. */
function namesSite(host: string, { protocol, host: name }: URL): boolean {
  if (host === name || host === "") return host === name;
  const address = `${protocol}//${host}`;
  return URL.canParse(address) && new URL(address).host === name;
}

const lastOf = (value: string | string[] | undefined): string => single(value).split(",").at(-1)?.trim() ?? "";

function readUser(headers: IncomingMessage["headers"], names: ProxyUserHeaders): ProxyUser | null {
  const name = single(headers[names.user]).trim();
  const groups = names.groups === null ? "" : single(headers[names.groups]);
  const listed = groups.split(/[,;|]/).flatMap((group) => group.trim() || []);
  return name === "" ? null : { name, groups: listed };
}

const single = (value: string | string[] | undefined): string => (Array.isArray(value) ? value.join(",") : value) ?? "";

/** `1.2.3.4`, `1.2.3.4:5`, `::1`, `[::1]:5`; an IPv4 address in IPv6 form becomes the plain one. Null for other text. */
function readAddress(text: string): string | null {
  const trimmed = text.trim();
  const bracketed = /^\[([0-9a-f:.]+)\](?::\d+)?$/i.exec(trimmed)?.[1];
  const address = bracketed ?? trimmed.replace(/^([\d.]+):\d+$/, "$1");
  const plain = address.split("%", 1)[0]?.replace(/^::ffff:(?=[\d.]+$)/i, "") ?? "";
  return isIP(plain) === 0 ? null : plain;
}
