import type { LiveEvent, RunPartial } from "../../../lib/contract";

/** Text is published in pieces of this age: a word at a time would drown an open page. */
const TEXT_FLUSH_MS = 40;
/** Of a longer piece pages get the end; they notice the gap and read the run. */
const MAX_PIECE_CHARS = 64_000;

/** The response that a run's model is sending: kept until it is complete, and published in pieces. */
export class PartialResponse {
  readonly #runId: string;
  readonly #publish: (event: LiveEvent) => void;
  #value: RunPartial | null = null;
  #unsent = { text: "", reasoning: "", calls: new Map<string, { name: string; argumentsDelta: string }>() };
  #flushTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(runId: string, publish: (event: LiveEvent) => void) {
    this.#runId = runId;
    this.#publish = publish;
  }

  /** Null between two responses. */
  get value(): RunPartial | null {
    return this.#value;
  }

  begin(step: number): void {
    this.#value = { step, text: "", reasoning: "", calls: [] };
  }

  /** It is complete or failed. */
  end(): void {
    this.flush();
    this.#value = null;
  }

  addText(kind: "text" | "reasoning", text: string): void {
    if (this.#value === null) return;
    this.#value[kind] += text;
    this.#unsent[kind] += text;
    this.#flushSoon();
  }

  addCall(callId: string, name: string, argumentsDelta: string): void {
    if (this.#value === null) return;
    const { calls } = this.#value;
    const known = calls.find((call) => call.callId === callId);
    if (known === undefined) calls.push({ callId, name, argumentsText: argumentsDelta });
    else known.argumentsText += argumentsDelta;
    const unsent = this.#unsent.calls.get(callId);
    if (unsent === undefined) this.#unsent.calls.set(callId, { name, argumentsDelta });
    else unsent.argumentsDelta += argumentsDelta;
    this.#flushSoon();
  }

  /** What came so far is void: the request is repeated. */
  restart(step: number, reason: string): void {
    this.#dropUnsent();
    this.begin(step);
    this.#publish({ type: "run_retry", runId: this.#runId, step, reason });
  }

  /** Publishes what was not published yet. */
  flush(): void {
    const { text, reasoning, calls } = this.#unsent;
    this.#dropUnsent();
    const partial = this.#value;
    if (partial === null) return;
    const base = { runId: this.#runId, step: partial.step };
    if (reasoning !== "") {
      const piece = reasoning.slice(-MAX_PIECE_CHARS);
      const offset = partial.reasoning.length - piece.length;
      this.#publish({ type: "run_reasoning", ...base, text: piece, offset });
    }
    if (text !== "") {
      const piece = text.slice(-MAX_PIECE_CHARS);
      this.#publish({ type: "run_text", ...base, text: piece, offset: partial.text.length - piece.length });
    }
    for (const [callId, { name, argumentsDelta: added }] of calls) {
      const argumentsDelta = added.slice(-MAX_PIECE_CHARS);
      const written = partial.calls.find((call) => call.callId === callId)?.argumentsText.length ?? 0;
      const offset = written - argumentsDelta.length;
      this.#publish({ type: "run_call", ...base, callId, name, argumentsDelta, offset });
    }
  }

  #dropUnsent(): void {
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    this.#flushTimer = null;
    this.#unsent = { text: "", reasoning: "", calls: new Map() };
  }

  #flushSoon(): void {
    this.#flushTimer ??= setTimeout(() => this.flush(), TEXT_FLUSH_MS);
  }
}
