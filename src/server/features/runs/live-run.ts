import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
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
import { addUsage } from "../../engine/add-usage";
import type { Clock } from "../../engine/ports";
import { costOf, countedUsage } from "./run-cost";
import type { RunSums } from "./run-log-store";
import type { RunStore, StoredRun } from "./run-store";

/** What is known of a run when it begins; the sums of one that goes on come with its row. */
export type RunIdentity = Pick<StoredRun, "id" | "source" | "transcriptId" | "actor" | "settings">;

export interface LiveRunPorts {
  store: Pick<RunStore, "append">;
  clock: Clock;
  publish: (event: LiveEvent) => void;
  price: (provider: string, model: string) => ModelPrice | null;
}

/** Text is published in pieces of this age: a word at a time would drown an open page. */
const TEXT_FLUSH_MS = 40;
const URGENT: ReadonlySet<string> = new Set(["user_message", "model_finished", "turn_ended", "resumed"]);
const LONGEST_PAUSE_MS = 30_000;

type TurnEnd = Extract<RunEventBody, { type: "turn_ended" }>["status"];

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
  /** Counts the model's answers over the whole log, an earlier run's beginning included. */
  #step: number;
  #activeSince: number | null = null;
  #pending: Promise<void> = Promise.resolve();
  #unsent = { text: "", reasoning: "", calls: new Map<string, { name: string; argumentsDelta: string }>() };
  #flushTimer: ReturnType<typeof setTimeout> | null = null;
  /** Calls that are under way, and those of them that wait for a person. */
  readonly #open: Set<string>;
  readonly #waiting = new Set<string>();
  readonly #approvedAt = new Map<string, number>();

  constructor(run: RunIdentity & Partial<StoredRun>, events: readonly RunEvent[], ports: LiveRunPorts) {
    this.id = run.id;
    this.source = run.source;
    this.transcriptId = run.transcriptId;
    this.actor = run.actor;
    this.events = [...events];
    this.#ports = ports;
    this.#open = openCallIds(events);
    this.#step = events.reduce((step, event) => (event.type === "model_started" ? event.step : step), 0);
    const { settings, activeMs = 0, modelCalls = 0, toolCalls = 0, failedToolCalls = 0, usage, cost = null } = run;
    this.#sums = {
      ...{ settings, provider: settings.provider, model: settings.model },
      ...{ activeMs, modelCalls, toolCalls, failedToolCalls, cost },
      usage: usage ?? { inputTokens: 0, outputTokens: 0 },
      status: "running",
      finishedAt: null,
      error: null,
    };
    this.#goOn();
    // A run's calls are many, and each listens for the stop.
    setMaxListeners(0, this.calls.signal, this.model.signal);
  }

  get settings(): RunSettings {
    return this.#sums.settings;
  }

  get status(): RunStatus {
    return this.#sums.status;
  }

  /** Calls wait for a person. */
  get waits(): boolean {
    return this.#waiting.size > 0;
  }

  /** The last step that was begun; 0 before the first. */
  get step(): number {
    return this.#step;
  }

  /** Tells open pages that it goes on. */
  announce(): void {
    this.#tell();
  }

  replaceSettings(settings: RunSettings): void {
    Object.assign(this.#sums, { settings, provider: settings.provider, model: settings.model });
  }

  /**
   * Adds to the log; resolves when it is durable, with everything before it. What others follow from is written at once,
   * the rest with it or some milliseconds later. Where it could not be written, `fault` says why, the log ends before it,
   * and only the end of the turn can still be added.
   */
  append(body: RunEventBody): Promise<void> {
    if (this.fault !== null && body.type !== "turn_ended") return this.#pending;
    const event = { ...body, index: this.events.length, at: this.#ports.clock.now() } as RunEvent;
    this.events.push(event);
    const changed = this.#add(event);
    const written = this.#ports.store.append(this.id, [event], { ...this.#sums }, URGENT.has(body.type)).then(
      () => {
        this.#ports.publish({ type: "run_event", runId: this.id, event });
        if (changed) this.#tell();
      },
      (error: unknown) => this.#fail(event, error),
    );
    this.#pending = Promise.all([this.#pending, written]).then(() => undefined);
    return this.#pending;
  }

  /** Resolves when all that was appended is durable, or cannot be. */
  settled(): Promise<void> {
    return this.#pending;
  }

  /** Ends the turn, and tries again until that is written down or `giveUp` fires: a full disk, a lock that stays. */
  async end(status: TurnEnd, error: string | null, giveUp: AbortSignal): Promise<void> {
    for (let pauseMs = 1000; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await this.settled();
      const length = this.events.length;
      await this.append({ type: "turn_ended", status, error });
      if (this.events.length > length || giveUp.aborted) return;
      await pause(pauseMs, giveUp);
    }
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
    if (!this.#waiting.delete(callId) || !this.#judge()) return;
    const sums = { ...this.#sums };
    void this.#ports.store.append(this.id, [], sums, true).then(
      () => this.#tell(),
      () => undefined,
    );
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

  #fail(event: RunEvent, error: unknown): void {
    // What follows a lost event is lost with it.
    if (event.index < this.events.length) this.events.length = event.index;
    if (this.fault !== null) return;
    this.fault = error instanceof Error ? error : new Error(String(error));
    this.model.abort(this.fault);
    this.calls.abort(this.fault);
  }

  /** True when the run's state is another one now. */
  #add(event: RunEvent): boolean {
    const sums = this.#sums;
    switch (event.type) {
      case "user_message":
      case "resumed":
        Object.assign(sums, { status: "running", error: null, finishedAt: null });
        this.#goOn();
        return true;
      case "model_started":
        sums.modelCalls += 1;
        this.#step = event.step;
        this.partial = { step: event.step, text: "", reasoning: "", calls: [] };
        break;
      case "model_finished":
        this.flush();
        this.partial = null;
        if (event.usage !== undefined) this.#count(event.usage);
        break;
      case "model_failed":
        this.flush();
        this.partial = null;
        break;
      case "tool_started":
        sums.toolCalls += 1;
        this.#open.add(event.callId);
        if (event.approval) this.#waiting.add(event.callId);
        return this.#judge();
      case "tool_finished":
        if (event.result.exception !== undefined) sums.failedToolCalls += 1;
        if (!this.#open.delete(event.callId)) sums.toolCalls += 1;
        this.#waiting.delete(event.callId);
        return this.#judge();
      case "turn_ended":
        this.#pauseClock();
        Object.assign(sums, { status: event.status, error: event.error, finishedAt: event.at });
        return true;
    }
    this.#tick();
    return false;
  }

  /** Whether the run waits for people only. True when that is new. */
  #judge(): boolean {
    const status = this.#waiting.size > 0 && this.#waiting.size === this.#open.size ? "waiting" : "running";
    if (status === this.#sums.status) {
      this.#tick();
      return false;
    }
    if (status === "waiting") this.#pauseClock();
    else this.#goOn();
    this.#sums.status = status;
    return true;
  }

  #goOn(): void {
    this.#activeSince ??= this.#ports.clock.elapsed();
  }

  #tick(): void {
    if (this.#activeSince === null) return;
    const now = this.#ports.clock.elapsed();
    this.#sums.activeMs += now - this.#activeSince;
    this.#activeSince = now;
  }

  /** What people take to decide is not the run's time. */
  #pauseClock(): void {
    this.#tick();
    this.#activeSince = null;
  }

  #tell(): void {
    const { id, source, transcriptId, status } = this;
    this.#ports.publish({ type: "run", run: { id, source, transcriptId, status } });
  }

  #count(used: ChatUsage): void {
    const sums = this.#sums;
    const counted = countedUsage(used);
    sums.usage = addUsage(sums.usage, counted);
    const price = this.#ports.price(sums.provider, sums.model);
    if (price !== null) sums.cost = (sums.cost ?? 0) + costOf(counted, price);
  }
}

function openCallIds(events: readonly RunEvent[]): Set<string> {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === "tool_started") open.add(event.callId);
    else if (event.type === "tool_finished") open.delete(event.callId);
  }
  return open;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
