import type { ExecutionDetail } from "./execution";

export type CallPhase = "Validation" | "Recording" | "Waiting" | "Duration";

/**
 * The parts of a call's total, which is the time from request to response. Duration is the time the tool itself ran;
 * waiting is for a user's approval or input.
 */
export function splitTotal({ timing, durationMs }: Pick<ExecutionDetail, "timing" | "durationMs">): {
  totalMs: number;
  phases: { name: CallPhase; ms: number }[];
} {
  const parts: [CallPhase, number | null][] = [
    ["Validation", timing.validateMs],
    ["Recording", timing.recordMs],
    ["Waiting", timing.waitMs],
    ["Duration", durationMs],
  ];
  const phases = parts.flatMap(([name, ms]) => (ms === null ? [] : [{ name, ms }]));
  return { phases, totalMs: phases.reduce((sum, { ms }) => sum + ms, 0) };
}
