import { z } from "zod";
import { actorSchema } from "./actor-schema";
import { LEFT_OUT_REASONS, type LeftOutReason } from "./cassette-words";
import { executionFilterSchema } from "./execution";
import { lastEditSchema } from "./last-edit";

export const cassetteNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    "must be 1 to 64 letters, digits, '_' or '-', and begin with a letter or digit",
  );

/** A JSON pointer in the arguments, `*` for any key or index; `tool:` before it limits it to one tool. */
const ignoredPathSchema = z
  .string()
  .max(500)
  .regex(
    /^(?:[^/]{1,256}:)?(?:\/[^/]*)+$/,
    "must be a JSON pointer such as /id or /items/*/at, or tool:/id for one tool",
  );

export const cassetteSettingsSchema = z.object({
  ignore: z
    .array(ignoredPathSchema)
    .max(50)
    .default([])
    .describe("Argument paths that do not count when calls are matched"),
  repeats: z
    .enum(["last", "miss"])
    .default("last")
    .describe("A call beyond its recordings: the last recording again, or a miss"),
  questions: z
    .enum(["recorded", "ask"])
    .default("recorded")
    .describe("What servers asked during a call: answered as recorded, or the client is asked again"),
  passthrough: z.boolean().default(false).describe("Calls without a recording run live"),
  faults: z.string().max(500).default("").describe("Injected faults, such as delay=200,error=0.1,seed=7"),
});
export type CassetteSettings = z.infer<typeof cassetteSettingsSchema>;

/** The calls that become a cassette: these, those of a run, or all that match a filter. */
export const cassetteChoiceSchema = z.object({
  ids: z.array(z.string().max(100)).min(1).max(5_000).optional(),
  filter: executionFilterSchema.optional(),
});
export type CassetteChoice = z.infer<typeof cassetteChoiceSchema>;

export const cassetteInputSchema = z.object({
  name: cassetteNameSchema,
  notes: z.string().max(5_000).default(""),
  settings: cassetteSettingsSchema.prefault({}),
});
export type CassetteInput = z.infer<typeof cassetteInputSchema>;

export const newCassetteSchema = cassetteInputSchema.extend({
  choice: cassetteChoiceSchema,
  /** `servers`: also the tools of the same servers that were not called. */
  tools: z.enum(["called", "servers"]).default("called"),
});
export type NewCassette = z.infer<typeof newCassetteSchema>;

export const cassetteSummarySchema = cassetteInputSchema.extend({
  servers: z.array(z.string()),
  toolCount: z.number().int(),
  callCount: z.number().int(),
  bytes: z.number().int(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  createdBy: z.string(),
  updatedAt: z.number(),
  lastEdit: lastEditSchema,
  /** The newest session. */
  lastSession: z.object({ id: z.string(), lastAt: z.number(), line: z.string(), misses: z.number().int() }).nullable(),
});
export type CassetteSummary = z.infer<typeof cassetteSummarySchema>;

export const cassettePreviewSchema = z.object({
  toolCount: z.number().int(),
  callCount: z.number().int(),
  servers: z.array(z.string()),
  leftOut: z.array(
    z.object({
      reason: z.enum(Object.keys(LEFT_OUT_REASONS) as [LeftOutReason, ...LeftOutReason[]]),
      count: z.number().int(),
    }),
  ),
});
export type CassettePreview = z.infer<typeof cassettePreviewSchema>;

/** One recorded tool, as a page shows it. */
export const cassetteToolSchema = z.object({
  name: z.string(),
  server: z.string().nullable(),
  title: z.string().nullable(),
  description: z.string(),
});

/** One recorded call, as a page shows it. */
export const cassetteCallSchema = z.object({
  /** 1 for the first call. */
  number: z.number().int(),
  kind: z.enum(["tool", "resource", "prompt"]),
  name: z.string(),
  server: z.string().nullable(),
  argumentsText: z.string(),
  /** JSON text of the result, or of the protocol error. */
  outcomeText: z.string(),
  outcome: z.enum(["result", "failure", "error"]),
  /** Progress notifications, log messages and questions of the server. */
  events: z.number().int(),
});
export type CassetteCallItem = z.infer<typeof cassetteCallSchema>;

const PLAY_OUTCOMES = ["served", "repeated", "missed", "live", "fault"] as const;

/** A place where a call differs from the nearest recording; values as short JSON. */
export const cassetteDifferenceSchema = z.object({
  path: z.string(),
  recorded: z.string().nullable(),
  received: z.string().nullable(),
});
export type CassetteDifference = z.infer<typeof cassetteDifferenceSchema>;

/** One request of a session. */
export const cassettePlaySchema = z.object({
  ordinal: z.number().int(),
  at: z.number(),
  name: z.string(),
  outcome: z.enum(PLAY_OUTCOMES),
  /** The number of the recording that was served, or of the nearest one. */
  recording: z.number().int().nullable(),
  outOfOrder: z.boolean(),
  argumentsText: z.string(),
  message: z.string().nullable(),
  differences: z.array(cassetteDifferenceSchema),
});
export type CassettePlay = z.infer<typeof cassettePlaySchema>;

export const cassetteFiguresSchema = z.object({
  recorded: z.number().int(),
  reused: z.number().int(),
  served: z.number().int(),
  misses: z.number().int(),
  live: z.number().int(),
  unused: z.number().int(),
  outOfOrder: z.number().int(),
  repeats: z.number().int(),
  faults: z.number().int(),
});
export type CassetteFigures = z.infer<typeof cassetteFiguresSchema>;

export const cassetteSessionSchema = z.object({
  id: z.string(),
  /** The value of `?session=`; null where the client sent none. */
  label: z.string().nullable(),
  client: z.string().nullable(),
  actor: actorSchema,
  startedAt: z.number(),
  lastAt: z.number(),
  figures: cassetteFiguresSchema,
  /** A line such as `reused=6/6 misses=0 live=0`. */
  line: z.string(),
});
export type CassetteSession = z.infer<typeof cassetteSessionSchema>;

export const cassetteReportSchema = cassetteSessionSchema.extend({
  cassette: z.string(),
  plays: z.array(cassettePlaySchema),
  unusedCalls: z.array(cassetteCallSchema.pick({ number: true, name: true, argumentsText: true })),
});
export type CassetteReport = z.infer<typeof cassetteReportSchema>;
