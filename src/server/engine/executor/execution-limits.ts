import type { FiredLimit } from "../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { DEFAULT_RESPONSE_LIMITS } from "../agent/chat-ports";
import type { ExecutionLimits } from "../ports";

export const DEFAULT_LIMITS: Readonly<ExecutionLimits> = {
  timeoutMs: 30_000,
  slowMs: 1000,
  maxStoredBytes: 1_048_576,
  maxModelChars: 20_000,
  maxArgumentDepth: 64,
  ...DEFAULT_RESPONSE_LIMITS,
};

/** Node's timers fire at once past this: 2^31 − 1 ms, 24.8 days. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/** The time limit of one call and where it was set. */
export interface CallTimeout {
  timeoutMs: number;
  setBy: FiredLimit["setBy"];
}

/** @throws RangeError for one that is no positive number */
export function getTimeout(
  definition: ToolDefinition,
  callTimeoutMs: number | undefined,
  limits: Pick<ExecutionLimits, "timeoutMs">,
): CallTimeout {
  if (callTimeoutMs !== undefined) return { timeoutMs: bounded(callTimeoutMs), setBy: "call" };
  if (definition.timeout_ms !== undefined) return { timeoutMs: bounded(definition.timeout_ms), setBy: "tool" };
  return { timeoutMs: bounded(limits.timeoutMs), setBy: "global" };
}

function bounded(timeoutMs: number): number {
  if (!(timeoutMs > 0)) throw new RangeError(`timeoutMs must be a positive number of milliseconds, got ${timeoutMs}`);
  return Math.min(timeoutMs, MAX_TIMEOUT_MS);
}

/** `1500` → `1.5 s (1500 ms)`, `250` → `250 ms`. */
export function spokenDuration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(2))} s (${ms} ms)`;
}
