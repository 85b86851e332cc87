import { hostname } from "node:os";
import path from "node:path";
import { z } from "zod";
import { readBasePath } from "../../../scripts/base-path.mjs";
import { PLATFORM } from "../../lib/platform";
import { type DatabaseDescription, describeDatabase, isPostgresUrl } from "../platform/db/describe-database";
import { toSystemVariables } from "../platform/shared/system-variables";
import { readTelemetrySettings } from "../platform/telemetry/read-telemetry-settings";
import type { TelemetrySettings } from "../platform/telemetry/telemetry";

const schema = z.object({
  NODE_ENV: z.string().default("development"),
  HOST: z.string().default("127.0.0.1"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  DATABASE_URL: z.string().optional(),
  DATABASE_DIRECT_URL: z.string().optional(),
  TOOLROOM_DATA: z.string().optional(),
  TOOLROOM_CONFIG: z.string().optional(),
  TOOLROOM_HOME: z.string().optional(),
  TOOLROOM_ROOT: z.string().optional(),
  TOOLROOM_ALLOWED_HOSTS: z.string().optional(),
  TOOLROOM_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
  TOOLROOM_SECRET_KEY: z.string().min(16, "must be at least 16 characters").optional(),
  TOOLROOM_AUTH: z.enum(["on", "off"]).optional(),
  TOOLROOM_OAUTH: z.enum(["on", "off"]).optional(),
  TOOLROOM_CLIENT_DOCUMENT: z.enum(["on", "off"]).optional(),
  TOOLROOM_OAUTH_SCHEMES: z.string().optional(),
  TOOLROOM_OIDC_ISSUER: z.string().optional(),
  TOOLROOM_OIDC_CLIENT_ID: z.string().optional(),
  TOOLROOM_OIDC_CLIENT_SECRET: z.string().optional(),
  TOOLROOM_OIDC_NAME: z.string().trim().max(60, "must have at most 60 characters").optional(),
  TOOLROOM_OIDC_SCOPES: z.string().optional(),
  TOOLROOM_OIDC_PROMPT: z.enum(["consent", "login", "select_account"]).optional(),
  TOOLROOM_OIDC_ROLES_CLAIM: z.string().optional(),
  TOOLROOM_OIDC_ROLES: z.string().optional(),
  TOOLROOM_OIDC_DEFAULT_ROLE: z.string().optional(),
  TOOLROOM_OIDC_EMAIL_DOMAINS: z.string().optional(),
  TOOLROOM_OIDC_TRUST_EMAIL: z.enum(["on", "off"]).optional(),
  TOOLROOM_OIDC_ONLY: z.enum(["on", "off"]).optional(),
  TOOLROOM_API_TOKEN: z.string().min(32, "must be at least 32 characters").optional(),
  TOOLROOM_PUBLIC_URL: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).optional(),
  TOOLROOM_COPY_URL: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).optional(),
  TOOLROOM_PRIVATE_ADDRESSES: z.string().optional(),
  TOOLROOM_TRUSTED_PROXIES: z.string().optional(),
  TOOLROOM_PROXY_USER_HEADER: z.string().optional(),
  TOOLROOM_PROXY_ROLES_HEADER: z.string().optional(),
  TOOLROOM_PROXY_ROLES: z.string().optional(),
  TOOLROOM_PROXY_DEFAULT_ROLE: z.string().optional(),
  TOOLROOM_PROXY_EMAIL_DOMAIN: z.string().optional(),
  TOOLROOM_RATE_LIMIT: z
    .union([z.literal("off"), z.coerce.number().int().min(10).max(10_000_000)], {
      error: "must be a number of requests a minute, 10 or more, or 'off'",
    })
    .default(3000),
  TOOLROOM_FAST_PATH: z.enum(["on", "off"]).default("on"),
  TOOLROOM_AGENT_ENDPOINT: z.enum(["on", "off"]).optional(),
  TOOLROOM_CONFORMANCE_SUITE: z.string().optional(),
  TOOLROOM_CONFORMANCE_NODE: z.string().optional(),
  TOOLROOM_CONTAINER: z.enum(["on", "off"]).default("off"),
  TOOLROOM_DRAIN_SECONDS: z.coerce.number().min(0).max(3_600).optional(),
  TOOLROOM_SHUTDOWN_GRACE_MS: z.coerce.number().int().min(0).max(600_000).default(5000),
});

/** The default on PostgreSQL, where other instances of the server take its clients over. */
const DRAIN_SECONDS = 5;

/** The variables of single sign-on, as they were given. */
export interface OidcVariables {
  issuer?: string | undefined;
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  name?: string | undefined;
  scopes?: string | undefined;
  prompt?: string | undefined;
  rolesClaim?: string | undefined;
  roles?: string | undefined;
  defaultRole?: string | undefined;
  emailDomains?: string | undefined;
  trustEmail?: string | undefined;
  only?: string | undefined;
}

