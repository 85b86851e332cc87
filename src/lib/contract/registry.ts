import { z } from "zod";
import { ROLES } from "./access";
import { servedSkillSchema } from "./served-skill";

const name = z.string().min(1).max(200);

/** The key in `_meta` of an entry for the skills that its address serves. */
export const SKILLS_META = "toolroom/skills";

/** A server that is published itself, for clients that start or reach it without Toolroom. */
const publishedServerSchema = z.strictObject({
  server: name,
  /** Its name in other registries, which allow-lists compare: `io.github.owner/name`. Absent: one of this registry. */
  publishedAs: z
    .string()
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/, "must be like io.github.owner/name")
    .max(200)
    .optional(),
});

export const registrySettingsSchema = z.strictObject({
  /** `members`: with a token, or on this machine while accounts are off. `public`: for everyone who reaches the address. */
  access: z.enum(["off", "members", "public"]).default("members"),
  /** The least role of a member who may read it. */
  leastRole: z.enum(ROLES).default("viewer"),
  catalog: z.boolean().default(true),
  toolsets: z.boolean().default(true),
  servers: z.boolean().default(false),
  /** Names and descriptions of the skills that an entry serves; not for readers without an account of a public registry. */
  skills: z.boolean().default(true),
  /** Servers that are published themselves. */
  published: z.array(publishedServerSchema).max(500).default([]),
});
export type RegistrySettings = z.infer<typeof registrySettingsSchema>;

const flag = z.boolean().optional();
const variableSchema = z.object({ description: z.string().optional(), isRequired: flag, isSecret: flag });

const inputSchema = variableSchema.extend({
  name: z.string().optional(),
  value: z.string().optional(),
  valueHint: z.string().optional(),
  type: z.enum(["positional", "named"]).optional(),
  /** The definitions of the variables that `{name}` in the value refers to. */
  variables: z.record(z.string(), variableSchema).optional(),
});
export type RegistryInput = z.infer<typeof inputSchema>;

const remoteSchema = z.object({
  type: z.enum(["streamable-http", "sse"]),
  url: z.string(),
  headers: z.array(inputSchema).optional(),
});

const packageSchema = z.object({
  registryType: z.enum(["npm", "pypi", "oci"]),
  identifier: z.string(),
  version: z.string().optional(),
  runtimeHint: z.string(),
  transport: z.object({ type: z.literal("stdio") }),
  runtimeArguments: z.array(inputSchema).optional(),
  packageArguments: z.array(inputSchema).optional(),
  environmentVariables: z.array(inputSchema).optional(),
});
export type RegistryPackage = z.infer<typeof packageSchema>;

/** An entry of the MCP registry's API, version 0.1. */
export const registryEntrySchema = z.object({
  server: z.object({
    name: z.string(),
    title: z.string().optional(),
    description: z.string(),
    version: z.string(),
    remotes: z.array(remoteSchema).optional(),
    packages: z.array(packageSchema).optional(),
  }),
  _meta: z.object({
    "io.modelcontextprotocol.registry/official": z.object({
      status: z.literal("active"),
      publishedAt: z.string(),
      updatedAt: z.string(),
      isLatest: z.literal(true),
    }),
    /** The registry's format has no field for skills. */
    [SKILLS_META]: z.array(servedSkillSchema).optional(),
  }),
});
export type RegistryEntry = z.infer<typeof registryEntrySchema>;

export const registryStateSchema = z.object({
  settings: registrySettingsSchema,
  revision: z.number().int(),
  /** The entries for the reader. */
  entries: z.array(registryEntrySchema),
  /** Servers that are chosen and cannot be published, each with the reason. */
  refused: z.array(z.object({ server: z.string(), reason: z.string() })),
});
export type RegistryState = z.infer<typeof registryStateSchema>;
