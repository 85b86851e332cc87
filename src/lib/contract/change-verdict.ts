import type { JsonValue } from "./json";

/** The client of calls that replays make; their source, that of evals, keeps them out of statistics. */
export const REPLAY_CLIENT = "change-check";

/** The strongest first. */
export const SEVERITIES = ["error", "warning", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const RULE_SETTINGS = ["off", "info", "warning", "error"] as const;
/** The severity of a rule's findings; `off` leaves them out. */
export type RuleSetting = (typeof RULE_SETTINGS)[number];
/** By rule id; a rule that is not named has its default. */
export type RuleSettings = Readonly<Record<string, RuleSetting>>;

/**
 * `by-convention`: calls stay valid unless they sent a name that meant nothing before and is described now.
 * `breaking`: it is not proven that every value stays valid, or a described property is gone.
 */
export const SCHEMA_OUTCOMES = ["unchanged", "wording", "compatible", "by-convention", "breaking"] as const;
export type SchemaOutcome = (typeof SCHEMA_OUTCOMES)[number];

/** `input`: what callers send; `output`: what they receive; `tool`: all else in the server's entry. */
export type ChangeSide = "input" | "output" | "tool";

/** A value that proves a finding; checked against both schemas. */
export interface Witness {
  value: JsonValue;
  /**
   * `refused`: arguments accepted before and refused now. `impossible`: a result that is possible now and was not before.
   * `lost`: a value of before that holds what the new schema no longer describes.
   */
  effect: "refused" | "impossible" | "lost";
}

/** One change of a tool, by the rule that recognizes it. */
export interface RuleFinding {
  /** `input.property-removed`; all rules are in `change-rules.ts`. */
  rule: string;
  severity: Severity;
  side: ChangeSide;
  /** The part of the arguments or of the result: `filter.path`, `items[].price`; "" for the whole. */
  path: string;
  /** A sentence for users. */
  message: string;
  /** Whether values that were valid may no longer be, or a promise is gone. */
  isBreaking: boolean;
  /** An example that shows the break; null where none was found, and for changes that do not break. */
  witness: Witness | null;
}

/** The schema verdict on two entries of one tool. Makes no call. */
export interface SchemaVerdict {
  /** The server's name for the tool. */
  tool: string;
  change: "added" | "removed" | "changed" | "unchanged";
  outcome: SchemaOutcome;
  /** The severity of the strongest finding; null where there is none. */
  severity: Severity | null;
  /** The strongest first. */
  findings: RuleFinding[];
}

/** Checks what changed between two lists of tools, as a server sent them, without a call. */
export interface SchemaChecker {
  /** One verdict for each tool that is new, gone or changed, by name. Never rejects. */
  check(
    before: readonly unknown[],
    after: readonly unknown[],
    rules?: RuleSettings,
  ): Promise<{ verdicts: SchemaVerdict[]; unchanged: number }>;
  close(): Promise<void>;
}

/**
 * `alreadyInvalid`: the current schema refuses the arguments too. `undecidable`: a part that decides is masked or was cut.
 */
export const TRAFFIC_CLASSES = ["accepted", "rejected", "alreadyInvalid", "undecidable"] as const;
export type TrafficClass = (typeof TRAFFIC_CLASSES)[number];

/** A client or a user, with the calls of theirs that are concerned. */
export interface ConcernedCaller {
  /** The value that the filter of executions takes: a user's id, a client's name. */
  id: string;
  name: string;
  calls: number;
}

export interface TrafficExample {
  executionId: string;
  class: TrafficClass;
  /** Epoch milliseconds. */
  at: number;
  /** The client's name; null where none is recorded. */
  client: string | null;
  person: string | null;
  /** Why, one sentence; null for an accepted call. */
  reason: string | null;
}

export interface TrafficReason {
  /** Such as `priority became required`. */
  reason: string;
  path: string;
  calls: number;
}

/** A part of arguments or results, with the calls that have it. */
export interface ConcernedField {
  path: string;
  calls: number;
}

/** The traffic verdict: recorded arguments against the new schema. Makes no call. */
export interface TrafficVerdict {
  tool: string;
  /** The window in epoch milliseconds. */
  from: number;
  to: number;
  /** Checked calls: the sum of the counts. */
  total: number;
  counts: Record<TrafficClass, number>;
  /** False where older calls of the window were not checked. */
  complete: boolean;
  /** Reasons of the rejected calls, the most frequent first. */
  reasons: TrafficReason[];
  /** Rejected calls first. */
  examples: TrafficExample[];
  /** Rejected calls, and those that received a field of `fields`: each counted once. */
  broken: number;
  /** The callers of those calls, the most calls first. */
  clients: ConcernedCaller[];
  people: ConcernedCaller[];
  /** Output fields that clients really received and the new schema no longer promises. */
  fields: ConcernedField[];
  /** Arguments that clients really sent and the new schema no longer describes, in calls that it accepts. */
  ignored: ConcernedField[];
  /** Calls of tests and evals, which none of the other figures count. Absent in a report of an earlier version, which counted them. */
  suites?: { total: number; broken: number } | undefined;
  /** The recorded results that were checked for `fields`, and those that are cut. */
  results: { judged: number; undecidable: number };
  severity: Severity | null;
}

/** `variesByItself`: two calls of the current version differ in the same parts. */
export const REPLAY_CLASSES = ["same", "different", "failed", "variesByItself"] as const;
export type ReplayClass = (typeof REPLAY_CLASSES)[number];

export interface ReplayExample {
  /** The recorded call whose arguments were sent. */
  executionId: string;
  class: ReplayClass;
  /** Paths that differ: `content[0].text`. */
  differences: string[];
  /** Why the candidate failed; null where it did not. */
  reason: string | null;
  currentMs: number | null;
  candidateMs: number | null;
  currentBytes: number | null;
  candidateBytes: number | null;
}

/** The replay verdict: the candidate's results for recorded arguments, compared with the current version. */
export interface ReplayVerdict {
  tool: string;
  /** The number of calls to the current version and the candidate together. */
  calls: number;
  budget: number;
  counts: Record<ReplayClass, number>;
  examples: ReplayExample[];
  severity: Severity | null;
}

/** All known facts about a change of a server. */
export interface ChangeReport {
  server: string;
  /** Epoch milliseconds. */
  at: number;
  /** Changed, added and removed tools, by name. */
  schema: SchemaVerdict[];
  /** Tools that are equal in both lists. */
  unchanged: number;
  /** Null where no traffic was checked: there is no Toolroom, or no window was named. */
  traffic: TrafficVerdict[] | null;
  /** Null where nothing was replayed. */
  replay: ReplayVerdict[] | null;
  severity: Severity | null;
}

/** Returns the strongest severity; null where there is none. */
export function findStrongest(severities: Iterable<Severity | null>): Severity | null {
  const all = new Set(severities);
  return SEVERITIES.find((severity) => all.has(severity)) ?? null;
}

export function reachesSeverity(severity: Severity | null, threshold: Severity): boolean {
  return severity !== null && SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(threshold);
}
