import { z } from "zod";
import { PERMISSIONS } from "./access";
import { type ApprovalMode, type ApprovalPolicy, approvalModeSchema, approvalPolicySchema } from "./approval";
import type { CallRuleInput } from "./call-rule";
import { MAX_LENS_CHARS } from "./lens";
import { type SkillFileInput, skillFilesInputSchema } from "./own-skill";
import { problemSchema } from "./problem-schema";
import type { RuleCaseInput } from "./rule-case";
import type { ServerSettings } from "./server";
import type { ToolDefinition } from "./tool-definition";
import type { ToolsetInput } from "./toolset";

/** The only version of the file's format so far. */
export const CATALOG_FILE_VERSION = 1;
export const MAX_CATALOG_FILE_BYTES = 10_485_760;
export const MAX_FILE_TOOLS = 2000;
export const MAX_FILE_SERVERS = 200;
export const MAX_FILE_TOOLSETS = 200;
export const MAX_FILE_SKILLS = 200;
export const MAX_FILE_RULES = 500;
export const MAX_FILE_RULE_CASES = 500;
/** Earlier versions of one tool. */
export const MAX_TOOL_VERSIONS = 20;
/** Earlier versions of all tools: each is compared with the one before within the import's transaction. */
export const MAX_FILE_VERSIONS = 2000;
/** Lenses of all servers: they are written in the import's transaction. */
export const MAX_FILE_LENSES = 10_000;

export interface EarlierVersion {
  definition: ToolDefinition;
  /** The time of creation in epoch milliseconds. */
  at: number;
}

export interface CatalogFile {
  toolroom: typeof CATALOG_FILE_VERSION;
  /** ISO 8601; present only on request. */
  exportedAt?: string;
  tools: {
    definition: ToolDefinition;
    enabled: boolean;
    approval: ApprovalMode | null;
    /** The expression; absent: none, and an import leaves the lens of a known tool as it is. */
    lens?: string;
    /** Earlier versions, oldest first. */
    versions?: EarlierVersion[];
  }[];
  servers: {
    name: string;
    enabled: boolean;
    approval: ApprovalPolicy | null;
    /** Secret values are null. */
    settings: PortableSettings;
    /** By the tool's name at the server. */
    lenses?: Record<string, string>;
  }[];
  toolsets?: ToolsetInput[];
  /** Skills of the team: the current version of each. */
  skills?: { name: string; files: SkillFileInput[] }[];
  /** Rules for calls, in their order. */
  rules?: CallRuleInput[];
  /** Calls, and what the rules must do with them, by name. */
  ruleCases?: RuleCaseInput[];
}

/** Settings without what stands beside them in the file, and without `sampling`: a file must not decide who pays. */
export type PortableSettings = ServerSettings extends infer Settings
  ? Settings extends ServerSettings
    ? Omit<Settings, "name" | "approval" | "sampling">
    : never
  : never;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const objectSchema = z.custom<Record<string, unknown>>(isObject, "must be an object");

const lensSchema = z.string().trim().min(1, "must not be empty").max(MAX_LENS_CHARS);

/** An entry's own fields; definition and settings are checked where they are used. */
export const fileToolSchema = z.strictObject({
  definition: objectSchema,
  enabled: z.boolean("must be true or false").default(true),
  approval: approvalModeSchema.nullable().default(null),
  lens: lensSchema.optional(),
  versions: z
    .array(z.strictObject({ definition: objectSchema, at: z.number().int().min(0) }))
    .max(MAX_TOOL_VERSIONS, `must be at most ${MAX_TOOL_VERSIONS} versions`)
    .default([]),
});
export const fileServerSchema = z.strictObject({
  name: z.string("is required"),
  enabled: z.boolean("must be true or false").default(true),
  approval: approvalPolicySchema.nullable().default(null),
  settings: objectSchema,
  lenses: z.record(z.string().max(200), lensSchema).default({}),
});

export const fileSkillSchema = z.strictObject({ name: z.string("is required"), files: skillFilesInputSchema });

