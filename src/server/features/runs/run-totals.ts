import type { ChatUsage } from "../../../lib/contract/chat";
import type { ModelPrice } from "../../../lib/contract/model";
import type { RunEvent, RunSettings } from "../../../lib/contract/run";
import { FigureSum, isTakenOver } from "../../../lib/run/run-figures";
import { addUsage, computeCost, countUsage } from "../../../lib/run/usage";
import type { Clock } from "../../engine/ports";
import type { RunSums, StoredRun } from "./run-store";

interface TotalsPorts {
  clock: Clock;
  price: (provider: string, model: string) => ModelPrice | null;
}

/** The facts of a run that its events do not say. */
type TotalsBase = Pick<StoredRun, "settings"> & Partial<Pick<StoredRun, "parentId" | "startedAt" | "usage" | "cost">>;

/** Status, active time, calls, tokens and cost of a run, as its events add up. */
export class RunTotals {
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

  /** As they are stored with the next event. */
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
