import { z } from "zod";

const MAX_CREDENTIAL_SLOTS = 32;

/** A header, query parameter or environment variable whose value each user enters. */
export const credentialSlotSchema = z.object({
  name: z.string("is required").trim().min(1, "is required").max(256, "must be at most 256 characters"),
  /** The label that users see in place of the name. */
  label: z.string().trim().max(200, "must be at most 200 characters").optional(),
  /** The position of an API's credential; default: a header. */
  in: z.enum(["header", "query"]).optional(),
});
export type CredentialSlot = z.infer<typeof credentialSlotSchema>;

/**
 * Whose credentials a server gets. `personal`: each user enters the values of the slots, or signs in where the server's
 * authentication is OAuth.
 */
export const credentialSettingSchema = z.discriminatedUnion("mode", [
  z.object({ mode: z.literal("shared") }),
  z.object({
    mode: z.literal("personal"),
    slots: z
      .array(credentialSlotSchema)
      .max(MAX_CREDENTIAL_SLOTS, `must be at most ${MAX_CREDENTIAL_SLOTS}`)
      .default([]),
    /** The readers of its calls' arguments and results. Default: the caller, who may approve the call, and admins. */
    results: z.literal("everyone").optional(),
  }),
]);
export type CredentialSetting = z.infer<typeof credentialSettingSchema>;
export const credentialModeSchema = z.enum(["shared", "personal"] satisfies CredentialSetting["mode"][]);

/** The way in which a user connects: by entering values or by signing in. */
const credentialKindSchema = z.enum(["values", "oauth"]);

/** A user's stored credential for one server, without any of its values. */
export const credentialInfoSchema = z.object({
  server: z.string(),
  kind: credentialKindSchema,
  status: z
    .enum(["ready", "pending"])
    .describe("`pending`: a sign-in that is not complete, or one that the server no longer accepts"),
  /** Epoch milliseconds. */
  updatedAt: z.number(),
});
export type CredentialInfo = z.infer<typeof credentialInfoSchema>;

/** A user who has connected to a server with personal credentials. */
export const credentialHolderSchema = credentialInfoSchema.omit({ server: true }).extend({
  personId: z.string(),
  name: z.string(),
  disabled: z.boolean().describe("The user may not sign in at present"),
});
export type CredentialHolder = z.infer<typeof credentialHolderSchema>;

/** The reader's own connection to a server with personal credentials. */
export const ownConnectionSchema = z.object({
  kind: z
    .enum([...credentialKindSchema.options, "identity"])
    .describe("`identity`: what single sign-on proves about the reader opens the connection"),
  slots: z.array(credentialSlotSchema.extend({ stored: z.boolean() })),
  connectedAt: z
    .number()
    .nullable()
    .describe(
      "Null where nothing usable is stored: the credential was given for another address, or a value is missing",
    ),
  provider: z
    .string()
    .nullable()
    .optional()
    .describe("For `identity`: the name of the provider that the reader signs in with; null for none"),
  isProven: z.boolean().optional().describe("For `identity`: a call would be let in without another sign-in"),
  refusal: z.string().nullable().describe("Why the reader cannot have one; null for a user"),
});
export type OwnConnection = z.infer<typeof ownConnectionSchema>;

export const credentialValuesSchema = z.record(
  z.string().max(256),
  z.string().max(65_536, "must be at most 65536 characters"),
);

/** The link of a call that waits until its user has connected their own account. */
export const signInLinkSchema = z.object({
  server: z.string(),
  toolName: z.string(),
  isConnected: z.boolean().describe("The link was used: the account is connected and the call continues"),
});
export type SignInLink = z.infer<typeof signInLinkSchema>;
