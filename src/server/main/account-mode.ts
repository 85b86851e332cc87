import type { IncomingMessage } from "node:http";
import { isLoopbackName, listensOnLoopback, parseHostname } from "../../lib/http-guard/host-policy";
import type { Logger } from "../engine/ports";
import type { Env } from "./env";

export const ACCOUNTS_SETTING = "accounts";

export interface AccountMode {
  accounts: boolean;
  decidedBy: "environment" | "setting" | "address";
  /** The setting by which others reach the server; null where only this machine does. */
  outside: string | null;
}

type ModeSettings = Pick<Env, "auth" | "host" | "publicUrl" | "allowedHosts" | "trustedProxies">;

/** The settings that say whether requests of other machines reach the server. */
interface OutsideSettings {
  /** The address on which the server listens. */
  host: string;
  /** The address at which users reach the server; null without one. */
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
function findOutsideSetting({ host, publicUrl, allowedHosts = "", trustedProxies }: OutsideSettings): string | null {
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
/** The beginnings of further header names. */
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

/** One expression for all of them, since each request is checked. */
const IN_FAMILY = new RegExp(`^(?:${FORWARDING_FAMILIES.join("|")})`);

/** What is known of a request before anything changes it; names of headers in lower case. */
interface ReceivedRequest {
  headers: Record<string, unknown>;
  httpVersion?: string;
}

/**
 * The sign that a proxy passed a request on, in words; null for a request without one. nginx without further settings sends
 * no header of its own, but HTTP/1.0, which programs and browsers left long ago.
 */
function findForwardingSign({ headers, httpVersion }: ReceivedRequest): string | null {
  for (const name of Object.keys(headers)) {
    if (FORWARDING_HEADERS.has(name) || IN_FAMILY.test(name)) return `header ${name}`;
  }
  return httpVersion === "1.0" ? "version HTTP/1.0" : null;
}

/**
 * Accounts are needed wherever others can reach the server.
 * @throws Error where `TOOLROOM_AUTH=off` would leave the server open to others without a proxy that could check them
 */
export function decideAccountMode(settings: ModeSettings, setting: string | null): AccountMode {
  const { auth, host } = settings;
  if (auth === "off" && !listensOnLoopback(host)) {
    throw new Error(
      `TOOLROOM_AUTH=off together with HOST=${host} would let everyone who reaches this machine run its tools: remove TOOLROOM_AUTH, or listen on 127.0.0.1`,
    );
  }
  const outside = findOutsideSetting(settings);
  if (auth !== null) return { accounts: auth === "on", decidedBy: "environment", outside };
  if (setting === "on") return { accounts: true, decidedBy: "setting", outside };
  return { accounts: outside !== null, decidedBy: "address", outside };
}

/** True when only users of this machine use the server, so that private addresses are open to it. */
export function isPersonal({ accounts, outside }: Pick<AccountMode, "accounts" | "outside">): boolean {
  return !accounts && outside === null;
}

/**
 * Keeps requests that a proxy passed on from running as the local owner. While accounts are off by default it refuses them;
 * an explicit `TOOLROOM_AUTH=off` lets them pass, and pages and log warn.
 */
export function createOutsideGuard(
  { accounts, decidedBy, outside }: AccountMode,
  logger: Logger,
  identifyClient: (request: IncomingMessage) => void,
) {
  let exposure = accounts ? null : outside;
  const warn = (): void =>
    logger.warn({ exposure }, "TOOLROOM_AUTH=off, and others reach this server: each of them may do everything");
  if (exposure !== null) warn();
  else if (decidedBy === "address" && outside !== null)
    logger.info({ outside }, "Accounts are on, since others reach this server");

  function check(request: ReceivedRequest): string | null {
    const sign = accounts ? null : findForwardingSign(request);
    if (sign === null) return null;
    if (decidedBy !== "environment") return describeRefusal(sign);
    if (exposure === null) {
      exposure = `a proxy passed a request on: ${sign}`;
      warn();
    }
    return null;
  }

  return {
    /** Why everyone may do everything here; null where that is not so. */
    exposure: (): string | null => exposure,
    /** The reason why a request is refused; null for one that may pass. Call it before anything changes the headers. */
    check,
    /**
     * For server.mjs, before anything else reads a request: writes who the client is into its headers.
     * @returns as `check`
     */
    admit(request: IncomingMessage): string | null {
      const refusal = check(request);
      identifyClient(request);
      return refusal;
    },
  };
}

const describeRefusal = (sign: string): string =>
  `A proxy passed this request on (${sign}), and this server has no accounts: everyone would be its owner. Set TOOLROOM_PUBLIC_URL to the address that users open, or TOOLROOM_AUTH=on, and restart: the log then has a link that creates the first account. TOOLROOM_AUTH=off lets everyone in who reaches the proxy.`;
