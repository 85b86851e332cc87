import type { LiveEvent, RunEvent, RunEventBody } from "../../../lib/contract";
import type { Clock } from "../../engine/ports";
import type { RunStore, RunSums } from "./run-store";
import { slimEvent } from "./slim-event";

/** Events that others depend on are written at once, the rest with them or some milliseconds later. */
const URGENT: ReadonlySet<string> = new Set(["user_message", "model_finished", "turn_ended", "resumed"]);

export interface RunLogPorts {
  store: Pick<RunStore, "append">;
  clock: Clock;
  publish: (event: LiveEvent) => void;
}

/** The event log of one run: kept in memory, written in order, and published once it is durable. */
export class RunLog {
  readonly events: RunEvent[];
  readonly #runId: string;
  readonly #ports: RunLogPorts;
  readonly #onFault: (fault: Error) => void;
  #fault: Error | null = null;
  #pending: Promise<void> = Promise.resolve();

  constructor(runId: string, events: readonly RunEvent[], ports: RunLogPorts, onFault: (fault: Error) => void) {
    this.events = [...events];
    this.#runId = runId;
    this.#ports = ports;
    this.#onFault = onFault;
  }

  /** Why an event could not be written; then the log ends before it. */
  get fault(): Error | null {
    return this.#fault;
  }

  /** Resolves when all events are durable, or cannot be. */
  get settled(): Promise<void> {
    return this.#pending;
  }

  add(body: RunEventBody): RunEvent {
    const event = { ...body, index: this.events.length, at: this.#ports.clock.now() } as RunEvent;
    this.events.push(event);
    return event;
  }

  /** Resolves with everything before it. @param onWritten called after the event was published */
  write(event: RunEvent, sums: RunSums, onWritten: () => void): Promise<void> {
    const { store, publish } = this.#ports;
    const written = store.append(this.#runId, [event], sums, URGENT.has(event.type)).then(
      () => {
        publish({ type: "run_event", runId: this.#runId, event: slimEvent(event) });
        onWritten();
      },
      (error: unknown) => this.#fail(event, error),
    );
    this.#pending = Promise.all([this.#pending, written]).then(() => undefined);
    return this.#pending;
  }

  #fail(event: RunEvent, error: unknown): void {
    // The events after a lost one are lost with it.
    if (event.index < this.events.length) this.events.length = event.index;
    if (this.#fault !== null) return;
    this.#fault = error instanceof Error ? error : new Error(String(error));
    this.#onFault(this.#fault);
  }
}
