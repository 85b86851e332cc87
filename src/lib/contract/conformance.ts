import { z } from "zod";
import { CONFORMANCE_GROUPS, CONFORMANCE_OUTCOMES, CONFORMANCE_PARTS } from "./conformance-outcome";

/** The limits of what a tested server, and the suite, may put into a stored result. */
export const MAX_CONFORMANCE_CHECKS = 600;
export const MAX_CONFORMANCE_MESSAGE_CHARS = 600;

export const conformanceCheckSchema = z.object({
  id: z.string().describe("Such as `oauth/pkce`, or `suite/2025-11-25/ping/ping`"),
  group: z.enum(CONFORMANCE_GROUPS),
  title: z.string(),
  outcome: z.enum(CONFORMANCE_OUTCOMES),
  message: z.string().nullable().describe("What was wrong, or why it did not apply"),
});
export type ConformanceCheck = z.infer<typeof conformanceCheckSchema>;

export const conformancePartsSchema = z.enum(CONFORMANCE_PARTS);

const countsSchema = z.record(z.enum(CONFORMANCE_OUTCOMES), z.number().int());
export type ConformanceCounts = z.infer<typeof countsSchema>;

export const conformanceVersionsSchema = z.object({
  toolroom: z.string(),
  suite: z.string().nullable().describe("Null where the official suite did not run"),
  protocol: z.array(z.string()).describe("Revisions of MCP that the server speaks"),
  server: z.string().nullable().describe("Name and version as the server introduces itself"),
});
export type ConformanceVersions = z.infer<typeof conformanceVersionsSchema>;

export const conformanceComparisonSchema = z.object({
  before: z.string().nullable().describe("The last finished run before; null for the first one"),
  newFailures: z.array(z.string()).describe("Ids of checks that failed, and did not in the run before"),
  fixed: z.array(z.string()).describe("Ids of checks that failed in the run before, and passed"),
});
export type ConformanceComparison = z.infer<typeof conformanceComparisonSchema>;

export const conformanceRunSchema = z.object({
  id: z.string(),
  server: z.string(),
  parts: conformancePartsSchema,
  status: z.enum(["running", "finished", "cancelled", "failed", "interrupted"]),
  actor: z.object({ id: z.string(), name: z.string() }),
  startedAt: z.number(),
  finishedAt: z.number().nullable(),
  step: z.string().nullable().describe("What a running one does now"),
  error: z.string().nullable(),
  versions: conformanceVersionsSchema.nullable(),
  counts: countsSchema,
  newFailures: z.number().int(),
});
export type ConformanceRun = z.infer<typeof conformanceRunSchema>;

export const conformanceRunDetailSchema = conformanceRunSchema.extend({
  checks: z.array(conformanceCheckSchema),
  comparison: conformanceComparisonSchema.nullable().describe("Null until the run has finished"),
});
export type ConformanceRunDetail = z.infer<typeof conformanceRunDetailSchema>;

export const conformanceSuiteSchema = z.object({
  version: z.string(),
  state: z
    .enum(["installed", "missing", "unsupported"])
    .describe("`missing`: an admin's first run installs it; `unsupported`: `reason` says what to do"),
  reason: z.string().nullable(),
});
export type ConformanceSuite = z.infer<typeof conformanceSuiteSchema>;
