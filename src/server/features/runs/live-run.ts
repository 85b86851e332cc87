import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Actor } from "../../../lib/contract/actor";
import type { ChatUsage } from "../../../lib/contract/chat";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { ModelPrice } from "../../../lib/contract/model";
import type { RunEvent, RunEventBody, RunSettings, RunSource, RunStatus } from "../../../lib/contract/run";
import { FigureSum, isTakenOver } from "../../../lib/run/run-figures";
import { addUsage, computeCost, countUsage } from "../../../lib/run/usage";
import type { AnnouncedCalls } from "../../calls/executions/private-calls";
import { ServerStopping } from "../../engine/failures";
import type { Clock } from "../../engine/ports";
import { PartialResponse } from "./partial-response";
import { RunMask, type RunMaskPorts } from "./run-mask";
import type { RunServicePorts } from "./run-ports";
import { type RunStore, type RunSums, type StoredRun, TAKEN_OVER } from "./run-store";
import { slimEvent } from "./slim-event";
import type { LoggedTools } from "./toolset-tools";

/** Events that others depend on are written at once, the rest with them or some milliseconds later. */
const URGENT: ReadonlySet<string> = new Set(["user_message", "model_finished", "turn_ended", "resumed"]);

/** The identity of a new run; a resumed one brings the totals of its row. */
export type RunIdentity = Pick<StoredRun, "id" | "source" | "transcriptId" | "actor" | "settings">;

export interface LiveRunPorts extends Omit<RunLogPorts, "mask" | "publish">, RunMaskPorts {
  publish: RunServicePorts["publish"];
  listCallServers: LoggedTools["listCallServers"];
  price: (provider: string, model: string) => ModelPrice | null;
}

const LONGEST_PAUSE_MS = 30_000;

type TurnEnd = Extract<RunEventBody, { type: "turn_ended" }>["status"];

/** The in-memory state of a run owned by this process: event log, totals, and the partial model response. */
export class LiveRun {
  readonly id: string;
  readonly source: RunSource;
  readonly transcriptId: string | null;
  readonly #startedBy: Actor;
  /** Aborts model requests: a user's stop, or the end of the server. */
  readonly model = new AbortController();
  /** Aborts calls: a user's stop only; at the end of the server they have a grace period. */
  readonly calls = new AbortController();
  /** The model's response that is being received. */
  readonly response: PartialResponse;
  /** Resolves when the model's last response is durable, or cannot be. */
  answer: Promise<void> | undefined;
  /** Masks what is stored and shown of the run. */
  readonly mask: RunMask;
  readonly #ports: LiveRunPorts;
  readonly #log: RunLog;
  readonly #totals: RunTotals;
  /** Counts the model's responses over the whole log, the copied beginning of a rerun included. */
  #step: number;
  /** Calls that wait for approval. */
  readonly #waiting = new Set<string>();

  constructor(run: RunIdentity & Partial<StoredRun>, events: readonly RunEvent[], ports: LiveRunPorts) {
    this.id = run.id;
    this.source = run.source;
    this.transcriptId = run.transcriptId;
    this.#startedBy = run.actor;
    this.#ports = ports;
    this.mask = new RunMask(ports);
    const { store, clock } = ports;
    const publish = (event: LiveEvent): void => ports.publish(event, this.#callsIn(event));
    this.response = new PartialResponse(run.id, publish, this.mask);
    this.#log = new RunLog(run.id, events, { store, clock, publish, mask: this.mask }, (fault) =>
      this.abort(this.isTakenOver ? new ServerStopping() : fault),
    );
    this.#totals = new RunTotals(run, events, ports);
    this.#step = events.reduce((step, event) => (event.type === "model_started" ? event.step : step), 0);
    // Every call of a run listens for its stop, so the warning is switched off.
    setMaxListeners(0, this.calls.signal, this.model.signal);
  }

  /** The user that calls run for: the sender of the last message, or the user who resumed the run. */
  get actor(): Actor {
    const turn = this.events.findLast((event) => "by" in event && event.by !== undefined);
    return turn !== undefined && "by" in turn && turn.by !== undefined ? turn.by : this.#startedBy;
  }

  get events(): RunEvent[] {
    return this.#log.events;
  }

  /** The log as it is stored and shown: without masked values and known secrets. */
  get storedEvents(): readonly RunEvent[] {
    return this.#log.storedEvents;
  }

  /** Set when an event could not be written: the run must not continue. */
  get fault(): Error | null {
    return this.#log.fault;
  }

  /** Another instance of the server executes the run: nothing more is written here. */
  get isTakenOver(): boolean {
    return this.fault?.name === TAKEN_OVER;
  }

  get settings(): RunSettings {
    return this.#totals.settings;
  }

