import { z } from "zod";
import { SAMPLING_BUDGET, SAMPLING_MODES } from "./sampling-limits";

export type SamplingMode = (typeof SAMPLING_MODES)[number];

const required = (most: number, what: string) =>
  z
    .string(`is required: ${what}`)
    .trim()
    .min(1, `is required: ${what}`)
    .max(most, `must be at most ${most} characters`);

const most = (what: string) =>
  z
    .number(`must be a number of ${what}`)
    .int(`must be a whole number of ${what}`)
    .min(1, "must be at least 1")
    .max(1_000_000_000, "must be at most 1000000000")
    .optional();

/**
 * What happens to a server's requests for a model's response (`sampling/createMessage`). `ask`: the caller or a user
 * answers. `model`: this model answers, for every caller. `decline`: Toolroom refuses them and tells the server so in
 * advance.
 */
export const samplingSettingSchema = z.discriminatedUnion(
  "mode",
  [
    z.object({ mode: z.literal("ask") }),
    z.object({
      mode: z.literal("model"),
      provider: required(60, "the model provider that answers"),
      model: required(200, "the model that answers"),
      requestsPerCall: most("requests").describe(`Default: ${SAMPLING_BUDGET.requestsPerCall}`),
      tokensPerCall: most("tokens").describe(`Default: ${SAMPLING_BUDGET.tokensPerCall}`),
      requestsPerHour: most("requests").describe(`Of the server. Default: ${SAMPLING_BUDGET.requestsPerHour}`),
      tokensPerHour: most("tokens").describe(`Of the server. Default: ${SAMPLING_BUDGET.tokensPerHour}`),
    }),
    z.object({ mode: z.literal("decline") }),
  ],
  `mode must be one of ${SAMPLING_MODES.join(", ")}`,
);
export type SamplingSetting = z.infer<typeof samplingSettingSchema>;

/** A sampling request that a setting answered, kept with its execution. Its texts are untrusted. */
export const samplingRecordSchema = z.object({
  id: z.number().int(),
  executionId: z.string(),
  receivedAt: z.number().describe("Epoch milliseconds"),
  durationMs: z.number(),
  outcome: z.enum(["answered", "declined", "failed", "cancelled"]),
  provider: z.string().nullable().describe("Null if no model was asked"),
  model: z.string().nullable().describe("As the provider names the model that answered, else as configured"),
  requestText: z.string().describe("The params of the request as JSON text"),
  responseText: z.string().nullable(),
  stopReason: z.string().nullable(),
  error: z.string().nullable(),
  inputTokens: z.number().nullable().describe("Null if the provider did not report it"),
  outputTokens: z.number().nullable(),
});
export type SamplingRecord = z.infer<typeof samplingRecordSchema>;
