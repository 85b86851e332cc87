import { z } from "zod";
import { roleSchema } from "./account";

/** The most groups with rights. */
export const MAX_MAPPED = 200;
const MAX_TOOLSETS = 100;

const groupRoleSchema = z.object({
  group: z.string().trim().min(1, "is required").max(254),
  role: roleSchema.nullable().describe("Null where the group gives no role"),
  toolsets: z
    .array(z.string().min(1).max(100))
    .max(MAX_TOOLSETS)
    .optional()
    .describe(
      "The toolsets that MCP clients and tokens of its members may use, with those of their other groups; empty: none; absent: the group limits nothing. Admins have no limit",
    ),
});
export type GroupRole = z.infer<typeof groupRoleSchema>;

/** The roles and toolsets of users that an identity provider provisions, by the names of its groups. */
export const groupRolesSchema = z
  .object({
    defaultRole: roleSchema.describe("The role of new users, and of those without a group that gives one"),
    groups: z
      .array(groupRoleSchema)
      .max(MAX_MAPPED)
      .describe("A user has the highest role of the groups; without any, groups change no role"),
  })
  .strict();
export type GroupRoles = z.infer<typeof groupRolesSchema>;

/** Times are epoch milliseconds. */
export const provisioningSchema = z.object({
  token: z
    .object({ start: z.string(), createdAt: z.number(), createdBy: z.string() })
    .nullable()
    .describe("Null while no identity provider may connect"),
  lastRequest: z.object({ at: z.number(), method: z.string(), path: z.string(), status: z.number().int() }).nullable(),
  users: z.number().int().describe("How many users the provider provisions"),
  groups: z.array(z.object({ name: z.string(), members: z.number().int() })),
  roles: groupRolesSchema,
  revision: z.number().int().describe("Of the roles; 0 before the first ones were saved"),
  rolesFromSignOn: z.boolean().describe("Single sign-on gives roles by a claim, so groups give none"),
});
export type Provisioning = z.infer<typeof provisioningSchema>;