  get status(): RunStatus {
    return this.#totals.sums.status;
  }

  /** Whether calls wait for approval. */
  get waits(): boolean {
    return this.#totals.hasWaitingCalls;
  }

  /** The last step that was started; 0 before the first. */
  get step(): number {
    return this.#step;
  }

  publishStatus(): void {
    const { id, source, transcriptId, status } = this;
    this.#ports.publish({ type: "run", run: { id, source, transcriptId, status } });
  }

  #callsIn(event: LiveEvent): AnnouncedCalls | undefined {
    const { listCallServers } = this.#ports;
    const caller = this.actor.id;
    if (event.type === "run_call") return { servers: listCallServers(event.name), caller, complete: false };
    if (event.type !== "run_event" || event.event.type !== "model_finished") return undefined;
    // Pages receive cut arguments; the tool of a call is read from the whole ones.
    const { message } = this.events[event.event.index] as typeof event.event;
    const servers = message.contents.flatMap((part) =>
      part.type === "function_call" ? listCallServers(part.name, part.arguments) : [],
    );
    return { servers, caller, complete: true };
  }

  replaceSettings(settings: RunSettings): void {
    this.#totals.replaceSettings(settings);
  }

  /** Ends the model's request and the calls. */
  abort(reason: unknown): void {
    this.model.abort(reason);
    this.calls.abort(reason);
  }

  /**
   * Adds to the log; resolves when it is durable, with everything before it. After a `fault` only the end of the turn can be
   * added.
   */
  append(body: RunEventBody): Promise<void> {
    if (this.fault !== null && body.type !== "turn_ended") return this.#log.settled;
    const event = this.#log.add(body);
    if (event.type === "model_started") {
      this.#step = event.step;
      this.response.begin(event.step);
    } else if (event.type === "model_finished" || event.type === "model_failed") {
      this.response.end();
    }
    const changed = this.#totals.add(this.storedEvents[event.index] ?? event);
    return this.#log.write(event, this.#totals.sums, () => {
      if (changed) this.publishStatus();
    });
  }

  /** Resolves when all appended events are durable, or cannot be. */
  settled(): Promise<void> {
    return this.#log.settled;
  }

  /**
   * Ends the turn. A failed write, such as on a full disk, is retried until it succeeds or `giveUp` fires.
   */
  async end(status: TurnEnd, error: string | null, giveUp: AbortSignal): Promise<void> {
    for (let pauseMs = 1000; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      await this.settled();
      if (this.isTakenOver) return;
      const length = this.events.length;
      await this.append({ type: "turn_ended", status, error });
      if (this.events.length > length || giveUp.aborted) return;
      await sleep(pauseMs, undefined, { signal: giveUp }).catch(() => undefined);
    }
  }

  /** Another instance executes the run from now on. */
  abandon(): void {
    this.#log.stop(Object.assign(new Error("Another copy executes this run"), { name: TAKEN_OVER }));
  }

  /** Leaves the run as it is to the other instances of the server. */
  async release(): Promise<void> {
    await this.settled();
    if (this.fault === null) await this.#ports.store.release(this.id);
  }

  /** The call waits for approval from now on: its request is open. */
  markWaiting(callId: string, name: string): void {
    this.#waiting.add(callId);
    void this.append({ type: "approval_requested", step: this.step, callId, name });
  }

  markApproved(callId: string, name: string): void {
    if (this.#waiting.delete(callId)) void this.append({ type: "approval_granted", step: this.step, callId, name });
  }
}

interface RunLogPorts {
  store: Pick<RunStore, "append" | "release">;
  clock: Clock;
  publish: (event: LiveEvent) => void;
  mask: Pick<RunMask, "event">;
}

/**
 * The event log of one run: kept in memory with the values that the model received, masked where it is stored, written
 * in order, and published once it is durable.
 */
class RunLog {
  readonly events: RunEvent[];
  readonly #stored: RunEvent[];
  readonly #runId: string;
  readonly #ports: RunLogPorts;
  readonly #onFault: (fault: Error) => void;
  #fault: Error | null = null;
  #pending: Promise<void> = Promise.resolve();

  constructor(runId: string, events: readonly RunEvent[], ports: RunLogPorts, onFault: (fault: Error) => void) {
    this.events = [...events];
    this.#stored = events.map((event) => ports.mask.event(event));
    this.#runId = runId;
    this.#ports = ports;
    this.#onFault = onFault;
  }

  get storedEvents(): readonly RunEvent[] {
    return this.#stored;
  }

  /** Why an event could not be written; then the log ends before it. */
  get fault(): Error | null {
    return this.#fault;
  }

