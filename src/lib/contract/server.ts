import { z } from "zod";
import { apiDocumentSchema, operationFilterSchema } from "./api-document";
import { approvalPolicySchema } from "./approval";
import { connectionStateSchema } from "./connection-state";
import { credentialModeSchema, credentialSettingSchema } from "./credential";
import { changedToolsSchema } from "./held-change";
import { lastEditSchema } from "./last-edit";
import { samplingSettingSchema } from "./sampling";
import { SIGNING_ALGORITHMS } from "./signing-algorithms";
import { MAX_SENSITIVE_PATHS, SENSITIVE_PATH_PATTERN, SENSITIVE_PATH_RULE } from "./tool-definition";

export * from "./connection-state";

/**
 * A server's name is the prefix of its tools: `files` gives `files__read_file`, and the first `__` splits. Therefore a
 * name contains no `__` and does not end in `_`.
 */
export const SERVER_NAME_PATTERN = /^(?!.*__)[A-Za-z0-9_-]{0,63}[A-Za-z0-9-]$/;
export const SERVER_NAME_RULE = "1–64 letters, digits, '_' or '-', without '__' and not ending in '_'";
/** `/servers/new` is the address of the form. */
export const RESERVED_SERVER_NAMES: readonly string[] = ["new"];
const milliseconds = (least: number, most: number) => {
  const message = `must be an integer number of milliseconds from ${least} to ${most}`;
  return z.number(message).int(message).min(least, message).max(most, message);
};
/** Messages for the form, since zod's own name types. */
const needed = (most: number, what: string) =>
  z.string(`is required: ${what}`).min(1, `is required: ${what}`).max(most, `must be at most ${most} characters`);

/**
 * A setting that may be secret: an environment value or a header. In requests, `value` sets it and `null` keeps the stored
 * one. In responses, `value` is null if it is stored encrypted; only text that consists of `${VARIABLE}` references is
 * returned, since it holds no secret.
 */
export const secretSettingSchema = z.object({
  name: z.string("is required").min(1, "is required").max(256, "must be at most 256 characters"),
  value: z.string().max(65_536).nullable(),
});
export type SecretSetting = z.infer<typeof secretSettingSchema>;

const secret = z.string().max(65_536).nullable();

/** The name that an authorization server has in its metadata, accepted although it is not that of its address. */
const acceptedIssuer = z.string().max(2048, "must be at most 2048 characters").optional();

/** Authentication at an HTTP server. Static headers are in `headers`. */
export const serverAuthSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("none") }),
  /** Authorization code with PKCE, by the user of the console. Without a client id the client registers itself. */
  z.object({
    type: z.literal("oauth"),
    clientId: z.string().max(2048).optional(),
    clientSecret: secret.optional(),
    scope: z.string().max(2048).optional(),
    acceptedIssuer,
  }),
  z.object({
    type: z.literal("client_credentials"),
    clientId: needed(2048, "the id that the authorization server knows us by"),
    clientSecret: secret,
    scope: z.string().max(2048).optional(),
    acceptedIssuer,
    /** The token address of an OpenAPI server; an MCP server names its own. */
    tokenUrl: z.string().max(8192).optional(),
  }),
  /** Client credentials, proved by a JWT that is signed with our private key (RFC 7523). */
  z.object({
    type: z.literal("private_key_jwt"),
    clientId: needed(2048, "the id that the authorization server knows us by"),
    /** The key as PEM text. */
    privateKey: secret,
    algorithm: z.enum(SIGNING_ALGORITHMS, `must be one of ${SIGNING_ALGORITHMS.join(", ")}`).default("RS256"),
    scope: z.string().max(2048).optional(),
    acceptedIssuer,
  }),
  /** The JWT that a platform gives the process of Toolroom, such as a Kubernetes token, is the grant (RFC 7523). */
  z.object({
    type: z.literal("workload_identity"),
    tokenFrom: z.enum(["file", "variable"], "must be file or variable").default("file"),
    /** An absolute path, read for each token request, since the platform replaces the file. */
    tokenFile: z.string().max(4096, "must be at most 4096 characters").optional(),
    /** The name of the environment variable that holds the JWT. */
    tokenVariable: z.string().max(256, "must be at most 256 characters").optional(),
    /** For authorization servers that want one beside the JWT. */
    clientId: z.string().max(2048, "must be at most 2048 characters").optional(),
    scope: z.string().max(2048).optional(),
    acceptedIssuer,
  }),
  /** The identity provider of single sign-on lets each user in without a page (ID-JAG). With personal credentials. */
  z.object({
    type: z.literal("cross_app_access"),
    clientId: needed(2048, "the id that the server's authorization server knows us by"),
    clientSecret: secret.optional(),
    scope: z.string().max(2048).optional(),
    acceptedIssuer,
  }),
  /** Each user's own token of an issuer is exchanged for one of the server (RFC 8693). With personal credentials. */
  z.object({
    type: z.literal("token_exchange"),
    issuer: needed(2048, "the issuer of the users' tokens"),
    tokenUrl: needed(8192, "the address that exchanges tokens"),
    clientId: needed(2048, "the id that the token URL knows us by"),
    clientSecret: secret.optional(),
    audience: z.string().max(2048, "must be at most 2048 characters").optional(),
    resource: z.string().max(2048, "must be at most 2048 characters").optional(),
    scope: z.string().max(2048).optional(),
  }),
]);
export type ServerAuth = z.infer<typeof serverAuthSchema>;
const SERVER_AUTH_TYPES = [
  "none",
  "oauth",
  "client_credentials",
  "private_key_jwt",
  "workload_identity",
  "cross_app_access",
  "token_exchange",
] as const satisfies ServerAuth["type"][];

