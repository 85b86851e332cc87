export const SAMPLING_MODES = ["ask", "model", "decline"] as const;

/** The limits of a server's use of a configured model. */
export const SAMPLING_LIMITS = {
  requestsPerCall: 10,
  /** A request that asks for more gets this many. */
  maxTokens: 8192,
  timeoutMs: 120_000,
} as const;