  /** Refuses every further write. */
  stop(fault: Error): void {
    if (this.#fault !== null) return;
    this.#fault = fault;
    this.#onFault(fault);
  }

  /** Resolves when all events are durable, or cannot be. */
  get settled(): Promise<void> {
    return this.#pending;
  }

  add(body: RunEventBody): RunEvent {
    const event = { ...body, index: this.events.length, at: this.#ports.clock.now() } as RunEvent;
    this.events.push(event);
    this.#stored.push(this.#ports.mask.event(event));
    return event;
  }

  /** Resolves with everything before it. @param onWritten called after the event was published */
  write(event: RunEvent, sums: RunSums, onWritten: () => void): Promise<void> {
    const { store, publish } = this.#ports;
    const stored = this.#stored[event.index] ?? event;
    const written = store.append(this.#runId, [stored], sums, URGENT.has(event.type)).then(
      () => {
        publish({ type: "run_event", runId: this.#runId, event: slimEvent(stored) });
        onWritten();
      },
      (error: unknown) => this.#fail(event, error),
    );
    const before = this.#pending;
    this.#pending = written.then(() => before);
    return this.#pending;
  }

  #fail(event: RunEvent, error: unknown): void {
    // The events after a lost one are lost too.
    if (event.index < this.events.length) this.events.length = event.index;
    this.#stored.length = this.events.length;
    this.stop(error instanceof Error ? error : new Error(String(error)));
  }
}

interface TotalsPorts {
  clock: Clock;
  price: (provider: string, model: string) => ModelPrice | null;
}

/** The facts of a run that its events do not say. */
type TotalsBase = Pick<StoredRun, "settings"> & Partial<Pick<StoredRun, "parentId" | "startedAt" | "usage" | "cost">>;

/** Status, active time, calls, tokens and cost of a run, as its events add up. */
class RunTotals {
  readonly #ports: TotalsPorts;
  readonly #sum = new FigureSum();
  readonly #sums: Omit<RunSums, "activeMs" | "modelCalls" | "toolCalls" | "failedToolCalls">;

  /** @param events the log so far, whose tokens and cost the stored sums include */
  constructor(run: TotalsBase, events: readonly RunEvent[], ports: TotalsPorts) {
    this.#ports = ports;
    const origin = { parentId: run.parentId ?? null, startedAt: run.startedAt ?? 0 };
    for (const event of events) if (!isTakenOver(event, origin)) this.#sum.add(event);
    this.#sums = {
      settings: run.settings,
      provider: run.settings.provider,
      model: run.settings.model,
      usage: run.usage ?? { inputTokens: 0, outputTokens: 0 },
      cost: run.cost ?? null,
      status: "running",
      finishedAt: null,
      error: null,
    };
  }

  /** The sums as they are stored with the next event. */
  get sums(): RunSums {
    const { settings, provider, model, usage, cost, status, finishedAt, error } = this.#sums;
    const { activeMs, modelCalls, toolCalls, failedToolCalls } = this.#sum.figures;
    // Read for every event: a spread of `#sums` takes ten times as long.
    return {
      settings,
      provider,
      model,
      usage,
      cost,
      status,
      finishedAt,
      error,
      activeMs,
      modelCalls,
      toolCalls,
      failedToolCalls,
    };
  }

  get settings(): RunSettings {
    return this.#sums.settings;
  }

  get hasWaitingCalls(): boolean {
    return this.#sum.hasWaitingCalls;
  }

  replaceSettings(settings: RunSettings): void {
    Object.assign(this.#sums, { settings, provider: settings.provider, model: settings.model });
  }

  /** True when the run's status changed. */
  add(event: RunEvent): boolean {
    this.#sum.add(event);
    switch (event.type) {
      case "user_message":
      case "resumed":
        Object.assign(this.#sums, { status: "running", error: null, finishedAt: null });
        return true;
      case "model_finished":
        if (event.usage !== undefined) this.#addUsage(event.usage);
        return false;
      case "tool_started":
      case "approval_requested":
      case "approval_granted":
      case "tool_finished":
        return this.#updateStatus();
      case "turn_ended":
        Object.assign(this.#sums, { status: event.status, error: event.error, finishedAt: event.at });
        return true;
      default:
        return false;
    }
  }

  /** A run waits when all of its open calls wait for approval. */
  #updateStatus(): boolean {
    const status = this.#sum.isWaiting ? "waiting" : "running";
    if (status === this.#sums.status) return false;
    this.#sums.status = status;
    return true;
  }

  #addUsage(used: ChatUsage): void {
    const sums = this.#sums;
    const counted = countUsage(used);
    sums.usage = addUsage(sums.usage, counted);
    const price = this.#ports.price(sums.provider, sums.model);
    if (price !== null) sums.cost = (sums.cost ?? 0) + computeCost(counted, price);
  }
}
