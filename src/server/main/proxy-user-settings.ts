import type { AdmissionRules } from "../features/accounts/sign-on-admission";
import type { ProxyUserHeaders } from "../platform/auth/client-address";
import type { Env } from "./env";
import { readDefaultRole, readRoleMap } from "./oidc-settings";

export interface ProxyUserSettings {
  headers: ProxyUserHeaders;
  admission: AdmissionRules;
  emailDomain: string | null;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Headers with another meaning, or that every client sends. */
const TAKEN =
  /^(?:host|cookie|authorization|accept|origin|referer|user-agent|content-.*|sec-.*|mcp-.*|x-toolroom-.*|x-forwarded-(?:for|proto|host|port)|x-real-ip|forwarded)$/;

/** Null where proxies name no users. @throws Error that names the variable and what it needs */
export function readProxyUserSettings({
  proxyUsers: { header, rolesHeader, roles, defaultRole, emailDomain },
  trustedProxies,
  auth,
}: Pick<Env, "proxyUsers" | "trustedProxies" | "auth">): ProxyUserSettings | null {
  if (header === undefined) {
    if ([rolesHeader, roles, defaultRole, emailDomain].every((value) => value === undefined)) return null;
    throw new Error("TOOLROOM_PROXY_USER_HEADER is missing: the header in which the proxy names users");
  }
  if ((trustedProxies ?? "").trim() === "") {
    throw new Error("TOOLROOM_PROXY_USER_HEADER needs TOOLROOM_TRUSTED_PROXIES: only these addresses may name users");
  }
  if (auth === "off") throw new Error("TOOLROOM_PROXY_USER_HEADER needs accounts: remove TOOLROOM_AUTH=off");
  const domain = emailDomain?.trim().replace(/^@/, "").toLowerCase();
  if (domain !== undefined && !/^[a-z0-9.-]+$/.test(domain)) {
    throw new Error("TOOLROOM_PROXY_EMAIL_DOMAIN must be a domain, such as example.org");
  }
  return {
    headers: {
      user: readName("TOOLROOM_PROXY_USER_HEADER", header),
      groups: rolesHeader === undefined ? null : readName("TOOLROOM_PROXY_ROLES_HEADER", rolesHeader),
    },
    emailDomain: domain ?? null,
    admission: {
      roleOf: readRoleMap({ rolesClaim: rolesHeader, roles }, PROXY_VARIABLES),
      defaultRole: readDefaultRole(defaultRole, "TOOLROOM_PROXY_DEFAULT_ROLE"),
      emailDomains: [],
      linksByAddress: true,
    },
  };
}

const PROXY_VARIABLES = {
  claim: "TOOLROOM_PROXY_ROLES_HEADER, such as 'X-Forwarded-Groups'",
  claimName: "TOOLROOM_PROXY_ROLES_HEADER",
  roles: "TOOLROOM_PROXY_ROLES",
};

function readName(variable: string, text: string): string {
  const name = text.trim().toLowerCase();
  if (NAME.test(name) && !TAKEN.test(name)) return name;
  throw new Error(
    `${variable}: '${text}' must be the name of a header that only the proxy sends, such as X-Forwarded-User`,
  );
}
