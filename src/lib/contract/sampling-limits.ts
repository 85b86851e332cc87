export const SAMPLING_MODES = ["ask", "model", "decline"] as const;

/** What a server gets of a configured model. */
export const SAMPLING_LIMITS = {
  requestsPerCall: 10,
  /** A request that asks for more gets this many. */
  maxTokens: 8192,
  timeoutMs: 120_000,
} as const;
