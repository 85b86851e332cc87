import { z } from "zod";

const MAX_DAYS = 3650;
const days = (about: string) =>
  z
    .number({ error: "must be a number of days" })
    .int("must be a whole number of days")
    .min(1, "must be 1 or more")
    .max(MAX_DAYS, `must be ${MAX_DAYS} or less`)
    .nullable()
    .describe(about);

/** How long access lasts without a decision of a user. */
export const accessRulesSchema = z
  .object({
    maxTokenDays: days("Greatest age of new API tokens in days; null for no limit. Existing tokens stay as they are"),
    absentDays: days(
      "Accounts of single sign-on that the identity provider has not seen for so many days are switched off; null for never",
    ),
  })
  .strict();
export type AccessRules = z.infer<typeof accessRulesSchema>;

export const accessRulesStateSchema = z.object({
  rules: accessRulesSchema,
  revision: z.number().int().describe("Of the rules; 0 before the first ones were saved"),
  savedAt: z.number().nullable(),
  savedBy: z.string().nullable(),
});
export type AccessRulesState = z.infer<typeof accessRulesStateSchema>;
