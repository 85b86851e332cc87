/** Why executions cannot be part of a cassette. */
export const LEFT_OUT_REASONS = {
  unfinished: "not finished",
  cut: "the stored result is cut",
  private: "made with a personal credential",
  unknown_tool: "the tool was unknown",
  no_object: "the arguments are no JSON object",
} as const;
export type LeftOutReason = keyof typeof LEFT_OUT_REASONS;