/**
 * The tools of a server that are offered, by the server's names for them: only these, or all except these. It can be set
 * before the first connection.
 */
export const toolFilterSchema = z.object({
  mode: z.enum(["only", "except"]),
  names: z
    .array(z.string().min(1, "must not be empty").max(256, "must be at most 256 characters"))
    .max(2000, "must be at most 2000 names"),
});
export type ToolFilter = z.infer<typeof toolFilterSchema>;

/** Values that are stored masked, beside those that schemas mark. */
export const sensitiveSettingSchema = z.object({
  /** The server's name of the tool; default: all of its tools. */
  tool: z.string().min(1, "must not be empty").max(256, "must be at most 256 characters").optional(),
  in: z.enum(["arguments", "results"]),
  path: z.string().max(500, "must be at most 500 characters").regex(SENSITIVE_PATH_PATTERN, SENSITIVE_PATH_RULE),
});
export type SensitiveSetting = z.infer<typeof sensitiveSettingSchema>;

/** A folder that Toolroom may name to the server. */
export const serverRootSchema = z.object({
  uri: z.string().regex(/^file:\/\//, "must begin with file://"),
  name: z.string().optional(),
});

const common = {
  name: z
    .string("is required: the prefix of its tools")
    .regex(SERVER_NAME_PATTERN, `must be ${SERVER_NAME_RULE}`)
    .refine((name) => !RESERVED_SERVER_NAMES.includes(name), "is reserved. Choose another name"),
  title: z.string().max(200, "must be at most 200 characters").optional(),
  /** `auto` asks for the stateless protocol first and falls back; `legacy` starts with `initialize`. */
  protocol: z.enum(["auto", "legacy", "stateless"]).default("auto"),
  /** Milliseconds a call may take; default: the global limit. */
  timeoutMs: milliseconds(1, 86_400_000).optional(),
  /** Each progress notification restarts the limit, up to this many milliseconds in total. */
  maxTotalTimeoutMs: milliseconds(1, 86_400_000).optional(),
  connectTimeoutMs: milliseconds(100, 600_000).optional(),
  roots: z.array(serverRootSchema).max(50).default([]),
  /** Default: the global policy. */
  approval: approvalPolicySchema.optional(),
  /** Default: all tools. */
  toolFilter: toolFilterSchema.optional(),
  /** Default: `off`. */
  changedTools: changedToolsSchema.optional(),
  /** Default: `ask`. */
  sampling: samplingSettingSchema.optional(),
  /** True when users of the console answer requests that the client of a call cannot. Default: false. */
  askPeople: z.boolean("must be true or false").optional(),
  /** How long clients of the stateless protocol may keep its lists, in milliseconds. Default: a minute. */
  listTtlMs: milliseconds(0, 86_400_000).optional(),
  sensitive: z.array(sensitiveSettingSchema).max(MAX_SENSITIVE_PATHS, "must be at most 200 paths").optional(),
  /** Default: `shared`. */
  credentials: credentialSettingSchema.optional(),
};
const remote = {
  ...common,
  url: needed(8192, "the address of the server, such as https://example.com/mcp"),
  headers: z.array(secretSettingSchema).max(100).default([]),
  auth: serverAuthSchema.default({ type: "none" }),
};

/**
 * How one server is reached. `${VAR}` and `${VAR:-default}` in command, arguments, environment, URL and headers are
 * expanded from the server's own environment when it connects.
 */
export const serverSettingsSchema = z.discriminatedUnion("transport", [
  z.object({
    ...common,
    transport: z.literal("stdio"),
    command: needed(4096, "the program to start"),
    args: z.array(z.string().max(65_536)).max(500).default([]),
    env: z.array(secretSettingSchema).max(500).default([]),
    /** Absent: a separate folder beside the database. */
    cwd: z.string().max(4096).optional(),
    /** True where several instances of Toolroom share one process. Default: false. */
    single: z.boolean("must be true or false").optional(),
  }),
  z.object({ ...remote, transport: z.literal("http") }),
  z.object({ ...remote, transport: z.literal("sse") }),
  /** An HTTP API, described by an OpenAPI document. `url` is its base URL: a document never decides where credentials go. */
  z.object({
    ...remote,
    transport: z.literal("openapi"),
    url: needed(8192, "the base URL of the API, such as https://api.example.com/v1"),
    document: apiDocumentSchema,
    query: z.array(secretSettingSchema).max(100).default([]),
    /** Default: all operations. */
    operations: operationFilterSchema.optional(),
    /** Default: true. False leaves out what results look like, which some clients take seconds to compile. */
    outputSchemas: z.boolean("must be true or false").optional(),
  }),
]);
export type ServerSettings = z.infer<typeof serverSettingsSchema>;
/** The settings before defaults are filled in. */
export type ServerSettingsInput = z.input<typeof serverSettingsSchema>;
const SERVER_TRANSPORTS = ["stdio", "http", "sse", "openapi"] as const satisfies ServerSettings["transport"][];
export type ServerTransport = ServerSettings["transport"];

export const serverLogLineSchema = z.object({
  seq: z.number().int().describe("Counts up in one server's log"),
  at: z.number(),
  stream: z
    .enum(["stderr", "stdout", "notification", "toolroom"])
    .describe("`stdout`: output that is no protocol message; `toolroom`: events of the connection itself"),
  level: z.enum(["debug", "info", "warn", "error"]),
  text: z.string(),
});
export type ServerLogLine = z.infer<typeof serverLogLineSchema>;

export const protocolMessageSchema = z.object({
  seq: z.number().int(),
  at: z.number(),
  direction: z.enum(["sent", "received"]),
  kind: z.enum(["request", "response", "error", "notification"]),
  method: z.string().nullable().describe("The method of a response's request, if known"),
  id: z.string().nullable(),
  text: z.string().describe("JSON text; only the start of a long one"),
  bytes: z.number().int(),
});
export type ProtocolMessage = z.infer<typeof protocolMessageSchema>;

export const serverSummarySchema = z.object({
  name: z.string(),
  title: z.string().nullable(),
  origin: z.enum(["console", "config"]),
  transport: z.enum(SERVER_TRANSPORTS),
  /** The configured command line or address; `${VAR}` is not expanded. */
  target: z.string(),
  enabled: z.boolean(),
  state: connectionStateSchema,
  /** Changes with the icons that the server gives itself; absent where it has none or is not connected. */
  icon: z.string().optional(),
  toolCount: z.number().int(),
  /** Tools that cannot be called. */
  problemCount: z.number().int(),
  /** Changed tools and skills that wait for approval. */
  heldCount: z.number().int(),
  /** The skills among them. */
  heldSkillCount: z.number().int(),
  /** Breaking changes of its tools that are in use, and that no user has accepted. */
  appliedCount: z.number().int(),
  lastChange: z.object({ at: z.number(), breaking: z.number().int(), other: z.number().int() }).nullable(),
  auth: z.enum(SERVER_AUTH_TYPES),
  credentials: credentialModeSchema,
  /** Absent for servers of the configuration. */
  lastEdit: lastEditSchema.optional(),
});
export type ServerSummary = z.infer<typeof serverSummarySchema>;

export const serverDetailSchema = serverSummarySchema.extend({
  /** Secret values are null: see `secretSettingSchema`. */
  settings: serverSettingsSchema,
  /** False for servers of the configuration file. */
  editable: z.boolean(),
  /** The file in which a `config` server is defined. */
  originPath: z.string().nullable(),
  /** Entries of its list, including tools that cannot be called. */
  listedCount: z.number().int(),
  /** How often its tools changed. */
  changeCount: z.number().int(),
  /** When the tools were last read; null before the first time. */
  listedAt: z.number().nullable(),
  signedIn: z.boolean(),
});
export type ServerDetail = z.infer<typeof serverDetailSchema>;
