import { z } from "zod";
import { loadProblemSchema } from "./catalog-tool";
import { pauseSchema } from "./pause";

const names = z.array(z.string());

/** How a database on a server is reached. */
const databaseRouteSchema = z.object({
  pooled: z.boolean(),
  direct: z.boolean(),
  sessions: z.boolean(),
});

const diskSchema = z.object({
  freeBytes: z.number().nullable(),
  totalBytes: z.number().nullable(),
  warning: z.string().nullable(),
  refusesCalls: z.boolean(),
});

const copySchema = z.object({
  name: z.string(),
  version: z.string(),
  startedAt: z.number(),
  isDraining: z.boolean(),
});

/** Whether users need accounts, and how they sign in. */
const accountModeSchema = z.object({
  accounts: z.boolean(),
  decidedBy: z.enum(["environment", "setting", "address"]),
  pending: z.boolean().describe("Accounts were switched on and are needed from the next start on"),
  maxTokenDays: z.number().nullable().describe("The greatest age of a new API token in days; null for no limit"),
  clientSignIn: z.boolean().describe("Whether MCP clients may sign in"),
  signOnName: z.string().nullable().describe("The name of the identity provider; null without one"),
  onlySignOn: z.boolean().describe("True when passwords are switched off"),
  signOnRoles: z.boolean().describe("Whether the identity provider gives people their roles"),
});
export type AccountMode = z.infer<typeof accountModeSchema>;

const limitsSchema = z.object({
  timeoutMs: z.number(),
  slowMs: z.number(),
  maxStoredBytes: z.number(),
  maxModelChars: z.number(),
  maxArgumentBytes: z.number(),
  maxArgumentDepth: z.number(),
  maxResponseBytes: z.number(),
  maxResponseCalls: z.number(),
});

/** The facts about this installation for the settings page. */
export const systemInfoSchema = z.object({
  version: z.string(),
  node: z.string(),
  databaseUrl: z.string().describe("Where the database is, without secrets"),
  databaseProduct: z.string().describe("Such as SQLite 3.50.4 (node:sqlite)"),
  databaseRoute: databaseRouteSchema.nullable().describe("Null for a file"),
  databaseProblem: z.string().nullable().describe("Why the database cannot be used, with the way out"),
  paused: pauseSchema.nullable().describe("Why the server does nothing unasked"),
  databaseBytes: z.number().nullable().describe("Null where it cannot be read"),
  disk: diskSchema.nullable().describe("Null where the database is on a server"),
  copies: z
    .object({
      items: z.array(copySchema).describe("The one that answers first"),
      travel: z
        .object({ by: z.enum(["notifications", "polling"]), lagMs: z.number() })
        .describe("How the instances tell each other what happens, and how long it took lately"),
    })
    .nullable()
    .describe("The instances of the server; null where there can be one alone"),
  accountMode: accountModeSchema,
  configPath: z.string(),
  configExists: z.boolean(),
  usingExample: z.boolean().describe("True while no configuration has been written"),
  copyExample: z.string(),
  limits: limitsSchema,
  handlers: z.object({
    builtin: names,
    internal: names,
    modules: z.array(z.object({ path: z.string(), builtins: names, internals: names })),
  }),
  counts: z.object({
    tools: z.number().int(),
    servers: z.number().int(),
    executions: z.number().int(),
    replays: z.number().int(),
    running: z.number().int(),
    rebuilding: z.boolean().describe("True while figures are rebuilt"),
  }),
  problems: z.array(loadProblemSchema).describe("The first of what could not be loaded"),
  problemCount: z.number().int().describe("All that could not be loaded: `GET /system/problems`"),
});
export type SystemInfo = z.infer<typeof systemInfoSchema>;
