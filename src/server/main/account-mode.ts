import { createHostPolicy } from "../../lib/http-guard";
import { isLoopbackName, listensOnLoopback } from "../../lib/http-guard/host-policy";
import type { Env } from "./env";

export const ACCOUNTS_SETTING = "accounts";

export interface AccountMode {
  accounts: boolean;
  decidedBy: "environment" | "setting" | "address";
}

/**
 * Accounts are needed wherever others can reach the server.
 * @throws Error where `TOOLROOM_AUTH=off` would leave the server open to others
 */
export function decideAccountMode({ auth, host }: Pick<Env, "auth" | "host">, setting: string | null): AccountMode {
  const local = listensOnLoopback(host);
  if (auth === "off" && !local) {
    throw new Error(
      `TOOLROOM_AUTH=off together with HOST=${host} would let everyone who reaches this machine run its tools: remove TOOLROOM_AUTH, or listen on 127.0.0.1`,
    );
  }
  if (auth !== null) return { accounts: auth === "on", decidedBy: "environment" };
  if (setting === "on") return { accounts: true, decidedBy: "setting" };
  return { accounts: !local, decidedBy: "address" };
}

/**
 * True when only users of this machine use the server. A proxy of the same host reaches a server on loopback too: accounts,
 * a public address, a further name or a trusted proxy say that others come in through one.
 */
export function isPersonal(
  {
    host,
    publicUrl,
    allowedHosts,
    trustedProxies,
  }: Pick<Env, "host" | "publicUrl" | "allowedHosts" | "trustedProxies">,
  { accounts }: Pick<AccountMode, "accounts">,
): boolean {
  if (accounts || !listensOnLoopback(host) || trustedProxies !== null) return false;
  const isPublic = publicUrl !== null && !isLoopbackName(new URL(publicUrl).hostname.replace(/[[\]]/g, ""));
  return !isPublic && createHostPolicy(host, allowedHosts).publicNames.size === 0;
}
