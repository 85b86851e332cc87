import { z } from "zod";
import { roleSchema, userNameSchema } from "./account";
import { actorSchema } from "./actor-schema";

/** A user that is a program. Times are epoch milliseconds. */
export const serviceAccountSchema = z.object({
  id: z.string(),
  name: z.string(),
  about: z.string(),
  role: roleSchema,
  owner: actorSchema
    .nullable()
    .describe("The user who answers for it; null where that user was removed or switched off"),
  disabledAt: z.number().nullable(),
  createdAt: z.number(),
  tokens: z.number().int().describe("How many API tokens it has"),
  lastUsedAt: z.number().nullable().describe("When one of its tokens was used last"),
});
export type ServiceAccount = z.infer<typeof serviceAccountSchema>;

export const serviceAccountInputSchema = z.object({
  name: userNameSchema,
  about: z.string().trim().max(500).default("").describe("What the program does"),
  role: roleSchema,
  ownerId: z.string().min(1, "is required").max(100).describe("The user who answers for it"),
});
export type ServiceAccountInput = z.output<typeof serviceAccountInputSchema>;

export const serviceAccountChangeSchema = z.object({
  name: userNameSchema.optional(),
  about: z.string().trim().max(500).optional(),
  ownerId: z.string().min(1, "is required").max(100).optional(),
  enabled: z.boolean().optional().describe("false revokes its tokens for good"),
});
export type ServiceAccountChange = z.output<typeof serviceAccountChangeSchema>;
