import type { Actor } from "../../../lib/contract/actor";
import type { ChatErrorKind, ChatUsage } from "../../../lib/contract/chat";
import type { EvalAttempt } from "../../../lib/contract/eval";

/** The model that is tried, and the signal that stops it. */
export interface AttemptRequest {
  /** The actor of its runs. */
  actor: Actor;
  provider: string;
  model: string;
  round: number;
  /** How long the attempt may take. */
  limitMs: number;
  /** The eval run is over: the attempt is stopped. */
  signal: AbortSignal;
}

export interface AttemptOutcome {
  /** Null where it was stopped before its end: that says nothing of the model. */
  attempt: Omit<EvalAttempt, "inputTokens" | "outputTokens"> | null;
  usage: ChatUsage;
  /** The provider's fault that ended it. */
  fault: { kind: ChatErrorKind; message: string } | null;
}

/** A unit that a run repeats: an eval. */
export interface EvalTask {
  id: string;
  /** @throws AppError for a fault that prevents the start, which ends the run */
  attempt(request: AttemptRequest): Promise<AttemptOutcome>;
}
