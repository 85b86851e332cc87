import type { RuleMatch } from "../../../lib/contract/rule-match";
import type { CallerRequest } from "../ports";
import type { CallOutcome } from "./call-outcome";

/** The outcome that is recorded, and the one that the caller receives. */
export interface GuardedOutcome {
  stored: CallOutcome;
  sent: CallOutcome;
  matches: RuleMatch[];
}

/** Applies the rules about results to one call. */
export interface CallGuard {
  /** A message of the running tool as its caller receives it. */
  guardText(text: string): string;
  /** A request of the tool's server to the caller; null where it must not be sent. */
  guardRequest(request: CallerRequest): Promise<CallerRequest | null>;
  guard(outcome: CallOutcome): Promise<GuardedOutcome>;
}
