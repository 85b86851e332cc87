import { z } from "zod";
import type { ServerSettingsInput } from "./server";

/** The servers found in an imported text, each with what must be corrected before it can be added. */
export const serverImportSchema = z.object({
  servers: z.array(
    z.object({
      name: z.string(),
      enabled: z.boolean().describe("False if the text disables it"),
      settings: z.custom<ServerSettingsInput>().nullable().describe("As `POST /servers` takes them"),
      problems: z.array(z.string()),
      notes: z.array(z.string()).describe("Changed or omitted parts"),
      warnings: z
        .array(z.string())
        .optional()
        .describe("Why it cannot connect as things are, such as unset variables; absent before that has been checked"),
    }),
  ),
  problems: z.array(z.string()).describe("Of the text as a whole"),
  notes: z.array(z.string()).describe("Changes of the text as a whole"),
});
export type ServerImport = z.infer<typeof serverImportSchema>;
