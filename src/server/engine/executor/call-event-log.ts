import type { CallEvent, CallEvents } from "../../../lib/contract/call-event";
import { parseExact } from "../../../lib/json/exact-text";
import { writeKeptParts } from "../../../lib/json/known-text";
import type { CallMask } from "../masking/call-mask";
import type { CallOutcome } from "./call-outcome";

const MAX_EVENTS = 500;
/** A chatty server leaves room for its questions. */
const MAX_LOGS = 100;
const MAX_CHARS = 262_144;

/** The events of a call beside its stored log lines; only the first ones are kept. */
export class CallEventLog {
  readonly #events: CallEvent[] = [];
  #chars = 0;
  #logs = 0;

  add(event: CallEvent, mask: CallMask): void {
    if ("log" in event && ++this.#logs > MAX_LOGS) return;
    const text = mask.json(writeKeptParts(event) ?? "null");
    this.#chars += text.length;
    if (this.#events.length < MAX_EVENTS && this.#chars <= MAX_CHARS) this.#events.push(parseExact(text) as CallEvent);
  }

  get events(): readonly CallEvent[] {
    return this.#events;
  }
}

/** For the end of a call; absent where nothing happened that its record does not hold. */
export function readCallEvents(
  log: CallEventLog | null,
  mask: CallMask,
  outcome: CallOutcome,
): { events?: CallEvents } {
  const error = outcome.success ? undefined : outcome.protocol_error;
  const events = log?.events ?? [];
  if (events.length === 0 && error === undefined) return {};
  const protocolError =
    error === undefined ? null : (parseExact(mask.json(writeKeptParts(error) ?? "null")) as typeof error);
  return { events: { events, protocolError } };
}
