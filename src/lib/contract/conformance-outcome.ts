/** From the one that needs attention most. A warning is a recommendation of the specification that the server does not follow. */
export const CONFORMANCE_OUTCOMES = ["failed", "warning", "passed", "skipped"] as const;
export type ConformanceOutcome = (typeof CONFORMANCE_OUTCOMES)[number];

/** `suite` is the official suite; the others are Toolroom's own checks. */
export const CONFORMANCE_GROUPS = ["transport", "json-rpc", "oauth", "suite"] as const;
export type ConformanceGroup = (typeof CONFORMANCE_GROUPS)[number];

/** The parts of a run that may be chosen. */
export const CONFORMANCE_PARTS = ["all", "own", "suite"] as const;
export type ConformanceParts = (typeof CONFORMANCE_PARTS)[number];

/** Runs of a server that are kept. */
export const KEPT_CONFORMANCE_RUNS = 20;
