import { z } from "zod";
import { lastEditSchema } from "./last-edit";

/** `openai` speaks Responses; `openai-compatible` Chat Completions at any address; `demo` needs no key and no network. */
export const MODEL_PROVIDER_KINDS = ["anthropic", "openai", "openai-compatible", "gemini", "ollama", "demo"] as const;
export const modelProviderKindSchema = z.enum(MODEL_PROVIDER_KINDS);
export type ModelProviderKind = z.infer<typeof modelProviderKindSchema>;

/** The built-in provider: fixed rules, not a language model. */
export const DEMO_PROVIDER = "demo";

/** US dollars for a million tokens. */
export const modelPriceSchema = z.object({
  model: z.string().trim().min(1).max(200),
  input: z.number().min(0).max(100_000),
  output: z.number().min(0).max(100_000),
  cachedInput: z.number().min(0).max(100_000).optional(),
});
export type ModelPrice = z.infer<typeof modelPriceSchema>;

export const modelProviderInputSchema = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .regex(/^[a-z0-9][a-z0-9._-]*$/, "must be lower-case letters, digits, '.', '_' and '-'"),
  kind: modelProviderKindSchema.exclude(["demo"]),
  baseUrl: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .max(2000)
    .nullish(),
  /** Absent or null keeps the stored key; an empty text deletes it. */
  apiKey: z.string().max(4000).nullish(),
  /** Offered in addition to the provider's list; the first is the default. */
  models: z.array(z.string().trim().min(1).max(200)).max(200).default([]),
  prices: z.array(modelPriceSchema).max(500).default([]),
});
export type ModelProviderInput = z.infer<typeof modelProviderInputSchema>;

export const modelProviderSummarySchema = z.object({
  name: z.string(),
  kind: modelProviderKindSchema,
  origin: z
    .enum(["console", "environment", "built-in"])
    .describe("`environment`: its key is an environment variable; `built-in`: the demo model"),
  baseUrl: z.string().nullable(),
  key: z
    .object({
      state: z.enum(["stored", "environment", "none", "unreadable"]),
      variable: z.string().nullable(),
    })
    .describe("Where the key comes from; no request returns the key itself"),
  models: z.array(z.string()),
  prices: z.array(modelPriceSchema),
  problem: z.string().nullable().describe("Why it cannot be used; null where it can"),
  lastEdit: lastEditSchema.optional().describe("Absent for providers that are not edited here"),
});
export type ModelProviderSummary = z.infer<typeof modelProviderSummarySchema>;

export const modelChoiceSchema = z.object({
  provider: z.string(),
  model: z.string(),
  kind: modelProviderKindSchema,
  maxTools: z
    .number()
    .int()
    .nullable()
    .describe("Tools that one request may offer, as the provider documents it; null if it documents no limit"),
});
export type ModelChoice = z.infer<typeof modelChoiceSchema>;

/** The models of a provider; those known before where `problem` says why they could not be listed. */
export const listedModelsSchema = z.object({ models: z.array(z.string()), problem: z.string().nullable() });
export type ListedModels = z.infer<typeof listedModelsSchema>;

export const providerTestSchema = z.object({
  ok: z.boolean(),
  message: z.string().describe("For people"),
  models: z.array(z.string()),
});
export type ProviderTest = z.infer<typeof providerTestSchema>;
