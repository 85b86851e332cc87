import type { TimelineBar } from "./build-timeline";

/** `before`: of a model call, until its first text or call. `around`: validation, queueing and recording. */
export type BarPartKind = "before" | "wait" | "around" | "run";

export interface BarPart {
  kind: BarPartKind;
  startMs: number;
  endMs: number;
}

type DrawnBar = Pick<
  TimelineBar,
  "kind" | "startMs" | "endMs" | "open" | "waitStartMs" | "waitMs" | "firstTokenMs" | "durationMs"
>;

/**
 * The parts of a bar in order, without gaps: the wait as long as it was and when it was, the run as long as the duration that
 * is written beside it, as far as hidden idle time leaves room. A tool runs after its wait, and its end is recorded at once.
 */
export function splitBar(bar: DrawnBar): BarPart[] {
  const { startMs, endMs, open, durationMs, firstTokenMs } = bar;
  const waitStart = clamp(bar.waitStartMs, startMs, endMs);
  const waitEnd = clamp(waitStart + bar.waitMs, waitStart, endMs);
  const isRun = open || durationMs === null ? open : true;
  const room = endMs - waitEnd;
  const ran = isRun ? (open ? room : Math.min(durationMs ?? 0, room)) : 0;
  const isModel = bar.kind === "model";
  // A model is asked at the start of its bar; a tool waits and validates before it runs.
  const runStart = isModel ? waitEnd : endMs - ran;
  const runEnd = isModel ? waitEnd + ran : endMs;
  const first = isModel ? clamp(runStart + (firstTokenMs ?? 0), runStart, runEnd) : runStart;
  const parts: BarPart[] = [
    { kind: "around", startMs, endMs: waitStart },
    { kind: "wait", startMs: waitStart, endMs: waitEnd },
    { kind: "around", startMs: waitEnd, endMs: runStart },
    { kind: "before", startMs: runStart, endMs: first },
    { kind: "run", startMs: first, endMs: runEnd },
    { kind: "around", startMs: runEnd, endMs },
  ];
  return parts.filter((part) => part.endMs > part.startMs);
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
