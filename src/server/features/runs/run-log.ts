import type { LiveEvent } from "../../../lib/contract/live-event";
import type { RunEvent, RunEventBody } from "../../../lib/contract/run";
import type { Clock } from "../../engine/ports";
import type { RunMask } from "./run-mask";
import type { RunStore, RunSums } from "./run-store";
import { slimEvent } from "./slim-event";

/** Events that others depend on are written at once, the rest with them or some milliseconds later. */
const URGENT: ReadonlySet<string> = new Set(["user_message", "model_finished", "turn_ended", "resumed"]);

export interface RunLogPorts {
  store: Pick<RunStore, "append" | "release">;
  clock: Clock;
  publish: (event: LiveEvent) => void;
  mask: Pick<RunMask, "event">;
}

/** The event log of one run: kept in memory with the values that the model was told, masked where it is stored, written in order, and published once it is durable. */
export class RunLog {
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

  /** Nothing more can be written. */
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
    // The events after a lost one are lost with it.
    if (event.index < this.events.length) this.events.length = event.index;
    this.#stored.length = this.events.length;
    this.stop(error instanceof Error ? error : new Error(String(error)));
  }
}