/** The variables of users whom a proxy names, as they were given. */
export interface ProxyUserVariables {
  header?: string | undefined;
  rolesHeader?: string | undefined;
  roles?: string | undefined;
  defaultRole?: string | undefined;
  emailDomain?: string | undefined;
}

export interface Env {
  nodeEnv: string;
  /** The product's files, which may be read-only: migrations, workers, the example of the configuration. */
  home: string;
  /** Where the relative paths of a user begin: configuration, database, files and folders of servers. */
  rootDir: string;
  database: DatabaseDescription;
  /** The address on which the server listens. */
  host: string;
  port: number;
  allowedHosts: string | undefined;
  /** The configuration file to read; null for the usual place with the example as a fallback. */
  configPath: string | null;
  logLevel: "trace" | "debug" | "info" | "warn" | "error" | "silent";
  /** Encrypts stored secrets; null for a key file beside the database, which PostgreSQL has none of. */
  secretKey: string | null;
  /** The values of `${VAR}` in the settings of MCP servers. */
  variables: Readonly<Record<string, string | undefined>>;
  /** Whether users need accounts; null for the default, which depends on `host`. */
  auth: "on" | "off" | null;
  /** Whether MCP clients may sign in; null for the default, which depends on accounts and `publicUrl`. */
  oauth: "on" | "off" | null;
  /** Whether authorization servers may fetch a document about Toolroom; null for the default, which depends on `publicUrl`. */
  clientDocument: "on" | "off" | null;
  /** Private-use schemes that MCP clients may receive their sign-in at, beside the known ones, comma-separated; null for none. */
  oauthSchemes: string | null;
  /** Single sign-on; its values are checked by `readOidcSettings`. */
  oidc: OidcVariables;
  /** A token for automation that needs no account; null for none. */
  apiToken: string | null;
  /** The address at which users reach the server behind a proxy; null without one. */
  publicUrl: string | null;
  /** The address at which other instances of the server reach this one. */
  copyUrl: string;
  /** The private addresses that may be connected to; null for the default: see `isPersonal`. */
  privateAddresses: string | null;
  /** Proxies that are trusted about a client, comma-separated; null for none. */
  trustedProxies: string | null;
  proxyUsers: ProxyUserVariables;
  /** Requests a minute of a token or a user; null for no limit. */
  rateLimit: number | null;
  /** False: calls to and from MCP take the SDK's own path. */
  fastPath: boolean;
  /** Whether `/mcp/toolroom` is served; null: as the settings say. */
  agentEndpoint: "on" | "off" | null;
  /** How long the server still takes requests after it was asked to stop, while balancers notice. */
  drainMs: number;
  /** A folder with the official conformance suite; null where Toolroom installs it. */
  conformanceSuite: string | null;
  /** A program of Node for the suite, which needs a newer one than Toolroom; null for the one that runs Toolroom. */
  conformanceNode: string | null;
  /** Whether its paths mean nothing to the programs of its machine. */
  isContainer: boolean;
  /** How long running calls may take to end after the server was asked to stop. */
  shutdownGraceMs: number;
  /** Whether spans and metrics are sent to a collector. */
  telemetry: TelemetrySettings;
  /** The values that prove to the collector who sends. */
  collectorSecrets: readonly string[];
}

