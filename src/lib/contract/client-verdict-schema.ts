import { z } from "zod";
import { CHECKED_CLIENTS, CLIENT_SEVERITIES, FIT_VERDICTS, REMEDY_KINDS } from "./client-verdict";

const clientRemedySchema = z.object({ kind: z.enum(REMEDY_KINDS), text: z.string() });
export type ClientRemedy = z.infer<typeof clientRemedySchema>;

/** The source that documents a client's rule. */
const ruleSourceSchema = z.object({
  url: z.string(),
  readOn: z.string().describe("The day on which it was read, such as `2026-09-15`"),
});

/** The effect of a client on a tool, or on the list as a whole. */
const clientFindingSchema = z.object({
  client: z.enum(CHECKED_CLIENTS),
  rule: z.string().describe("Such as `cursor/name-length`"),
  severity: z.enum(CLIENT_SEVERITIES),
  tool: z.string().nullable().describe("The name in the list; null for the list as a whole"),
  catalogTool: z.string().nullable().describe("The catalog's name of the tool"),
  where: z.string().describe("A JSON pointer into the tool's entry; empty for all of it"),
  message: z.string(),
  remedy: clientRemedySchema.nullable(),
  source: ruleSourceSchema.nullable().describe("Null for what follows from the settings of this Toolroom"),
});
export type ClientFinding = z.infer<typeof clientFindingSchema>;

export const clientVerdictSchema = z.object({
  client: z.enum(CHECKED_CLIENTS),
  label: z.string(),
  verdict: z.enum(FIT_VERDICTS),
  reason: z.string().describe("Why it cannot be told; else empty"),
  tools: z.number().int().describe("The tools of the list"),
  refused: z.number().int().describe("The tools that the client does not use; all of them where it refuses the list"),
  findings: z.array(clientFindingSchema).describe("The strongest first"),
  findingCount: z.number().int().describe("More may be found than are listed"),
});
export type ClientVerdict = z.infer<typeof clientVerdictSchema>;
