import { z } from "zod";
import { ROLES } from "../../lib/contract/access";
import type { AdmissionRules } from "../features/accounts/sign-on-admission";
import { SIGNING_ALGORITHMS } from "../platform/auth/remote-keys";
import type { TrustedIssuer } from "../platform/auth/trusted-issuers";
import type { LoadedConfig } from "../platform/config/config-file";

export interface JwtIssuer {
  issuer: TrustedIssuer;
  admission: AdmissionRules;
}

const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** Whether an address is safe: the program at the address decides who may sign in. */
function isSafeAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOCAL.test(url.hostname));
}

const address = z
  .string()
  .max(500)
  .refine(isSafeAddress, "must be an https address (http for a provider on this machine only)");
const text = z.string().min(1).max(500);

/** An entry of `auth.jwt`. Unknown keys are refused: a mistyped one would let in other users than it says. */
const entrySchema = z
  .strictObject({
    issuer: address,
    audience: z.union([text, z.array(text).min(1).max(20)]).optional(),
    crossAppAccess: z.boolean().default(false),
    jwksUrl: address.optional(),
    algorithms: z.array(z.enum(SIGNING_ALGORITHMS)).min(1).optional(),
    claims: z
      .strictObject({
        user: text.default("sub"),
        email: text.default("email"),
        name: text.default("name"),
        roles: text.optional(),
      })
      .prefault({}),
    roles: z.record(text, z.enum(ROLES)).optional(),
    defaultRole: z.enum([...ROLES, "none"]).default("none"),
    emailDomains: z.array(text).default([]),
    trustEmail: z.boolean().default(false),
  })
  .refine(({ audience, crossAppAccess }) => audience !== undefined || crossAppAccess, {
    path: ["audience"],
    message: "is missing: what a token must be for, such as the address of /mcp",
  })
  .refine(({ claims, roles }) => (claims.roles === undefined) === (roles === undefined), {
    path: ["roles"],
    message: "needs claims.roles, the claim that it maps, and the other way round",
  });

type Entry = z.infer<typeof entrySchema>;

function toJwtIssuer({ issuer, audience, claims, roles, defaultRole, ...entry }: Entry): JwtIssuer {
  return {
    issuer: {
      issuer,
      grants: entry.crossAppAccess,
      audiences: [audience ?? []].flat(),
      jwksUrl: entry.jwksUrl ?? null,
      algorithms: entry.algorithms ?? SIGNING_ALGORITHMS,
      claims: { user: claims.user, email: claims.email, name: claims.name, roles: claims.roles ?? null },
      trustEmail: entry.trustEmail,
    },
    admission: {
      roleOf: roles === undefined ? null : new Map(Object.entries(roles)),
      defaultRole: defaultRole === "none" ? null : defaultRole,
      emailDomains: entry.emailDomains.map((domain) => domain.replace(/^@/, "").toLowerCase()),
    },
  };
}

/** The issuers of `auth.jwt` in the configuration file. What is wrong with an entry is added to the problems of the file. */
export function readJwtIssuers(
  { jwtIssuers, path, problems }: Pick<LoadedConfig, "jwtIssuers" | "path" | "problems">,
  accounts: boolean,
): JwtIssuer[] {
  const report = (error: string): void => void problems.push({ origin: "config", source: path, name: null, error });
  if (jwtIssuers.length > 0 && !accounts) {
    report("auth.jwt: needs accounts: set TOOLROOM_AUTH=on");
    return [];
  }
  const read = new Map<string, JwtIssuer>();
  for (const [index, given] of jwtIssuers.entries()) {
    const parsed = entrySchema.safeParse(given);
    if (!parsed.success) {
      const faults = parsed.error.issues.map(
        (issue) => `${["auth.jwt", index, ...issue.path].join(".")}: ${issue.message}`,
      );
      report(faults.join("; "));
    } else if (read.has(parsed.data.issuer)) {
      report(`auth.jwt.${index}.issuer: ${parsed.data.issuer} is listed twice; list all audiences in one entry`);
    } else read.set(parsed.data.issuer, toJwtIssuer(parsed.data));
  }
  return [...read.values()];
}
