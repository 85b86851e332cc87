import { z } from "zod";
import { lastEditSchema } from "./last-edit";
import { MAX_SKILL_FILE_BYTES, MAX_SKILL_FILES, MAX_SKILL_PATH_CHARS } from "./skill-limits";

/** The characters of base64 for a file of the largest size. */
const MAX_FILE_BASE64 = Math.ceil(MAX_SKILL_FILE_BYTES / 3) * 4;

/** How a version came to be. */
export const SKILL_CAUSES = ["created", "edited", "imported", "restored"] as const;
export type SkillCause = (typeof SKILL_CAUSES)[number];

/** A file of a skill as it is sent: with exactly one of text, base64 and the digest of a file that the skill has. */
export const skillFileInputSchema = z.strictObject({
  path: z
    .string()
    .max(MAX_SKILL_PATH_CHARS * 2)
    .describe("Within the skill's folder: `references/steps.md`"),
  text: z.string().max(MAX_SKILL_FILE_BYTES).optional(),
  base64: z.base64().max(MAX_FILE_BASE64).optional().describe("The bytes of a file that is no text"),
  digest: z.string().max(80).optional().describe("Of a file that the skill has now: its bytes are kept"),
});
export type SkillFileInput = z.infer<typeof skillFileInputSchema>;

export const skillFilesInputSchema = z.array(skillFileInputSchema).max(MAX_SKILL_FILES);

/** A skill of the team in lists. Times are epoch milliseconds. */
export const ownSkillSummarySchema = z.object({
  name: z.string(),
  description: z.string(),
  uri: z.string().describe("Of its `SKILL.md`, as MCP clients know it"),
  version: z.number().int(),
  digest: z.string().describe("SHA-256 of the paths and digests of all files"),
  fileCount: z.number().int(),
  bytes: z.number().int(),
  updatedAt: z.number(),
  updatedBy: z.string().nullable(),
});
export type OwnSkillSummary = z.infer<typeof ownSkillSummarySchema>;

export const ownSkillFileSchema = z.object({
  path: z.string(),
  uri: z.string(),
  digest: z.string(),
  size: z.number().int(),
  mediaType: z.string(),
  text: z.string().nullable().describe("Null for a file that is no text"),
});
export type OwnSkillFile = z.infer<typeof ownSkillFileSchema>;

export const ownSkillSchema = ownSkillSummarySchema.extend({
  files: z.array(ownSkillFileSchema).describe("`SKILL.md` first, then in the order of paths"),
  lastEdit: lastEditSchema,
});
export type OwnSkill = z.infer<typeof ownSkillSchema>;

export const skillVersionSchema = z.object({
  version: z.number().int(),
  digest: z.string(),
  description: z.string(),
  cause: z.enum(SKILL_CAUSES),
  fileCount: z.number().int(),
  bytes: z.number().int(),
  at: z.number(),
  by: z.string().nullable(),
});
export type SkillVersion = z.infer<typeof skillVersionSchema>;

/** A version with its files. */
export const skillVersionDetailSchema = skillVersionSchema.extend({
  name: z.string(),
  files: z.array(ownSkillFileSchema),
});
export type SkillVersionDetail = z.infer<typeof skillVersionDetailSchema>;
