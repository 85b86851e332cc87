/** The suite of scenarios that Toolroom brings along: it has tools of its own, and validates a model. */
export const TOOL_USE_SUITE = "tool-use";
/** Attempts of one run of a suite: its results are one row. */
export const MAX_EVAL_ATTEMPTS = 2000;
export const MAX_EVAL_ROUNDS = 20;
