import { isLoopbackName, listensOnLoopback, parseHostname } from "./host-policy";

/** The settings that say whether requests of other machines reach the server. */
export interface OutsideSettings {
  /** Where the server listens. */
  host: string;
  /** Where users reach the server; null without such an address. */
  publicUrl: string | null;
  /** Further host names, comma-separated. */
  allowedHosts: string | undefined;
  /** Addresses of proxies, comma-separated; null for none. */
  trustedProxies: string | null;
}

/**
 * The setting by which others reach the server, as `NAME=value`; null where only this machine does. A proxy on the same
 * machine connects over loopback, so the address to listen on alone says nothing.
 */
export function findOutsideSetting({
  host,
  publicUrl,
  allowedHosts = "",
  trustedProxies,
}: OutsideSettings): string | null {
  if (!listensOnLoopback(host)) return `HOST=${host}`;
  if (publicUrl !== null && !isLoopbackName(new URL(publicUrl).hostname.replace(/[[\]]/g, ""))) {
    return `TOOLROOM_PUBLIC_URL=${publicUrl}`;
  }
  const names = allowedHosts.split(",").filter((entry) => entry.trim() !== "");
  if (names.some((entry) => !isLoopbackName(parseHostname(entry) ?? "")))
    return `TOOLROOM_ALLOWED_HOSTS=${allowedHosts}`;
  return trustedProxies === null || trustedProxies.trim() === "" ? null : `TOOLROOM_TRUSTED_PROXIES=${trustedProxies}`;
}

/** Headers in which proxies, balancers and tunnels name the client, the address it asked for, or themselves. */
export const FORWARDING_HEADERS = new Set([
  "forwarded",
  "via",
  "x-via",
  "cdn-loop",
  "client-ip",
  "x-client-ip",
  "x-clientip",
  "x-client-address",
  "true-client-ip",
  "x-true-client-ip",
  "x-cluster-client-ip",
  "proxy-client-ip",
  "wl-proxy-client-ip",
  "x-remote-ip",
  "x-remote-addr",
  "x-remote-address",
  "remote-addr",
  "x-originating-ip",
  "x-coming-from",
  "x-host",
  "x-scheme",
  "x-url-scheme",
  "front-end-https",
  "x-nginx-proxy",
  "x-varnish",
]);
/** The beginnings of more of them. */
export const FORWARDING_FAMILIES = [
  "x-forwarded",
  "forwarded-",
  "x-real-",
  "x-original-",
  "x-proxy-",
  "x-proxyuser-",
  "x-envoy-",
  "x-azure-",
  "x-arr-",
  "x-appengine-",
  "x-nf-",
  "x-akamai-",
  "akamai-",
  "cf-",
  "fastly-",
  "fly-",
  "tailscale-",
  "ngrok-",
];

/** One expression, since each request is judged. */
const IN_FAMILY = new RegExp(`^(?:${FORWARDING_FAMILIES.join("|")})`);

/** What is known of a request before anything changes it; names of headers in lower case. */
export interface ReceivedRequest {
  headers: Record<string, unknown>;
  httpVersion?: string;
}

/**
 * The sign that a proxy passed a request on, in words; null for a request without one. nginx without further settings sends
 * no header of its own, but HTTP/1.0, which programs and browsers left long ago.
 */
export function findForwardingSign({ headers, httpVersion }: ReceivedRequest): string | null {
  for (const name of Object.keys(headers)) {
    if (FORWARDING_HEADERS.has(name) || IN_FAMILY.test(name)) return `header ${name}`;
  }
  return httpVersion === "1.0" ? "version HTTP/1.0" : null;
}
