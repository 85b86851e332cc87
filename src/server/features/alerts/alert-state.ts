import { ALERT_WORDS, type AlertKind } from "../../../lib/contract/alert-kinds";

/** What is remembered of a rule and one subject between two evaluations. Times are epoch milliseconds. */
export interface AlertState {
  /** The alert that is firing. */
  alertId: string | null;
  /** The time since which the value is well within the threshold, while an alert is firing. */
  clearSince: number | null;
  /** The time before which no new alert fires. */
  restUntil: number;
}

/** Times that were noted while the clock was ahead count from now. */
export function keepWithinClock(state: AlertState, now: number): AlertState {
  const { alertId, clearSince } = state;
  return {
    alertId,
    clearSince: clearSince === null ? null : Math.min(clearSince, now),
    restUntil: Math.min(state.restUntil, now + REST_MS),
  };
}

/** `near` neither fires nor resolves an alert. */
export type Level = "bad" | "near" | "clear";

/** How long a value stays clear before its alert is resolved. */
const QUIET_MS = 5 * 60_000;
/** The time after that in which no new alert fires: a value that flaps gives four alerts an hour at most. */
const REST_MS = 10 * 60_000;
/** The share of the threshold below which figures of calls, which vary by chance, count as clear. */
const CLEAR_SHARE = 0.8;

export const NO_STATE: AlertState = { alertId: null, clearSince: null, restUntil: 0 };

/** @param value null for nothing to check */
export function toLevel(kind: AlertKind, value: number | null, threshold: number): Level {
  if (value === null) return "clear";
  if (!ALERT_WORDS[kind].ofCalls) return value >= threshold ? "bad" : "clear";
  if (value > threshold) return "bad";
  return value <= threshold * CLEAR_SHARE ? "clear" : "near";
}

export interface Advance {
  state: AlertState;
  event: "fired" | "resolved" | null;
}

/** The next state of a rule's subject. @param newId names the alert that fires @param quietMs for values of longer steps */
export function advanceAlert(
  state: AlertState,
  level: Level,
  { now, newId, quietMs = QUIET_MS }: { now: number; newId: () => string; quietMs?: number },
): Advance {
  if (state.alertId === null) {
    if (level !== "bad" || now < state.restUntil) return { state, event: null };
    return { state: { ...state, alertId: newId(), clearSince: null }, event: "fired" };
  }
  if (level !== "clear") return { state: { ...state, clearSince: null }, event: null };
  const clearSince = state.clearSince ?? now;
  if (now - clearSince < quietMs) return { state: { ...state, clearSince }, event: null };
  return { state: { ...state, alertId: null, clearSince: null, restUntil: now + REST_MS }, event: "resolved" };
}

export interface Span {
  from: number;
  until: number;
}

/**
 * The times of alerts for a value that is bad in these spans.
 * @param bad in their order, none before the end of another
 */
export function listFirings(bad: readonly Span[]): Span[] {
  const firings: Span[] = [];
  for (const { from, until } of bad) {
    const last = firings.at(-1);
    const begins = last === undefined ? from : Math.max(from, last.until + REST_MS);
    if (last !== undefined && from <= last.until) last.until = until + QUIET_MS;
    else if (begins < until) firings.push({ from: begins, until: until + QUIET_MS });
  }
  return firings;
}

/** Whether a state may be forgotten without effect on the next evaluation. */
export const isIdle = ({ alertId, restUntil }: AlertState, now: number): boolean =>
  alertId === null && restUntil <= now;
