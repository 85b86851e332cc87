import { z } from "zod";
import { ROLES, SCOPES } from "./access";

export const roleSchema = z.enum(ROLES);
export const scopeSchema = z.enum(SCOPES);

const MIN_PASSWORD_CHARS = 12;
const MAX_PASSWORD_CHARS = 128;

const emailSchema = z.email("must be an e-mail address").max(254).trim().toLowerCase();
export const userNameSchema = z.string().trim().min(1, "is required").max(100);
export const passwordSchema = z
  .string()
  .min(MIN_PASSWORD_CHARS, `must have at least ${MIN_PASSWORD_CHARS} characters`)
  .max(MAX_PASSWORD_CHARS);

/** A user who may sign in. Times are epoch milliseconds. */
export const userSchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  role: roleSchema,
  /** The time since which the user may not sign in; null for a user who may. */
  disabledAt: z.number().nullable(),
  createdAt: z.number(),
  lastSeenAt: z.number().nullable(),
  /**
   * The time until which wrong passwords slow down the sign-in from new browsers; null for no slowdown, absent where it
   * was not read.
   */
  slowedUntil: z.number().nullable().optional(),
  /** How the user signs in; absent where it was not read. */
  signIn: z.array(z.enum(["password", "sso"])).optional(),
});
export type User = z.infer<typeof userSchema>;

/** The session of a signed-in browser. */
export const userSessionSchema = z.object({
  id: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
  userAgent: z.string().nullable().describe("Text of the browser, untrusted"),
  address: z.string().nullable(),
  current: z.boolean().describe("The one that asks"),
});
export type UserSession = z.infer<typeof userSessionSchema>;

export const LINK_KINDS = ["setup", "invitation", "reset", "signIn"] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** A one-time link that is still open, without its secret. */
export const openLinkSchema = z.object({
  id: z.string(),
  kind: z.enum(LINK_KINDS),
  email: z.string().nullable(),
  role: roleSchema.nullable(),
  creatorName: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
});
export type OpenLink = z.infer<typeof openLinkSchema>;

/** The facts that the page of a link shows before it is used. */
export interface LinkPreview {
  kind: LinkKind;
  /** The fixed address of the invitation; null where the user chooses it. */
  email: string | null;
  name: string | null;
  role: z.infer<typeof roleSchema> | null;
  expiresAt: number;
  /** True when the user chooses a password with it. */
  password: boolean;
  /** How many API tokens the user of a reset link has; they survive the reset unless they are revoked with it. */
  apiTokens: number;
}

export const invitationSchema = z.object({
  role: roleSchema,
  /** Only this address may join; null for anyone with the link. */
  email: emailSchema.nullable(),
  validDays: z.number().int().min(1).max(30),
});
export type InvitationInput = z.infer<typeof invitationSchema>;

/** The form of a link's page; a reset needs the password only, a link that signs in nothing. */
export const linkUseSchema = z.object({
  name: userNameSchema.optional(),
  email: emailSchema.optional(),
  password: passwordSchema.optional(),
  /** For a reset: also revokes the user's API tokens. */
  revokeTokens: z.boolean().optional(),
});
export type LinkUse = z.infer<typeof linkUseSchema>;

export const apiTokenInputSchema = z.object({
  name: z.string().trim().min(1, "is required").max(100),
  scopes: z.array(scopeSchema).min(1, "choose at least one"),
  tools: z.array(z.string().min(1).max(200)).max(500).nullable(),
  servers: z.array(z.string().min(1).max(200)).max(100).nullable(),
  toolsets: z.array(z.string().min(1).max(100)).max(100).nullable().optional(),
  /** Null for a token that does not expire, where access rules allow it. */
  validDays: z.number().int().min(1).max(3650).nullable(),
});
export type ApiTokenInput = z.infer<typeof apiTokenInputSchema>;

/** An API token without its secret. */
export const apiTokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  ownerId: z.string(),
  ownerName: z.string(),
  /** The first characters of the secret. */
  start: z.string(),
  scopes: z.array(scopeSchema),
  tools: z.array(z.string()).nullable(),
  servers: z.array(z.string()).nullable(),
  toolsets: z.array(z.string()).nullish(),
  createdAt: z.number(),
  expiresAt: z.number().nullable(),
  lastUsedAt: z.number().nullable(),
});
export type ApiToken = z.infer<typeof apiTokenSchema>;

/** Calls and runs from before the first account, each counted up to `limit`. */
export const localRecordsSchema = z.object({
  calls: z.number().int(),
  runs: z.number().int(),
  limit: z.number().int(),
});
export type LocalRecords = z.infer<typeof localRecordsSchema>;
