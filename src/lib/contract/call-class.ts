import type { ErrorKind, ExecutionSource, ExecutionStatus } from "./envelope";

/** Calls that try tools instead of using them: they are in no figure, and listed only by source, id or pin. */
export const UNCOUNTED_SOURCES = ["check", "test", "import"] as const satisfies ExecutionSource[];

export function isCounted(source: string): boolean {
  return !UNCOUNTED_SOURCES.some((each) => each === source);
}

/** Calls that a user makes in the console. All other counted sources are programs. */
export const CONSOLE_SOURCES = ["console", "replay"] as const satisfies ExecutionSource[];
export const PROGRAM_SOURCES = ["agent", "gateway", "background", "api", "app"] as const satisfies ExecutionSource[];

/** The parts of `failed`. Figures, filters, alerts, webhooks and metrics all count these as errors, and only these. */
export const FAILED_CLASSES = ["error", "timedOut", "interrupted", "invalid"] as const;
export type FailedClass = (typeof FAILED_CLASSES)[number];

/** How a call counts in figures: each call has one class. `consoleInvalid`: a user entered the invalid arguments. */
export const CALL_CLASSES = [
  "succeeded",
  ...FAILED_CLASSES,
  ...(["consoleInvalid", "rejected", "cancelled", "waiting", "running"] as const),
] as const;
export type CallClass = (typeof CALL_CLASSES)[number];

/** The second kind occurs in calls of an earlier version. */
export const INVALID_KINDS: readonly string[] = ["invalid_arguments", "malformed_arguments"];

/** Calls that a user, the missing decision of one, or a rule kept from running. */
export const REJECTED_KINDS: readonly string[] = [
  "rejected",
  "approval_expired",
  "approval_pending",
  "definition_changed",
  "rule",
] satisfies ErrorKind[];

/** The class of an error kind that no tool caused; null for errors of tools. */
export function classifyErrorKind(kind: string | null | undefined): "invalid" | "rejected" | "cancelled" | null {
  if (INVALID_KINDS.some((each) => each === kind)) return "invalid";
  if (kind === "cancelled") return "cancelled";
  return REJECTED_KINDS.some((each) => each === kind) ? "rejected" : null;
}

export interface ClassifiedCall {
  status: ExecutionStatus;
  errorKind?: string | null | undefined;
  source: string;
}

/** The classes of calls that follow from the status alone. */
const CLASS_BY_STATUS = {
  running: "running",
  waiting: "waiting",
  succeeded: "succeeded",
  timed_out: "timedOut",
  interrupted: "interrupted",
  cancelled: "cancelled",
} as const satisfies Record<Exclude<ExecutionStatus, "failed">, CallClass>;

export function classifyCall({ status, errorKind, source }: ClassifiedCall): CallClass {
  if (status !== "failed") return CLASS_BY_STATUS[status];
  const kind = classifyErrorKind(errorKind);
  if (kind === "rejected") return "rejected";
  if (kind !== "invalid") return "error";
  return CONSOLE_SOURCES.some((each) => each === source) ? "consoleInvalid" : "invalid";
}

export const isFailedClass = (of: CallClass): of is FailedClass => FAILED_CLASSES.some((each) => each === of);

/** The values of the filter `status`. `input`: running calls that wait for a user to answer their server. */
export const EXECUTION_OUTCOMES = [
  "running",
  "succeeded",
  "failed",
  "error",
  "timed_out",
  "interrupted",
  "invalid",
  "rejected",
  "cancelled",
  "waiting",
  "input",
] as const;
export type ExecutionOutcome = (typeof EXECUTION_OUTCOMES)[number];

/** The classes of each outcome. */
export const CLASSES_BY_OUTCOME: Readonly<Record<Exclude<ExecutionOutcome, "input">, readonly CallClass[]>> = {
  running: ["running"],
  succeeded: ["succeeded"],
  failed: FAILED_CLASSES,
  error: ["error"],
  timed_out: ["timedOut"],
  interrupted: ["interrupted"],
  invalid: ["invalid", "consoleInvalid"],
  rejected: ["rejected"],
  cancelled: ["cancelled"],
  waiting: ["waiting"],
};

/** The classes of a filter by status. */
export function toClasses(outcomes: readonly string[]): ReadonlySet<CallClass> {
  const known: Readonly<Record<string, readonly CallClass[]>> = CLASSES_BY_OUTCOME;
  return new Set(outcomes.flatMap((outcome) => (Object.hasOwn(known, outcome) ? (known[outcome] ?? []) : [])));
}

/** Counts by outcome from counts by class; outcomes overlap, so their sum is more than all calls. */
export function toOutcomeCounts(counts: ReadonlyMap<string, number>): Map<string, number> {
  const sums = Object.entries(CLASSES_BY_OUTCOME).map(([outcome, classes]): [string, number] => [
    outcome,
    classes.reduce((sum, each) => sum + (counts.get(each) ?? 0), 0),
  ]);
  return new Map(sums.filter(([, sum]) => sum > 0));
}
