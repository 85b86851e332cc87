import { z } from "zod";
import { executionDetailSchema } from "./execution";

/** The only version of the file's format so far. */
export const BUNDLE_VERSION = 1;
export const MAX_BUNDLE_BYTES = 10_485_760;

const ENDED = ["succeeded", "failed", "cancelled", "timed_out", "interrupted"] as const;

/** The fields of an execution that a bundle contains: none names a user, a token, a run or another call. */
export const bundledExecutionSchema = executionDetailSchema
  .pick({
    toolName: true,
    calledAs: true,
    implementationType: true,
    source: true,
    client: true,
    errorKind: true,
    executionTimeMs: true,
    resultBytes: true,
    argumentsText: true,
    resultText: true,
    resultTruncated: true,
    error: true,
    faults: true,
    limit: true,
    timing: true,
    timeoutMs: true,
    validationSkipped: true,
    definition: true,
    logs: true,
    toolset: true,
    reason: true,
    serverName: true,
  })
  .extend({
    status: z.enum(ENDED, "must be the status of a call that has ended"),
    /** ISO 8601. */
    recordedAt: z.iso.datetime(),
  });

/** One execution as a file that another Toolroom opens, with the tool or the server that it needs. */
export const executionBundleSchema = z.strictObject({
  toolroomExecution: z.literal(BUNDLE_VERSION),
  /** The version of Toolroom that wrote the file. */
  version: z.string().max(100),
  execution: bundledExecutionSchema.strict(),
  /** A catalog file; null where the tool is part of code. */
  catalog: z.looseObject({}).nullable(),
});
export type ExecutionBundle = z.infer<typeof executionBundleSchema>;

/** The execution that opening a bundle recorded. */
export const openedBundleSchema = z.object({
  id: z.string().describe("The execution here"),
  toolName: z.string(),
  tool: z.enum(["same", "different", "missing"]).describe("The tool of this catalog beside the one of the bundle"),
});
export type OpenedBundle = z.infer<typeof openedBundleSchema>;
