import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import type { Clock, ExecutionLimits } from "../ports";
import { CallLimit } from "./call-limit";
import { aborted, type CallFailure } from "./call-outcome";
import { awaitOutcome } from "./run-implementation";
import type { RunningCall } from "./running-call";

/** A call that waits longer for its server is recorded before the server is ready. */
const LIST_AFTER_MS = 100;

/** Why there is no such tool, or what is wrong with one that its server lists; null where there is nothing to say. */
export type MissingReason = string | { unusable: string } | null;
export type ExplainMissing = (name: string, signal: AbortSignal) => Promise<MissingReason> | null;

interface AwaitToolPorts {
  explainMissing?: ExplainMissing | undefined;
  limits: ExecutionLimits;
  clock: Clock;
  list: () => Promise<ExecutionEnvelope | null>;
}

interface AwaitedTool {
  reason: MissingReason;
  ended: CallFailure | null;
  /** The answer to a call that could not be recorded while it waited. */
  unrecorded: ExecutionEnvelope | null;
}

/** Waits for a tool whose server is still connecting, within the call's time limit. */
export async function awaitTool(
  call: RunningCall,
  { explainMissing, limits, clock, list }: AwaitToolPorts,
): Promise<AwaitedTool> {
  const waiting = new AbortController();
  const explaining = explainMissing?.(call.toolName, waiting.signal) ?? null;
  if (explaining === null) return { reason: null, ended: null, unrecorded: null };
  let listing: Promise<ExecutionEnvelope | null> | null = null;
  const timer = setTimeout(() => {
    listing = list();
  }, LIST_AFTER_MS);
  const limit = new CallLimit(call.options.timeoutMs ?? limits.timeoutMs, null, clock.elapsed);
  const abort = (reason: unknown): void => waiting.abort(reason);
  const outcome = await awaitOutcome(explaining, { limit, callerSignal: call.options.signal, abort });
  clearTimeout(timer);
  const unrecorded = await listing;
  if (outcome.ended === "thrown") throw outcome.thrown;
  if (outcome.ended === "aborted") return { reason: null, ended: aborted(outcome.reason), unrecorded };
  const late = "its server is still connecting";
  return { reason: outcome.ended === "timeout" ? late : (outcome.value as MissingReason), ended: null, unrecorded };
}