export const EXPORT_FORMATS = ["catalogue", "mcp"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const exportedFileSchema = z.object({
  fileName: z.string(),
  text: z.string(),
  tools: z.number().int(),
  servers: z.number().int(),
  toolsets: z.number().int(),
  skills: z.number().int(),
  rules: z.number().int(),
  ruleCases: z.number().int(),
  /** Notes about replaced or omitted parts. */
  notes: z.array(z.string()),
});
export type ExportedFile = z.infer<typeof exportedFileSchema>;

const exportableSchema = z.object({ name: z.string(), enabled: z.boolean() });

/** The parts that an export can hold, by name. */
export const exportChoicesSchema = z.object({
  tools: z.array(exportableSchema.extend({ tags: z.array(z.string()) })),
  servers: z.array(exportableSchema),
  toolsets: z.array(z.object({ name: z.string() })),
  skills: z.array(z.object({ name: z.string() })),
  rules: z.array(z.object({ name: z.string() })),
});
export type ExportChoices = z.infer<typeof exportChoicesSchema>;

/**
 * - `add`: the name is free
 * - `change`: something of the console has the name, and differs
 * - `same`: nothing would change
 * - `conflict`: something that cannot be changed here has the name
 * - `invalid`: it cannot be imported as it is
 */
const importStatusSchema = z.enum(["add", "change", "same", "conflict", "invalid"]);
export type ImportStatus = z.infer<typeof importStatusSchema>;

export const CATALOG_KINDS = ["tool", "server", "toolset", "skill", "rule", "case"] as const;
export type CatalogKind = (typeof CATALOG_KINDS)[number];

/** One tool, server, toolset, skill, rule or case of a file, compared with the catalog. */
export const importEntrySchema = z.object({
  kind: z.enum(CATALOG_KINDS),
  /** Index in its section of the file. */
  position: z.number().int(),
  name: z.string(),
  status: importStatusSchema,
  /** The problems to correct, by path within the entry. */
  problems: z.array(problemSchema),
  /** Notes for the user before the import. */
  notes: z.array(z.string()),
  /** The owner of the name; null unless it is a conflict. */
  conflict: z.string().nullable(),
  /** The changes, one sentence each. */
  details: z.array(z.string()),
  /** Whether the change may break calls. */
  breaking: z.boolean(),
  /** A server's command line or address, without secrets. */
  target: z.string().nullable(),
  /** A server's values to enter after the import, such as `env.API_KEY`. */
  secrets: z.array(z.string()),
  /** Why this user may not import it; null where they may. */
  denied: z.string().nullable(),
  /** The permission to import it. */
  needs: z.enum(PERMISSIONS),
  /** A free name, for importing it beside the existing one. */
  freeName: z.string(),
});
export type ImportEntry = z.infer<typeof importEntrySchema>;

export const importPreviewSchema = z.object({
  /** The recognized format: Toolroom's own file, or servers of another program. */
  format: z.enum(["catalogue", "servers"]),
  /** Names this text and what it was compared with: an import is refused when either changed. */
  digest: z.string(),
  entries: z.array(importEntrySchema),
  /** The problems of the text as a whole: nothing of it can be imported. */
  problems: z.array(z.string()),
  notes: z.array(z.string()),
});
export type ImportPreview = z.infer<typeof importPreviewSchema>;

/** How many entries of a file were compared with the catalog so far. */
export const importProgressSchema = z.object({ done: z.number().int(), total: z.number().int() });
export type ImportProgress = z.infer<typeof importProgressSchema>;

export const importDecisionSchema = z.object({
  kind: z.enum(CATALOG_KINDS),
  position: z.number().int().min(0),
  action: z.enum(["skip", "add", "replace", "rename"]),
  /** The new name, for `rename`. */
  name: z.string().max(200).optional(),
});
export type ImportDecision = z.infer<typeof importDecisionSchema>;

export const importOutcomeSchema = z.object({
  imported: z.array(
    z.object({
      kind: z.enum(CATALOG_KINDS),
      name: z.string(),
      action: z.enum(["added", "replaced"]),
      enabled: z.boolean(),
      /** Values that the user has to enter now. */
      secrets: z.array(z.string()),
      /** The approval setting of a tool, if the import changed it. */
      approval: z.object({ from: approvalModeSchema.nullable(), to: approvalModeSchema.nullable() }).optional(),
    }),
  ),
  skipped: z.number().int(),
});
export type ImportOutcome = z.infer<typeof importOutcomeSchema>;
