/** Attempts of one run of a suite: its results are one row. */
export const MAX_EVAL_ATTEMPTS = 2000;
export const MAX_EVAL_ROUNDS = 20;
