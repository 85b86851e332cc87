import type {
  Actor,
  ChatUsage,
  LiveEvent,
  ModelPrice,
  RunEvent,
  RunEventBody,
  RunPartial,
  RunSettings,
  RunSource,
  RunStatus,
} from "../../../lib/contract";
import type { Clock } from "../../engine/ports";
import type { RunSums } from "./run-log-store";
import type { RunStore, StoredRun } from "./run-store";

export interface LiveRunPorts {
  store: Pick<RunStore, "append">;
  clock: Clock;
  publish: (event: LiveEvent) => void;
  price: (provider: string, model: string) => ModelPrice | null;
}

/** Text is published in pieces of this age: a word at a time would drown an open page. */
const TEXT_FLUSH_MS = 40;
const URGENT: ReadonlySet<string> = new Set(["user_message", "model_finished", "turn_ended", "resumed"]);

/** A run that this process goes on with: its log as it grows, its sums, and what it is in the middle of saying. */
export class LiveRun {
  readonly id: string;
  readonly source: RunSource;
  readonly transcriptId: string | null;
  readonly actor: Actor;
  /** Aborts model requests: a person's stop, or the end of the server. */
  readonly model = new AbortController();
  /** Aborts calls: a person's stop only; at the end of the server they have their time of grace. */
  readonly calls = new AbortController();
  readonly events: RunEvent[];
  partial: RunPartial | null = null;
  /** Set when nothing more can be written down: the run must not go on. */
  fault: Error | null = null;
  readonly #ports: LiveRunPorts;
  readonly #sums: RunSums;
  #turnBegan: number;
  #activeBefore: number;
  #pending: Promise<void> = Promise.resolve();
  #unsent = { text: "", reasoning: "", calls: new Map<string, { name: string; argumentsDelta: string }>() };
  #flushTimer: ReturnType<typeof setTimeout> | null = null;
  /** Calls that are under way, and those of them that wait for a person. */
  readonly #open = new Set<string>();
  readonly #waiting = new Set<string>();
  readonly #approvedAt = new Map<string, number>();

