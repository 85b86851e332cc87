import { ROLES, type Role } from "../../lib/contract/access";
import type { AdmissionRules } from "../features/accounts/sign-on-admission";
import type { IdentityProviderSettings } from "../platform/auth/identity-provider";
import { decideOauthOrigin } from "./client-sign-in";
import type { Env, OidcVariables } from "./env";

export interface OidcSettings {
  provider: IdentityProviderSettings;
  admission: AdmissionRules;
  /** Whether passwords are switched off. */
  only: boolean;
  /** The origin of the public URL: the provider sends users back to it. */
  origin: string;
}

const DEFAULT_SCOPES = "openid profile email";
const DISCOVERY = "/.well-known/openid-configuration";

const split = (text: string | undefined, by: RegExp | string): string[] =>
  (text ?? "")
    .split(by)
    .map((part) => part.trim())
    .filter((part) => part !== "");

const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text);

/** @throws Error that names the variable and its valid values */
export function readOidcSettings(
  { oidc, publicUrl }: Pick<Env, "oidc" | "publicUrl">,
  accounts: boolean,
): OidcSettings | null {
  const { issuer, clientId, clientSecret = null, ...more } = oidc;
  if (issuer === undefined) {
    const other = Object.values(oidc).some((value) => value !== undefined);
    if (other) throw new Error("TOOLROOM_OIDC_ISSUER is missing: single sign-on needs the address of the provider");
    return null;
  }
  if (clientId === undefined) throw new Error("TOOLROOM_OIDC_CLIENT_ID is missing: the provider issues it");
  const origin = decideOauthOrigin({ oauth: "on", publicUrl }, accounts, "TOOLROOM_OIDC_ISSUER");
  if (origin === null) return null;
  const scopes = split(more.scopes ?? DEFAULT_SCOPES, /[\s,]+/);
  const roleOf = readRoleMap(more, OIDC_VARIABLES);
  return {
    origin,
    only: more.only === "on",
    provider: {
      issuer: readIssuer(issuer),
      clientId,
      clientSecret,
      name: more.name ?? "single sign-on",
      scopes: scopes.includes("openid") ? scopes : ["openid", ...scopes],
      prompt: more.prompt ?? null,
      rolesClaim: more.rolesClaim ?? null,
      trustEmail: more.trustEmail === "on",
    },
    admission: {
      roleOf,
      defaultRole: readDefaultRole(more.defaultRole, "TOOLROOM_OIDC_DEFAULT_ROLE"),
      emailDomains: split(more.emailDomains, ",").map((domain) => domain.replace(/^@/, "").toLowerCase()),
    },
  };
}

function readIssuer(text: string): string {
  const issuer = text.endsWith(DISCOVERY) ? text.slice(0, -DISCOVERY.length) : text;
  const url = URL.parse(issuer);
  const local = url !== null && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && local)) return issuer;
  throw new Error("TOOLROOM_OIDC_ISSUER must be an https address (http for a provider on this machine only)");
}

const OIDC_VARIABLES = {
  claim: "TOOLROOM_OIDC_ROLES_CLAIM, such as 'groups'",
  claimName: "TOOLROOM_OIDC_ROLES_CLAIM",
  roles: "TOOLROOM_OIDC_ROLES",
};

/** @param names of the variables, for messages */
export function readRoleMap(
  { rolesClaim, roles }: Pick<OidcVariables, "rolesClaim" | "roles">,
  names: typeof OIDC_VARIABLES,
): AdmissionRules["roleOf"] {
  if (rolesClaim === undefined && roles === undefined) return null;
  if (rolesClaim === undefined) throw new Error(`${names.roles} needs ${names.claim}`);
  if (roles === undefined) throw new Error(`${names.claimName} needs ${names.roles}, such as 'ops=operator'`);
  const map = new Map<string, Role>();
  for (const entry of split(roles, ",")) {
    const at = entry.lastIndexOf("=");
    const role = entry.slice(at + 1).trim();
    if (at < 1 || !isRole(role)) {
      throw new Error(
        `${names.roles}: '${entry}' must be <value of the claim>=<role>, with one of ${ROLES.join(", ")}`,
      );
    }
    map.set(entry.slice(0, at).trim(), role);
  }
  return map;
}

export function readDefaultRole(text: string | undefined, variable: string): Role | null {
  if (text === undefined || text === "none") return null;
  if (isRole(text)) return text;
  throw new Error(`${variable} must be one of ${ROLES.join(", ")}, or 'none' for invited people only`);
}
