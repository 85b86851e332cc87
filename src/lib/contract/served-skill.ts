import { z } from "zod";

/** A skill that clients of an address receive. */
export const servedSkillSchema = z.object({
  name: z.string(),
  description: z.string(),
  uri: z.string().describe("Of its `SKILL.md`, which clients of this address read as a resource"),
  digest: z
    .string()
    .nullable()
    .describe("SHA-256 of the paths and digests of all files; null where they are generated"),
});
export type ServedSkill = z.infer<typeof servedSkillSchema>;
