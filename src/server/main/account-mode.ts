import { listensOnLoopback } from "../../lib/http-guard/host-policy";
import { findForwardingSign, findOutsideSetting, type ReceivedRequest } from "../../lib/http-guard/outside-access";
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
export function createOutsideGuard({ accounts, decidedBy, outside }: AccountMode, logger: Logger) {
  let exposure = accounts ? null : outside;
  const warn = (): void =>
    logger.warn({ exposure }, "TOOLROOM_AUTH=off, and others reach this server: each of them may do everything");
  if (exposure !== null) warn();
  else if (decidedBy === "address" && outside !== null)
    logger.info({ outside }, "Accounts are on, since others reach this server");
  return {
    /** Why others may do everything here; null where they cannot. */
    exposure: (): string | null => exposure,
    /** The reason why a request is refused; null for one that may pass. Call it before anything changes the headers. */
    check(request: ReceivedRequest): string | null {
      if (accounts) return null;
      const sign = findForwardingSign(request);
      if (sign === null) return null;
      if (decidedBy !== "environment") return describeRefusal(sign);
      if (exposure === null) {
        exposure = `a proxy passed a request on: ${sign}`;
        warn();
      }
      return null;
    },
  };
}

const describeRefusal = (sign: string): string =>
  `A proxy passed this request on (${sign}), and this server has no accounts: everyone would be its owner. Set TOOLROOM_PUBLIC_URL to the address that users open, or TOOLROOM_AUTH=on, and restart: the log then has a link that creates the first account. TOOLROOM_AUTH=off lets everyone in who reaches the proxy.`;
