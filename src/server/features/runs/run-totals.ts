import type { ChatUsage, ModelPrice, RunEvent, RunSettings } from "../../../lib/contract";
import { addUsage } from "../../engine/agent/add-usage";
import type { Clock } from "../../engine/ports";
import { costOf, countedUsage } from "./run-cost";
import type { RunSums, StoredRun } from "./run-store";

interface TotalsPorts {
  clock: Clock;
  price: (provider: string, model: string) => ModelPrice | null;
}

/** Status, active time, calls, tokens and cost of a run, as its events add up. */
export class RunTotals {
  readonly #ports: TotalsPorts;
  readonly #sums: RunSums;
  /** Started calls without a result, and those of them that wait for approval. */
  readonly #openCalls = new Set<string>();
  readonly #waitingCalls = new Set<string>();
  #activeSince: number | null = null;

  /** @param events the log so far, which the stored sums include */
  constructor(run: Pick<StoredRun, "settings"> & Partial<StoredRun>, events: readonly RunEvent[], ports: TotalsPorts) {
    this.#ports = ports;
    for (const event of events) {
      if (event.type === "tool_started") this.#openCalls.add(event.callId);
      else if (event.type === "tool_finished") this.#openCalls.delete(event.callId);
    }
    this.#sums = {
      settings: run.settings,
      provider: run.settings.provider,
      model: run.settings.model,
      activeMs: run.activeMs ?? 0,
      modelCalls: run.modelCalls ?? 0,
      toolCalls: run.toolCalls ?? 0,
      failedToolCalls: run.failedToolCalls ?? 0,
      usage: run.usage ?? { inputTokens: 0, outputTokens: 0 },
      cost: run.cost ?? null,
      status: "running",
      finishedAt: null,
      error: null,
    };
    this.#resumeClock();
  }

  /** As they are stored with the next event. */
  get sums(): RunSums {
    return { ...this.#sums };
  }

  get settings(): RunSettings {
    return this.#sums.settings;
  }

  get hasWaitingCalls(): boolean {
    return this.#waitingCalls.size > 0;
  }

  replaceSettings(settings: RunSettings): void {
    Object.assign(this.#sums, { settings, provider: settings.provider, model: settings.model });
  }

  /** True when the run's status changed. */
  add(event: RunEvent): boolean {
    const sums = this.#sums;
    switch (event.type) {
      case "user_message":
      case "resumed":
        Object.assign(sums, { status: "running", error: null, finishedAt: null });
        this.#resumeClock();
        return true;
      case "model_started":
        sums.modelCalls += 1;
        break;
      case "model_finished":
        if (event.usage !== undefined) this.#addUsage(event.usage);
        break;
      case "tool_started":
        sums.toolCalls += 1;
        this.#openCalls.add(event.callId);
        if (event.approval) this.#waitingCalls.add(event.callId);
        return this.#updateStatus();
      case "tool_finished":
        if (event.result.exception !== undefined) sums.failedToolCalls += 1;
        if (!this.#openCalls.delete(event.callId)) sums.toolCalls += 1;
        this.#waitingCalls.delete(event.callId);
        return this.#updateStatus();
      case "turn_ended":
        this.#pauseClock();
        Object.assign(sums, { status: event.status, error: event.error, finishedAt: event.at });
        return true;
    }
    this.#addActiveTime();
    return false;
  }

  /** The call runs from now on. True when the run's status changed. */
  addApproval(callId: string): boolean {
    return this.#waitingCalls.delete(callId) && this.#updateStatus();
  }

  /** A run waits when all of its open calls wait for approval. */
  #updateStatus(): boolean {
    const waits = this.#waitingCalls.size > 0 && this.#waitingCalls.size === this.#openCalls.size;
    const status = waits ? "waiting" : "running";
    if (status === this.#sums.status) {
      this.#addActiveTime();
      return false;
    }
    if (waits) this.#pauseClock();
    else this.#resumeClock();
    this.#sums.status = status;
    return true;
  }

  #resumeClock(): void {
    this.#activeSince ??= this.#ports.clock.elapsed();
  }

  /** Waiting for approval does not count as active time. */
  #pauseClock(): void {
    this.#addActiveTime();
    this.#activeSince = null;
  }

  #addActiveTime(): void {
    if (this.#activeSince === null) return;
    const now = this.#ports.clock.elapsed();
    this.#sums.activeMs += now - this.#activeSince;
    this.#activeSince = now;
  }

  #addUsage(used: ChatUsage): void {
    const sums = this.#sums;
    const counted = countedUsage(used);
    sums.usage = addUsage(sums.usage, counted);
    const price = this.#ports.price(sums.provider, sums.model);
    if (price !== null) sums.cost = (sums.cost ?? 0) + costOf(counted, price);
  }
}
