import { z } from "zod";
import { actorSchema } from "./actor-schema";
import { ownSkillFileSchema } from "./own-skill";

/** `withheld`: the version cannot be stored or verified, so that it cannot be approved. */
export const skillChangeStatusSchema = z.enum(["open", "blocked", "withheld"]);
export type SkillChangeStatus = z.infer<typeof skillChangeStatusSchema>;

/** A version of a server's skill that clients do not have: it waits for a decision, is rejected, or cannot be verified. */
export const skillChangeSchema = z.object({
  server: z.string(),
  uri: z.string().describe("Of its `SKILL.md`, as the server lists it"),
  name: z.string(),
  description: z.string().describe("Of this version; of the approved one where the server lists the skill no more"),
  status: skillChangeStatusSchema,
  kind: z
    .enum(["added", "changed", "removed"])
    .describe("Clients keep the approved version of a changed or removed skill while it waits"),
  reason: z.string().nullable().describe("Why it is withheld; null where it is not"),
  hash: z.string().describe("Of the front matter and the digests of all files; of the removal"),
  files: z
    .array(z.object({ path: z.string(), change: z.enum(["added", "changed", "removed"]) }))
    .describe("The files that differ from the approved version"),
  heldAt: z.number(),
  decidedBy: actorSchema.nullable().describe("The user who rejected it"),
  decidedAt: z.number().nullable(),
});
export type SkillChange = z.infer<typeof skillChangeSchema>;

export const skillDecisionSchema = z.enum(["approve", "block"]);
export type SkillDecision = z.infer<typeof skillDecisionSchema>;

/** A decision counts for the version that was shown, and only while it has the status that was shown. */
export const skillReferenceSchema = z.object({
  uri: z.string().min(1).max(8192),
  hash: z.string().min(1).max(100),
  status: z.enum(["open", "blocked"]),
});
export type SkillReference = z.infer<typeof skillReferenceSchema>;

export const skillDecisionOutcomeSchema = z.object({
  decided: z.array(z.string()).describe("The URIs of the skills"),
  missed: z.array(z.string()).describe("Skills whose change was decided by someone else, or replaced by another one"),
});
export type SkillDecisionOutcome = z.infer<typeof skillDecisionOutcomeSchema>;

const reviewedVersionSchema = z.object({
  listed: z.string().describe("The front matter that the server lists, as JSON text"),
  files: z.array(ownSkillFileSchema),
});
export type ReviewedVersion = z.infer<typeof reviewedVersionSchema>;

/** Both versions of a skill with the texts of their files. */
export const skillVersionsSchema = z.object({
  before: reviewedVersionSchema.nullable().describe("Null for a new skill"),
  after: reviewedVersionSchema.nullable().describe("Null for one that is gone"),
});
export type SkillVersions = z.infer<typeof skillVersionsSchema>;