  constructor(run: StoredRun, events: readonly RunEvent[], ports: LiveRunPorts) {
    this.id = run.id;
    this.source = run.source;
    this.transcriptId = run.transcriptId;
    this.actor = run.actor;
    this.events = [...events];
    this.#ports = ports;
    this.#turnBegan = ports.clock.elapsed();
    this.#activeBefore = run.activeMs;
    const { provider, model, settings, activeMs, modelCalls, toolCalls, failedToolCalls, usage, cost } = run;
    this.#sums = {
      ...{ provider, model, settings, activeMs, modelCalls, toolCalls, failedToolCalls, usage, cost },
      status: "running",
      finishedAt: null,
      error: null,
    };
  }

  get settings(): RunSettings {
    return this.#sums.settings;
  }

  get status(): RunStatus {
    return this.#sums.status;
  }

  /** The last step that was begun; 0 before the first. */
  get step(): number {
    return this.#sums.modelCalls;
  }

  replaceSettings(settings: RunSettings): void {
    Object.assign(this.#sums, { settings, provider: settings.provider, model: settings.model });
  }

  /**
   * Adds to the log; resolves when it is durable, with everything before it. What others follow from is written at once,
   * the rest with it or some milliseconds later. A fault is kept in `fault`.
   */
  append(body: RunEventBody): Promise<void> {
    const event = { ...body, index: this.events.length, at: this.#ports.clock.now() } as RunEvent;
    this.events.push(event);
    this.#add(event);
    const written = this.#ports.store.append(this.id, [event], { ...this.#sums }, URGENT.has(body.type)).then(
      () => this.#ports.publish({ type: "run_event", runId: this.id, event }),
      (error: unknown) => {
        this.fault ??= error instanceof Error ? error : new Error(String(error));
        this.model.abort(this.fault);
        this.calls.abort(this.fault);
      },
    );
    this.#pending = Promise.all([this.#pending, written]).then(() => undefined);
    return this.#pending;
  }

  /** Resolves when all that was appended is durable. */
  settled(): Promise<void> {
    return this.#pending;
  }

  say(kind: "text" | "reasoning", text: string): void {
    if (this.partial === null) return;
    this.partial[kind] += text;
    this.#unsent[kind] += text;
    this.#flushSoon();
  }

  sayCall(callId: string, name: string, argumentsDelta: string): void {
    const { partial } = this;
    if (partial === null) return;
    const known = partial.calls.find((call) => call.callId === callId);
    if (known === undefined) partial.calls.push({ callId, name, argumentsText: argumentsDelta });
    else known.argumentsText += argumentsDelta;
    const unsent = this.#unsent.calls.get(callId);
    if (unsent === undefined) this.#unsent.calls.set(callId, { name, argumentsDelta });
    else unsent.argumentsDelta += argumentsDelta;
    this.#flushSoon();
  }

  /** What was said of this answer is void. */
  unsay(reason: string): void {
    const step = this.partial?.step ?? this.step;
    this.#dropUnsent();
    this.partial = { step, text: "", reasoning: "", calls: [] };
    this.#ports.publish({ type: "run_retry", runId: this.id, step, reason });
  }

  flush(): void {
    const { text, reasoning, calls } = this.#unsent;
    const { partial } = this;
    this.#dropUnsent();
    if (partial === null) return;
    const said = { runId: this.id, step: partial.step };
    if (reasoning !== "") {
      const offset = partial.reasoning.length - reasoning.length;
      this.#ports.publish({ type: "run_reasoning", ...said, text: reasoning, offset });
    }
    if (text !== "") {
      this.#ports.publish({ type: "run_text", ...said, text, offset: partial.text.length - text.length });
    }
    for (const [callId, { name, argumentsDelta }] of calls) {
      const written = partial.calls.find((call) => call.callId === callId)?.argumentsText.length ?? 0;
      const offset = written - argumentsDelta.length;
      this.#ports.publish({ type: "run_call", ...said, callId, name, argumentsDelta, offset });
    }
  }

  /** A person said yes: the call runs from now on. */
  approved(callId: string): void {
    this.#approvedAt.set(callId, this.#ports.clock.elapsed());
    if (this.#waiting.delete(callId)) this.#judge();
  }

  /** When a call that had to wait for a person began to run; null where it never did. */
  approvedAt(callId: string): number | null {
    return this.#approvedAt.get(callId) ?? null;
  }

  #dropUnsent(): void {
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    this.#flushTimer = null;
    this.#unsent = { text: "", reasoning: "", calls: new Map() };
  }

  #flushSoon(): void {
    this.#flushTimer ??= setTimeout(() => this.flush(), TEXT_FLUSH_MS);
  }

  #add(event: RunEvent): void {
    const sums = this.#sums;
    sums.activeMs = this.#activeBefore + (this.#ports.clock.elapsed() - this.#turnBegan);
    switch (event.type) {
      case "user_message":
      case "resumed":
        Object.assign(sums, { status: "running", error: null, finishedAt: null });
        this.#turnBegan = this.#ports.clock.elapsed();
        this.#activeBefore = sums.activeMs;
        this.#tell();
        return;
      case "model_started":
        sums.modelCalls = event.step;
        this.partial = { step: event.step, text: "", reasoning: "", calls: [] };
        return;
      case "model_finished":
        this.flush();
        this.partial = null;
        if (event.usage !== undefined) this.#count(event.usage);
        return;
      case "model_failed":
        this.flush();
        this.partial = null;
        return;
      case "tool_started":
        sums.toolCalls += 1;
        this.#open.add(event.callId);
        if (event.approval) this.#waiting.add(event.callId);
        this.#judge();
        return;
      case "tool_finished":
        if (event.result.exception !== undefined) sums.failedToolCalls += 1;
        if (!this.#open.delete(event.callId)) sums.toolCalls += 1;
        this.#waiting.delete(event.callId);
        this.#judge();
        return;
      case "turn_ended":
        Object.assign(sums, { status: event.status, error: event.error, finishedAt: event.at });
        this.#tell();
        return;
    }
  }

  #judge(): void {
    const status = this.#waiting.size > 0 && this.#waiting.size === this.#open.size ? "waiting" : "running";
    if (status === this.#sums.status) return;
    this.#sums.status = status;
    void this.#ports.store.append(this.id, [], { ...this.#sums }, false).catch(() => undefined);
    this.#tell();
  }

  #tell(): void {
    const { id, source, transcriptId, status } = this;
    this.#ports.publish({ type: "run", run: { id, source, transcriptId, status } });
  }

  #count(used: ChatUsage): void {
    const { usage, provider, model } = this.#sums;
    const sum = (one: number | undefined, other: number | undefined): number => (one ?? 0) + (other ?? 0);
    this.#sums.usage = {
      inputTokens: usage.inputTokens + used.inputTokens,
      outputTokens: usage.outputTokens + used.outputTokens,
      cachedInputTokens: sum(usage.cachedInputTokens, used.cachedInputTokens),
      reasoningTokens: sum(usage.reasoningTokens, used.reasoningTokens),
    };
    const price = this.#ports.price(provider, model);
    if (price !== null) this.#sums.cost = (this.#sums.cost ?? 0) + costOf(used, price);
  }
}

/** US dollars. Cached tokens cost what uncached ones do where no price of their own is known. */
function costOf(used: ChatUsage, price: ModelPrice): number {
  const cached = Math.min(used.cachedInputTokens ?? 0, used.inputTokens);
  const input = (used.inputTokens - cached) * price.input + cached * (price.cachedInput ?? price.input);
  return (input + used.outputTokens * price.output) / 1_000_000;
}
