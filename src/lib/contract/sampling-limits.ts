export const SAMPLING_MODES = ["ask", "model", "decline"] as const;

/** The limits of a server's use of a configured model. */
export const SAMPLING_LIMITS = {
  /** The number for a request that asks for more. */
  maxTokens: 8192,
  timeoutMs: 120_000,
} as const;

/** What a server may spend on a configured model, unless its setting says otherwise. Tokens count both ways. */
export const SAMPLING_BUDGET = {
  requestsPerCall: 10,
  tokensPerCall: 200_000,
  requestsPerHour: 200,
  tokensPerHour: 1_000_000,
} as const;
export type SamplingBudget = Record<keyof typeof SAMPLING_BUDGET, number>;