/** The only reader of the process's environment. @throws Error that names the variable and what it may be */
export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  // A variable that is set to nothing counts as not set, as shells and container files mean it.
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`Environment variable ${faults.join("; ")}`);
  }
  const env = parsed.data;
  const home = path.resolve(env.TOOLROOM_HOME ?? process.cwd());
  const rootDir = path.resolve(env.TOOLROOM_ROOT ?? home);
  const database = describeDatabase(env.DATABASE_URL, rootDir, env.TOOLROOM_DATA, env.DATABASE_DIRECT_URL);
  if (database.kind === "postgres" && env.TOOLROOM_SECRET_KEY === undefined) {
    throw new Error(
      "Environment variable TOOLROOM_SECRET_KEY: must be set with a PostgreSQL database, which keeps no key file beside it. Make one once and keep it: openssl rand -hex 32",
    );
  }
  return {
    nodeEnv: env.NODE_ENV,
    home,
    rootDir,
    database,
    host: env.HOST,
    port: env.PORT,
    allowedHosts: env.TOOLROOM_ALLOWED_HOSTS,
    configPath: env.TOOLROOM_CONFIG === undefined ? null : path.resolve(rootDir, env.TOOLROOM_CONFIG),
    logLevel: env.TOOLROOM_LOG_LEVEL,
    secretKey: env.TOOLROOM_SECRET_KEY ?? null,
    variables: toSystemVariables(withoutOwnSecrets(source), PLATFORM),
    auth: env.TOOLROOM_AUTH ?? null,
    oauth: env.TOOLROOM_OAUTH ?? null,
    clientDocument: env.TOOLROOM_CLIENT_DOCUMENT ?? null,
    oauthSchemes: env.TOOLROOM_OAUTH_SCHEMES ?? null,
    oidc: {
      issuer: env.TOOLROOM_OIDC_ISSUER,
      clientId: env.TOOLROOM_OIDC_CLIENT_ID,
      clientSecret: env.TOOLROOM_OIDC_CLIENT_SECRET,
      name: env.TOOLROOM_OIDC_NAME,
      scopes: env.TOOLROOM_OIDC_SCOPES,
      prompt: env.TOOLROOM_OIDC_PROMPT,
      rolesClaim: env.TOOLROOM_OIDC_ROLES_CLAIM,
      roles: env.TOOLROOM_OIDC_ROLES,
      defaultRole: env.TOOLROOM_OIDC_DEFAULT_ROLE,
      emailDomains: env.TOOLROOM_OIDC_EMAIL_DOMAINS,
      trustEmail: env.TOOLROOM_OIDC_TRUST_EMAIL,
      only: env.TOOLROOM_OIDC_ONLY,
    },
    apiToken: env.TOOLROOM_API_TOKEN ?? null,
    publicUrl: env.TOOLROOM_PUBLIC_URL === undefined ? null : readPublicUrl(env.TOOLROOM_PUBLIC_URL),
    copyUrl: (env.TOOLROOM_COPY_URL ?? formatCopyUrl(env.HOST, env.PORT)).replace(/\/$/, ""),
    privateAddresses: env.TOOLROOM_PRIVATE_ADDRESSES ?? null,
    trustedProxies: env.TOOLROOM_TRUSTED_PROXIES ?? null,
    proxyUsers: {
      header: env.TOOLROOM_PROXY_USER_HEADER,
      rolesHeader: env.TOOLROOM_PROXY_ROLES_HEADER,
      roles: env.TOOLROOM_PROXY_ROLES,
      defaultRole: env.TOOLROOM_PROXY_DEFAULT_ROLE,
      emailDomain: env.TOOLROOM_PROXY_EMAIL_DOMAIN,
    },
    rateLimit: env.TOOLROOM_RATE_LIMIT === "off" ? null : env.TOOLROOM_RATE_LIMIT,
    fastPath: env.TOOLROOM_FAST_PATH === "on",
    agentEndpoint: env.TOOLROOM_AGENT_ENDPOINT ?? null,
    conformanceSuite: resolveGiven(rootDir, env.TOOLROOM_CONFORMANCE_SUITE),
    conformanceNode: resolveGiven(rootDir, env.TOOLROOM_CONFORMANCE_NODE),
    isContainer: env.TOOLROOM_CONTAINER === "on",
    drainMs: (env.TOOLROOM_DRAIN_SECONDS ?? (database.kind === "postgres" ? DRAIN_SECONDS : 0)) * 1_000,
    shutdownGraceMs: env.TOOLROOM_SHUTDOWN_GRACE_MS,
    telemetry: readTelemetrySettings(source),
    collectorSecrets: COLLECTOR_HEADERS.flatMap((name) => readHeaderValues(source[name])),
  };
}

const resolveGiven = (rootDir: string, text: string | undefined): string | null =>
  text === undefined ? null : path.resolve(rootDir, text);

/** @throws Error for a path that Toolroom cannot be served under @returns without a slash at the end */
function readPublicUrl(text: string): string {
  return new URL(text).origin + readBasePath(text);
}

/** A server that listens everywhere is reached by the name of its machine. */
function formatCopyUrl(host: string, port: number): string {
  const name = ["0.0.0.0", "::"].includes(host) ? hostname() : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

const COLLECTOR_HEADERS = ["", "TRACES_", "METRICS_"].map((signal) => `OTEL_EXPORTER_OTLP_${signal}HEADERS`);

/** Reads the values of `name=value,name=value`, URL-encoded. */
function readHeaderValues(list = ""): string[] {
  return list.split(",").flatMap((pair) => {
    const value = pair.slice(pair.indexOf("=") + 1).trim();
    try {
      return [value, decodeURIComponent(value)];
    } catch {
      return [value];
    }
  });
}

/** Removes the keys of this server itself, which must not be sent to another one. */
function withoutOwnSecrets({
  TOOLROOM_SECRET_KEY: _key,
  TOOLROOM_API_TOKEN: _token,
  TOOLROOM_OIDC_CLIENT_SECRET: _secret,
  DATABASE_DIRECT_URL: _directUrl,
  DATABASE_URL: databaseUrl,
  ...others
}: Env["variables"]) {
  const kept = Object.fromEntries(Object.entries(others).filter(([name]) => !COLLECTOR_HEADERS.includes(name)));
  // A PostgreSQL URL may hold a password.
  return isPostgresUrl(databaseUrl ?? "") ? kept : { ...kept, DATABASE_URL: databaseUrl };
}
