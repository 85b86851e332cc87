import type { LiveEvent } from "../../../lib/contract/live-event";
import type { RunPartial } from "../../../lib/contract/run";
import type { RunMask } from "./run-mask";

/** Text is published in pieces of this age: a word at a time would drown an open page. */
const TEXT_FLUSH_MS = 40;
/** Pages get the end of a longer piece; they notice the gap and read the run. */
const MAX_PIECE_CHARS = 64_000;

/** The response that a run's model is sending: kept until it is complete, and published masked and in pieces. */
export class PartialResponse {
  readonly #runId: string;
  readonly #publish: (event: LiveEvent) => void;
  readonly #mask: Pick<RunMask, "begun" | "hidesArguments">;
  #value: RunPartial | null = null;
  /** The number of characters of each shown text that pages have. */
  #sent = { text: 0, reasoning: 0, calls: new Map<string, number>() };
  #flushTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(runId: string, publish: (event: LiveEvent) => void, mask: Pick<RunMask, "begun" | "hidesArguments">) {
    this.#runId = runId;
    this.#publish = publish;
    this.#mask = mask;
  }

  /** The response as the model sends it; null between two responses. */
  get value(): RunPartial | null {
    return this.#value;
  }

  /** The response as pages may show it. */
  get shown(): RunPartial | null {
    if (this.#value === null) return null;
    const { step, text, reasoning, calls } = this.#value;
    return {
      step,
      text: this.#mask.begun(text),
      reasoning: this.#mask.begun(reasoning),
      calls: calls.map((call) => ({ ...call, argumentsText: this.#shownArguments(call) })),
    };
  }

  begin(step: number): void {
    this.#stopFlushing();
    this.#sent = { text: 0, reasoning: 0, calls: new Map() };
    this.#value = { step, text: "", reasoning: "", calls: [] };
  }

  /** Called when the response is complete or failed. */
  end(): void {
    this.flush();
    this.#value = null;
  }

  addText(kind: "text" | "reasoning", text: string): void {
    if (this.#value === null) return;
    this.#value[kind] += text;
    this.#flushSoon();
  }

  addCall(callId: string, name: string, argumentsDelta: string): void {
    if (this.#value === null) return;
    const { calls } = this.#value;
    const known = calls.find((call) => call.callId === callId);
    if (known === undefined) calls.push({ callId, name, argumentsText: argumentsDelta });
    else known.argumentsText += argumentsDelta;
    this.#flushSoon();
  }

  /** Discards the partial response: the request is repeated. */
  restart(step: number, reason: string): void {
    this.begin(step);
    this.#publish({ type: "run_retry", runId: this.#runId, step, reason });
  }

  /** Publishes the rest. */
  flush(): void {
    this.#stopFlushing();
    const shown = this.shown;
    if (shown === null) return;
    const base = { runId: this.#runId, step: shown.step };
    const reasoning = unsent(shown.reasoning, this.#sent.reasoning);
    if (reasoning !== null) this.#publish({ type: "run_reasoning", ...base, ...reasoning });
    const text = unsent(shown.text, this.#sent.text);
    if (text !== null) this.#publish({ type: "run_text", ...base, ...text });
    Object.assign(this.#sent, { text: shown.text.length, reasoning: shown.reasoning.length });
    for (const { callId, name, argumentsText } of shown.calls) {
      const known = this.#sent.calls.get(callId);
      // A call whose arguments are hidden appears once.
      const piece = unsent(argumentsText, known ?? 0) ?? (known === undefined ? { text: "", offset: 0 } : null);
      if (piece === null) continue;
      this.#sent.calls.set(callId, argumentsText.length);
      this.#publish({ type: "run_call", ...base, callId, name, argumentsDelta: piece.text, offset: piece.offset });
    }
  }

  #shownArguments({ name, argumentsText }: RunPartial["calls"][number]): string {
    return this.#mask.hidesArguments(name) ? "" : this.#mask.begun(argumentsText);
  }

  #stopFlushing(): void {
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    this.#flushTimer = null;
  }

  #flushSoon(): void {
    this.#flushTimer ??= setTimeout(() => this.flush(), TEXT_FLUSH_MS);
  }
}

/** The part of a text that pages lack; null where they have all of it. */
function unsent(text: string, sent: number): { text: string; offset: number } | null {
  if (text.length <= sent) return null;
  const piece = text.slice(sent).slice(-MAX_PIECE_CHARS);
  return { text: piece, offset: text.length - piece.length };
}
